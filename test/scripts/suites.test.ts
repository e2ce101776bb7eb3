// scripts/test.mjs in a tree with a fake vitest: a run that cannot start does not prevent the summary.

import { spawn } from 'node:child_process';
import { cp, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../support/chart.ts';
import { temporaryFolder } from '../support/events.ts';

/** A fake vitest that prints its projects. */
const vitest = `import { writeFileSync } from 'node:fs';
  const projects = process.argv.filter((arg) => arg.startsWith('--project=')).map((arg) => arg.slice('--project='.length));
  const file = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).slice('--outputFile.json='.length);
  console.log('ran ' + projects);
  writeFileSync(file, JSON.stringify({ testResults: [{ name: projects[0], status: 'passed',
    assertionResults: projects.map((title) => ({ title, fullName: title, ancestorTitles: [], status: 'passed' })) }] }));`;

/** A fake npm that cannot install one version. */
const npm = `const { mkdirSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const [name, version] = process.argv.at(-1).split('@');
  if (version === '99') process.exit(7);
  const folder = join(process.argv[process.argv.indexOf('--prefix') + 1], 'node_modules', name, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'node'), '#!/bin/sh\\n[ "$1" = --version ] && echo v' + version + '.0.0 && exit\\nexec "' + process.execPath + '" "$@"\\n', { mode: 0o755 });`;

test('a Node version that cannot be installed counts as one failure, and the other runs continue', async () => {
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
      ...{ SNOWGAUGE_TEST_ALL: '1', SNOWGAUGE_TEST_NODES: '99 97' },
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.resume();
  const code = await new Promise((resolve) => child.on('close', resolve));
  const lines = said.trimEnd().split('\n');
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '6 passed, 1 failed' });
  expect(lines.filter((line) => line.startsWith('ran '))).toEqual(
    ['suites,long', 'long', 'long', 'long', 'suites'].map((ran) => `ran ${ran}`),
  );
  expect(lines.at(-2)).toMatch(/^FAILED Node 99: .*could not be installed.*exit code 7/);
});
