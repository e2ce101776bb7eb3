// npm test: every suite, on this Node and on those that SNOWGAUGE_TEST_NODES names ("22 24 26"), and one last line that sums
// them up: `N passed, N failed`. Further arguments go to vitest. SNOWGAUGE_TEST_ALL=1 makes every skip a failure.
// SNOWGAUGE_TEST_MINUTES is how long all of it may take.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

await ensureInstalled();
await ensureBuilt();
const args = process.argv.slice(2);
const versions = (process.env.SNOWGAUGE_TEST_NODES ?? '').split(/\s+/).filter(Boolean);
const tallies = [];
// A machine that is far too slow runs the further versions as long as there is time for one more, and says which it left out.
const budgetMs = Number(process.env.SNOWGAUGE_TEST_MINUTES ?? 'Infinity') * 60_000;
const begun = Date.now();
let longestMs = 0;
for (const version of [undefined, ...versions]) {
  const startedAt = Date.now();
  if (version !== undefined && startedAt - begun + longestMs > budgetMs) {
    console.log(
      `LEFT OUT for want of time (SNOWGAUGE_TEST_MINUTES=${process.env.SNOWGAUGE_TEST_MINUTES}): the tests on Node ${version}`,
    );
    continue;
  }
  const binary = version === undefined ? process.execPath : await nodeBinary(version);
  console.error(`snowgauge: the tests on Node ${version ?? process.versions.node}`);
  tallies.push(await runSuites(binary, args));
  longestMs = Math.max(longestMs, Date.now() - startedAt);
}
const total = sum(tallies);
for (const line of skipLines(total)) console.log(line);
console.log(lastLine(total));
process.exitCode = isFailure(total) ? 1 : 0;
