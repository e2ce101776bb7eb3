// Sums up what vitest's JSON reports say of several runs.

/**
 * @typedef {{ title: string, fullName: string, ancestorTitles: string[], status: string, failureMessages?: string[], duration?: number | null }} Assertion
 * @typedef {{ name: string, status: string, message?: string, startTime?: number, endTime?: number, assertionResults: Assertion[] }} TestFile
 * @typedef {{ testResults: TestFile[] }} Report
 * @typedef {{ passed: number, failed: number, skipped: readonly string[], failures: readonly string[] }} Tally `skipped`: the suite's
 *   name, once for each test; `failures`: each one that was counted, by name, with the first line of why
 */

/** The one skip that a machine may force on us: some kernels do not let a test do what it needs. */
const allowed = 'kernel refuses';

/**
 * @param {Report | undefined} report nothing where vitest crashed before it wrote one
 * @param {number} exitCode of vitest
 * @param {boolean} all a skip counts as failed too, but for the allowed one
 * @returns {Tally}
 */
export const tallyOf = (report, exitCode, all) => {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })));
  const skips = tests.filter(({ status }) => status === 'skipped' || status === 'todo' || status === 'disabled');
  const passed = tests.filter(({ status }) => status === 'passed').length;
  // What is neither passed nor skipped failed: `pending` is a test that never ended.
  const failedTests = tests.filter((test) => test.status !== 'passed' && !skips.includes(test));
  // A file that does not load, or whose set-up fails, fails without a test that does.
  const failedFiles = files.filter((file) => file.status === 'failed' && file.assertionResults.every(succeeded));
  const forbidden = all ? skips.filter(({ fullName }) => !fullName.includes(allowed)) : [];
  const failures = [
    ...failedTests.map((test) => `${suiteName(test)} > ${test.title}: ${firstLine(test.failureMessages?.[0] ?? test.status)}`),
    ...failedFiles.map((file) => `${inProject(file.name)}: ${firstLine(file.message ?? 'did not load')}`),
    ...forbidden.map((test) => `${suiteName(test)} > ${test.title}: skipped, and every test must run`),
  ];
  // An unhandled error, a crash or an empty run shows in vitest's exit code alone.
  if (failures.length === 0 && exitCode !== 0) failures.push(`vitest itself: exit code ${exitCode}, its own words are above`);
  return { passed, failed: failures.length, skipped: skips.map(suiteName), failures };
};

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0]?.slice(0, 300) ?? '';

/** @param {string} path */
const inProject = (path) => path.replace(/^.*?\/(?=test\/)/, '');

/** @param {Assertion} test */
const succeeded = ({ status }) => status !== 'failed' && status !== 'pending';

/**
 * @param {Assertion & { file: string }} test
 * @returns {string} the suite it stands in; its own title where it stands alone
 */
const suiteName = ({ file, ancestorTitles, title }) => {
  const suite = ancestorTitles.filter(Boolean).join(' > ') || title;
  return `${inProject(file)} > ${suite}`;
};

/**
 * @param {readonly Tally[]} tallies
 * @returns {Tally}
 */
export const sum = (tallies) => ({
  passed: tallies.reduce((all, { passed }) => all + passed, 0),
  failed: tallies.reduce((all, { failed }) => all + failed, 0),
  skipped: tallies.flatMap(({ skipped }) => skipped),
  failures: tallies.flatMap(({ failures }) => failures),
});

/**
 * @param {Tally} tally
 * @returns {readonly string[]} a line for each failure: the end of a long log is what people are shown
 */
export const failureLines = ({ failures }) => [
  ...failures.slice(0, shown).map((failure) => `FAILED ${failure}`),
  ...(failures.length > shown ? [`FAILED and ${failures.length - shown} more, above`] : []),
];

const shown = 40;

/**
 * @param {Report | undefined} report
 * @param {number} count
 * @returns {readonly string[]} the files that took longest, with their seconds
 */
export const slowest = (report, count) =>
  (report?.testResults ?? [])
    .map(({ name, startTime = 0, endTime = 0 }) => ({ name: inProject(name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);

/**
 * @param {Tally} tally
 * @returns {readonly string[]} a line for each suite that was skipped, so that none goes unseen
 */
export const skipLines = ({ skipped }) =>
  [...new Set(skipped)].map((suite) => `SKIPPED ${suite} (${skipped.filter((name) => name === suite).length})`);

/** @param {Tally} tally */
export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;

/**
 * Nothing run is nothing shown.
 * @param {Tally} tally
 */
export const isFailure = ({ passed, failed }) => failed > 0 || passed === 0;
