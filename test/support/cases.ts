// The number of cases that a property test draws, and a sample of equivalent rows.

const isWhole = process.env.SNOWGAUGE_TEST_ALL === '1' && process.env.SNOWGAUGE_TEST_OTHER_NODE !== '1';

/** All rows in a full run on one Node.js version; otherwise every fifth, starting with the first. */
export const drawn = <T>(all: readonly T[]): readonly T[] => (isWhole ? all : all.filter((_, at) => at % 5 === 0));

/** The given number in a full run on one Node.js version; otherwise a fifth of it. */
export const cases = (all: number): number => (isWhole ? all : Math.ceil(all / 5));
