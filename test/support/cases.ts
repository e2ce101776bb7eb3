// The number of cases that a property test draws, and a sample of the rows of a long list.

const isWhole = process.env.SNOWGAUGE_TEST_ALL === '1' && process.env.SNOWGAUGE_TEST_OTHER_NODE !== '1';

/** All rows in a full run on one Node.js version; otherwise every fifth, starting with the first. */
export const drawn = <T>(all: readonly T[]): readonly T[] => (isWhole ? all : all.filter((_, at) => at % 5 === 0));

/** All rows in a full run on one Node.js version; otherwise the first with each result. */
export const drawnByResult = <T>(all: readonly T[], resultOf: (row: T) => unknown): readonly T[] => {
  const results = all.map((row) => JSON.stringify(resultOf(row)));
  return isWhole ? all : all.filter((_, at) => results.indexOf(results[at] ?? '') === at);
};

/** The given number in a full run on one Node.js version; otherwise a fifth of it. */
export const cases = (all: number): number => (isWhole ? all : Math.ceil(all / 5));
