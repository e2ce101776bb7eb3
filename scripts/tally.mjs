// Sums up what vitest's JSON reports say of several runs.

/**
 * @typedef {{ title: string, fullName: string, ancestorTitles: string[], status: string }} Assertion
 * @typedef {{ testResults: { name: string, status: string, assertionResults: Assertion[] }[] }} Report
 * @typedef {{ passed: number, failed: number, skipped: readonly string[] }} Tally `skipped`: the suite's name, once for each test
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
  const failedTests = tests.length - passed - skips.length;
  // A file that does not load, or whose set-up fails, fails without a test that does.
  const failedFiles = files.filter((file) => file.status === 'failed' && file.assertionResults.every(succeeded)).length;
  const forbidden = all ? skips.filter(({ fullName }) => !fullName.includes(allowed)).length : 0;
  const counted = failedTests + failedFiles + forbidden;
  // An unhandled error, a crash or an empty run shows in vitest's exit code alone.
  return { passed, failed: counted === 0 && exitCode !== 0 ? 1 : counted, skipped: skips.map(suiteName) };
};

/** @param {Assertion} test */
const succeeded = ({ status }) => status !== 'failed' && status !== 'pending';

/**
 * @param {Assertion & { file: string }} test
 * @returns {string} the suite it stands in; its own title where it stands alone
 */
const suiteName = ({ file, ancestorTitles, title }) => {
  const suite = ancestorTitles.filter(Boolean).join(' > ') || title;
  return `${file.replace(/^.*?\/(?=test\/)/, '')} > ${suite}`;
};

/**
 * @param {readonly Tally[]} tallies
 * @returns {Tally}
 */
export const sum = (tallies) => ({
  passed: tallies.reduce((all, { passed }) => all + passed, 0),
  failed: tallies.reduce((all, { failed }) => all + failed, 0),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

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
