// How many cases a property draws, and which of a list of equals.

const isWhole = process.env.SNOWGAUGE_TEST_ALL === '1' && process.env.SNOWGAUGE_TEST_OTHER_NODE !== '1';

/** Of a list in which each shows the same: all where all runs, on one Node; else each fifth, the first one first. */
export const drawn = <T>(all: readonly T[]): readonly T[] => (isWhole ? all : all.filter((_, at) => at % 5 === 0));

/** As many as are named where all runs, on one Node; else a fifth. */
export const cases = (all: number): number => (isWhole ? all : Math.ceil(all / 5));
