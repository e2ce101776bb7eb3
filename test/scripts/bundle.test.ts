// The built program: which files each command loads, and that it loads nothing that only other commands need.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { build, bundleOptions } from '../../scripts/build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Output = esbuild.Metafile['outputs'][string];

let outputs: esbuild.Metafile['outputs'] = {};

beforeAll(async () => {
  const options = await bundleOptions(join(root, 'dist'));
  ({ outputs } = (await esbuild.build({ ...options, write: false })).metafile);
});

const entryOf = (source: string): string =>
  Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? `nothing is loaded for ${source}`;

/** The files that are loaded with this one, including itself. */
const closure = (file: string, seen: ReadonlySet<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  const next = (outputs[file]?.imports ?? []).filter(({ kind, external }) => kind === 'import-statement' && external !== true);
  return next.reduce<ReadonlySet<string>>((known, { path }) => closure(path, known), new Set([...seen, file]));
};

const loadedBy = (source: string): readonly Output[] =>
  [...closure(entryOf(source), closure(entryOf('src/main.ts')))].flatMap((file) => outputs[file] ?? []);

const inputsOf = (source: string): readonly string[] => loadedBy(source).flatMap(({ inputs }) => Object.keys(inputs));

const index = ['src/walk/', 'src/commands/index/'];
const drill = ['src/drills/', 'src/rules/'];
const levelDb = ['node_modules/classic-level/', 'node_modules/abstract-level/'];
const yaml = ['node_modules/yaml/'];
const node = ['src/node/'];
const exporter = ['src/exporter.ts', 'node_modules/prom-client/', 'node_modules/node-cron/'];

test.each([
  {
    source: 'src/main.ts',
    without: [...index, ...drill, ...levelDb, ...yaml, ...node, ...exporter, 'node_modules/got/', 'node_modules/zod/'],
  },
  { source: 'src/commands/run.ts', without: [...index, ...drill, ...levelDb, ...yaml, ...node, 'node_modules/zod/v4/locales/'] },
  { source: 'src/commands/node.ts', without: [...index, ...drill, ...levelDb, ...yaml, ...exporter, 'node_modules/got/'] },
  { source: 'src/commands/index.ts', without: [...drill, ...levelDb, ...yaml, ...node, ...exporter] },
  { source: 'src/commands/rules.ts', without: [...index, ...levelDb, ...node, ...exporter, 'node_modules/got/'] },
])('$source loads nothing that only other commands need', ({ source, without }) => {
  const inputs = inputsOf(source);
  expect(inputs).toContain(source);
  expect(inputs.filter((input) => without.some((start) => input.startsWith(start)))).toEqual([]);
});

test('no import statement loads node:http, which would load undici', () => {
  const externals = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const specifiers = externals.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  expect(specifiers).toContain('node:https');
  expect(specifiers.filter((path) => /^(node:)?http$/.test(path))).toEqual([]);
});

describe('docs/footprint.md has the size of the code that a command loads', () => {
  const rows = Array.from(
    readFileSync(join(root, 'docs/footprint.md'), 'utf8').matchAll(/^\| .*\(`(src\/[^`]+)`\) \| (\d+) \|/gm),
    ([, source = '', kibibytes]) => ({ source, kibibytes: Number(kibibytes) }),
  );
  test.each(rows)('$source: $kibibytes KiB, within 10 %', ({ source, kibibytes }) => {
    const measured = loadedBy(source).reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
    expect(Math.abs(measured - kibibytes)).toBeLessThan(measured / 10);
  });

  test('for each file that is loaded on demand', () => {
    const entries = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
    expect(rows.map(({ source }) => source).toSorted()).toEqual(entries.toSorted());
  });
});

test('a build runs in an empty folder, and removes foreign files that are older than an hour', async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'snowgauge-build-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  mkdirSync(join(outdir, 'lib'));
  const hoursAgo = Date.now() / 1000 - 7200;
  for (const name of ['old.js', 'recent.js']) writeFileSync(join(outdir, 'lib', name), '');
  utimesSync(join(outdir, 'lib/old.js'), hoursAgo, hoursAgo);
  const program = await build({ outdir });
  expect(execFileSync(process.execPath, [program, 'run', '--help'], { encoding: 'utf8' })).toContain('--config <file>');
  expect(readdirSync(join(outdir, 'lib'))).toEqual(expect.arrayContaining(['prebuilds', 'recent.js']));
  expect(readdirSync(join(outdir, 'lib'))).not.toContain('old.js');
  expect(readdirSync(outdir).toSorted()).toEqual(['THIRD-PARTY-LICENSES.txt', 'lib', 'snowgauge.js', 'snowgauge.js.map']);
});
