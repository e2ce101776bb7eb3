// Sums up vitest's JSON reports of several runs.

/**
 * @typedef {{ title: string, fullName: string, ancestorTitles: string[], status: string, failureMessages?: string[], duration?: number | null }} Assertion
 * @typedef {{ name: string, status: string, message?: string, startTime?: number, endTime?: number, assertionResults: Assertion[] }} TestFile
 * @typedef {{ testResults: TestFile[] }} Report
 * @typedef {{ passed: number, failed: number, skipped: readonly string[], failures: readonly string[] }} Tally `skipped`: the suite's
 *   name, once for each test; `failures`: each one that was counted, by name, with the first line of why
 */

/** The only skip that is allowed on every machine: some kernels forbid what the test needs. */
const allowed = 'kernel refuses';

/**
 * @param {Report | undefined} report undefined if vitest crashed before it wrote one
 * @param {number} exitCode of vitest
 * @param {boolean} all count skips, except the allowed one, as failed
 * @returns {Tally}
 */
export const tallyOf = (report, exitCode, all) => {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })));
  const skips = tests.filter(({ status }) => status === 'skipped' || status === 'todo' || status === 'disabled');
  const passed = tests.filter(({ status }) => status === 'passed').length;
  // Everything that neither passed nor was skipped has failed: `pending` is a test that never ended.
  const failedTests = tests.filter((test) => test.status !== 'passed' && !skips.includes(test));
  // A file that fails to load or in its setup has no failed test.
  const failedFiles = files.filter((file) => file.status === 'failed' && file.assertionResults.every(succeeded));
  const forbidden = all ? skips.filter(({ fullName }) => !fullName.includes(allowed)) : [];
  const failures = [
    ...failedTests.map((test) => `${suiteName(test)} > ${test.title}: ${firstLine(test.failureMessages?.[0] ?? test.status)}`),
    ...failedFiles.map((file) => `${inProject(file.name)}: ${firstLine(file.message ?? 'did not load')}`),
    ...forbidden.map((test) => `${suiteName(test)} > ${test.title}: skipped, and every test must run`),
  ];
  // An unhandled error, a crash or an empty run is visible only in the exit code.
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
 * @returns {string} the name of its suite, or its own title at the top level
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
 * @returns {readonly string[]} a line per failure, at the end of the log where people look first
 */
export const failureLines = ({ failures }) => [
  ...failures.slice(0, shown).map((failure) => `FAILED ${failure}`),
  ...(failures.length > shown ? [`FAILED and ${failures.length - shown} more, above`] : []),
];

const shown = 40;

/**
 * @param {Report | undefined} report
 * @param {number} count
 * @returns {readonly string[]} the slowest files, with their seconds
 */
export const slowest = (report, count) =>
  (report?.testResults ?? [])
    .map(({ name, startTime = 0, endTime = 0 }) => ({ name: inProject(name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);

/**
 * @param {Tally} tally
 * @returns {readonly string[]} a line per skipped suite
 */
export const skipLines = ({ skipped }) =>
  [...new Set(skipped)].map((suite) => `SKIPPED ${suite} (${skipped.filter((name) => name === suite).length})`);

/** @param {Tally} tally */
export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;

/**
 * An empty run is a failure.
 * @param {Tally} tally
 */
export const isFailure = ({ passed, failed }) => failed > 0 || passed === 0;
