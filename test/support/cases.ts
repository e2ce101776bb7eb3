// How many cases a property draws.

const isWhole = process.env.SNOWGAUGE_TEST_ALL === '1' && process.env.SNOWGAUGE_TEST_OTHER_NODE !== '1';

/** As many as are named where all runs, on one Node; else a fifth. */
export const cases = (all: number): number => (isWhole ? all : Math.ceil(all / 5));
