// The rules of scripts/lint as biome.json applies them, on a tree of test files.

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../support/chart.ts';
import { runTool } from '../support/run-tool.ts';

const refused = [
  'Math.max(...data);',
  'Math.max(0, ...data);',
  'list.push(...data);',
  'list?.push(...data);',
  'list.splice(0, 1, ...data);',
  'String.fromCharCode(...data);',
  'new Set(...data);',
  'sum.call(null, ...data);',
  'sum.bind(null, ...data);',
  'sum.apply(null, data);',
  'sum?.apply(null, data);',
  'sum.apply(null, [1, ...data]);',
  'Reflect.apply(sum, null, data);',
  'Reflect.construct(Set, data);',
];

const allowed = ['list = [...list, ...data];', 'sum([...data]);', 'sum.apply(null, [1, 2]);', 'Reflect.apply(sum, null, [1]);'];

/** Lines of each file that a plugin rejects. */
const refusedIn = async (files: Readonly<Record<string, string>>): Promise<Readonly<Record<string, readonly number[]>>> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowgauge-lint-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const part of ['biome.json', 'scripts/lint']) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  // It is not a repository, and findings make it fail.
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', '.'];
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const said = await runTool(process.execPath, [biome, ...args], { cwd: folder }).catch(String);
  const found = Array.from(said.matchAll(/^::error title=plugin,file=(.+?),line=(\d+),/gm), ([, file, line]) => ({ file, line }));
  const linesOf = (name: string) =>
    found.flatMap(({ file, line }) => (file === join(folder, name) ? [Number(line)] : [])).toSorted((a, b) => a - b);
  return Object.fromEntries(Object.keys(files).map((name) => [name, linesOf(name)]));
};

test('spreading data into arguments is rejected in src, scripts and bench, not in tests', async () => {
  const text = [...refused, ...allowed, ''].join('\n');
  const files = ['src/a.ts', 'src/node/a.ts', 'scripts/a.mjs', 'bench/support/a.ts', 'test/a.ts'];
  const found = await refusedIn(Object.fromEntries(files.map((file) => [file, text])));
  const lines = refused.map((_, at) => at + 1);
  expect(found).toEqual(Object.fromEntries(files.map((file) => [file, file === 'test/a.ts' ? [] : lines])));
});
