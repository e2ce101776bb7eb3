// npm test: every suite, on this Node and on those that SNOWGAUGE_TEST_NODES names ("22 24 26"), and one last line that sums
// them up: `N passed, N failed`. Further arguments go to vitest. SNOWGAUGE_TEST_ALL=1 makes every skip a failure.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, run } from './lib.mjs';
import { nodeBinary } from './node-versions.mjs';
import { isFailure, lastLine, skipLines, sum, tallyOf } from './tally.mjs';

/**
 * @param {string} binary the Node to run on
 * @param {readonly string[]} args
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
const runSuites = async (binary, args) => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-test-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // The tests' own processes find the same Node by its name.
  const path = [dirname(binary), process.env.PATH].join(delimiter);
  const env = { ...process.env, NODE_ENV: 'test', PATH: path };
  try {
    const code = await run(binary, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args], { env });
    return tallyOf(readReport(file), code, process.env.SNOWGAUGE_TEST_ALL === '1');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * @param {string} file
 * @returns {import('./tally.mjs').Report | undefined} nothing where vitest ended before it wrote one
 */
const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/**
 * What is not in vitest's project `suites`: clusters, browsers, kills by the hundred. Minutes each, and what they try is other
 * programs against ours, not our Node.
 */
const onThisNodeAlone = 'test/e2e';

/** @param {string} folder */
const suitesIn = async (folder) =>
  (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith('.test.ts')).sort();

await ensureInstalled();
await ensureBuilt();
console.error(`snowgauge: the tests on Node ${process.versions.node}`);
const args = process.argv.slice(2);
const versions = (process.env.SNOWGAUGE_TEST_NODES ?? '').split(/\s+/).filter(Boolean);
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (stopped = true));
const tallies = [await runSuites(process.execPath, args)];
for (const version of versions) {
  if (stopped) break; // vitest has had the signal too, and counts as failed
  const binary = await nodeBinary(version);
  console.error(`snowgauge: the tests on Node ${version}, without ${onThisNodeAlone}`);
  tallies.push(await runSuites(binary, ['--project=suites', ...args]));
}
const total = sum(tallies);
for (const line of skipLines(total)) console.log(line);
const left = await suitesIn(onThisNodeAlone);
if (versions.length > 0) console.log(`ON NODE ${process.versions.node} ALONE, not on ${versions.join(', ')}: ${left.join(' ')}`);
console.log(lastLine(total));
process.exitCode = isFailure(total) ? 1 : 0;
