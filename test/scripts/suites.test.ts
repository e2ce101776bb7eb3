// scripts/test.mjs in a tree with a stand-in for vitest: runs side by side, of which one cannot be run, are summed up all the same.

import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cluster } from '../../scripts/projects.mjs';
import { root } from '../support/chart.ts';
import { temporaryFolder } from '../support/events.ts';

/** Says which projects it ran. The cluster's run does not end before the other Node could not be installed. */
const vitest = `import { existsSync, writeFileSync } from 'node:fs';
  const projects = process.argv.filter((arg) => arg.startsWith('--project=')).map((arg) => arg.slice('--project='.length));
  const file = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).slice('--outputFile.json='.length);
  const report = () => writeFileSync(file, JSON.stringify({ testResults: [{ name: projects[0], status: 'passed',
    assertionResults: projects.map((title) => ({ title, fullName: title, ancestorTitles: [], status: 'passed' })) }] }));
  console.log('ran ' + projects);
  if (!process.argv.includes('${cluster}')) report();
  else {
    writeFileSync('beside', String(process.pid));
    const timer = setInterval(() => { if (existsSync('refused')) { clearInterval(timer); setTimeout(report, 500); } }, 50);
  }`;

/** No sooner than the cluster's run has begun. */
const npm = `const { existsSync, writeFileSync } = require('node:fs');
  const timer = setInterval(() => { if (existsSync('beside')) { clearInterval(timer); writeFileSync('refused', ''); process.exitCode = 7; } }, 50);`;

test('a Node that cannot be installed is a failure in the sum, and ends neither the sum nor what runs beside it', async () => {
  const folder = await temporaryFolder();
  const at = (path: string): string => join(folder, path);
  for (const path of ['scripts', 'src', 'dist', 'node_modules/vitest', 'deploy/container'])
    await mkdir(at(path), { recursive: true });
  for (const name of ['test', 'lib', 'lock', 'tally', 'projects', 'node-versions'])
    await cp(join(root, `scripts/${name}.mjs`), at(`scripts/${name}.mjs`));
  for (const path of ['scripts/build.mjs', 'scripts/browser.mjs', 'scripts/node-http.cjs', 'tsconfig.json', 'dist/snowgauge.js'])
    await writeFile(at(path), '');
  await writeFile(at('deploy/container/Dockerfile'), 'ARG NODE_MAJOR=98\n');
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'])
    await writeFile(at(path), '{ "packages": {} }');
  await utimes(at('dist/snowgauge.js'), Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
  await writeFile(at('node_modules/vitest/vitest.mjs'), vitest);
  await writeFile(at('npm.js'), npm);
  const child = spawn(process.execPath, [at('scripts/test.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, TMPDIR: folder, XDG_CACHE_HOME: folder, npm_execpath: at('npm.js') },
      ...{ SNOWGAUGE_TEST_ALL: '1', SNOWGAUGE_TEST_NODES: '99' },
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.resume();
  const code = await new Promise((resolve) => child.on('close', resolve));
  const lines = said.trimEnd().split('\n');
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '5 passed, 1 failed' });
  expect(lines).toContain('cluster | ran long');
  expect(lines.at(-2)).toMatch(/^FAILED Node 99: .*could not be installed.*exit code 7/);
  const beside = Number(await readFile(at('beside'), 'utf8'));
  expect(() => process.kill(beside, 0)).toThrow('ESRCH');
});
