// npm test: runs the suites on this Node.js and on the versions in SNOWGAUGE_TEST_NODES ("22 24 26"). The last line is the sum:
// `N passed, N failed`. Further arguments are passed to vitest. SNOWGAUGE_TEST_ALL=1 runs the long suites too and makes every
// skip a failure.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, run } from './lib.mjs';
import { imageMajor, nodeBinary } from './node-versions.mjs';
import { runsOf } from './projects.mjs';
import { failureLines, isFailure, lastLine, skipLines, slowest, sum, tallyOf } from './tally.mjs';

const all = process.env.SNOWGAUGE_TEST_ALL === '1';

/**
 * @param {string} binary the Node.js to run on
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [more] variables
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
const runSuites = async (binary, args, more) => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-test-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // Child processes of the tests use the same Node.js from the PATH.
  const path = [dirname(binary), process.env.PATH].join(delimiter);
  const env = { ...process.env, NODE_ENV: 'test', PATH: path, ...more };
  try {
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args];
    const code = await run(binary, vitest, { env });
    const report = readReport(file);
    console.log(['slowest files:', ...slowest(report, 10)].join('\n'));
    return tallyOf(report, code, all);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * A run that cannot start counts as a failure and does not stop the following ones.
 * @param {string} what
 * @param {() => Promise<import('./tally.mjs').Tally>} work
 * @returns {Promise<void>}
 */
const count = async (what, work) => {
  const failed = (/** @type {unknown} */ error) => ({ passed: 0, failed: 1, skipped: [], failures: [`${what}: ${error}`] });
  tallies.push(await work().catch(failed));
};

/**
 * @param {string} file
 * @returns {import('./tally.mjs').Report | undefined} undefined if vitest ended before it wrote one
 */
const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

await ensureInstalled();
await ensureBuilt();
console.error(`snowgauge: the tests on Node ${process.versions.node}`);
const args = process.argv.slice(2);
const versions = (process.env.SNOWGAUGE_TEST_NODES ?? '').split(/\s+/).filter(Boolean);
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (stopped = true));
const { first, asShipped } = runsOf(args, all);
/** @type {import('./tally.mjs').Tally[]} */
const tallies = [];
for (const run of first) if (!stopped) await count('this Node', () => runSuites(process.execPath, run));
// Without other versions nothing is downloaded.
const isFetched = versions.includes(imageMajor);
if (asShipped !== undefined && !stopped)
  await count(isFetched ? `Node ${imageMajor}, that of the image` : 'this Node', async () =>
    runSuites(isFetched ? await nodeBinary(imageMajor) : process.execPath, asShipped),
  );

/**
 * The version of the image runs every file; the others share them, because a change in one of them usually persists in the next.
 */
const unshipped = versions.filter((version) => version !== imageMajor);
for (const version of versions) {
  if (stopped) break; // vitest got the signal too and counts as failed
  await count(`Node ${version}`, async () => {
    const binary = await nodeBinary(version);
    const place = unshipped.indexOf(version) + 1;
    const share = place > 0 && unshipped.length > 1 ? [`--shard=${place}/${unshipped.length}`] : [];
    console.error(`snowgauge: the suites of what Node can change, on Node ${version} ${share.join('')}`);
    return runSuites(binary, ['--project=suites', ...share, ...args], { SNOWGAUGE_TEST_OTHER_NODE: '1' });
  });
}
const total = sum(tallies);
if (!all && args.length === 0) console.log('NOT RUN: npm test -- --project long (18 minutes), npm run soak (three hours)');
for (const line of skipLines(total)) console.log(line);
for (const line of failureLines(total)) console.log(line);
console.log(lastLine(total));
process.exitCode = isFailure(total) ? 1 : 0;
