// The licence texts of everything distributed: each bundled package, and the code compiled into its addon.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { textInputs } from '../../scripts/browser.mjs';
import { bundleOptions } from '../../scripts/build.mjs';
import { licencesOf } from '../../scripts/licences.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Licences that an Apache-2.0 project may bundle with only their text. */
const permissive = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'];

interface Notice {
  readonly title: string;
  readonly text: string;
}

const noticesIn = (text: string): readonly Notice[] =>
  text
    .split(/^(?=\S+(?: \S+)? \(.*\)\n=+$)/m)
    .slice(1)
    .map((part) => ({ title: part.split('\n')[0] ?? '', text: part.split('\n').slice(2).join('\n') }));

let inputs: readonly string[] = [];
let notices: readonly Notice[] = [];
beforeAll(async () => {
  const options = await bundleOptions(join(root, 'dist'));
  const { metafile } = await esbuild.build({ ...options, write: false });
  inputs = [...Object.keys(metafile.inputs), ...textInputs];
  notices = noticesIn(await licencesOf(inputs, root));
});

test('has every bundled package with its version, a copyright and a permissive licence text', () => {
  const folders = new Set(inputs.flatMap((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const packages = [...folders].map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')));
  expect(packages.length).toBeGreaterThan(40);
  for (const { name, version, license } of packages) {
    expect(permissive, name).toContain(license);
    const notice = notices.find(({ title }) => title === `${name} ${version} (${license})`);
    expect(notice?.text, name).toMatch(/copyright/i);
    expect(notice?.text, name).toMatch(/permission to use|permission is hereby granted|redistribution and use|apache license/i);
  }
});

test('has the texts of LevelDB, Snappy and napi-macros, which the addon contains', () => {
  const addon = readFileSync(join(root, 'node_modules/classic-level/prebuilds/linux-x64/classic-level.node'), 'latin1');
  for (const [inside, title, author] of [
    ['leveldb', /^leveldb\S* \(compiled into classic-level\)$/, 'The LevelDB Authors'],
    ['snappy', /^snappy \(compiled into classic-level\)$/, 'Google Inc.'],
    ['napi', /^napi-macros \S+ \(MIT\)$/, 'Mathias Buus'],
  ] as const) {
    expect(addon).toContain(inside);
    expect(notices.find((notice) => title.test(notice.title))?.text).toContain(author);
  }
});

test('includes a NOTICE with its licence, and throws for a package without a licence text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-licences-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const own = join(folder, 'node_modules/own');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'own', version: '1.2.3', license: 'Apache-2.0' }));
  writeFileSync(join(own, 'NOTICE'), 'Developed at Example.\n');
  await expect(licencesOf(['node_modules/own/index.js'], folder)).rejects.toThrow('has no licence text');
  writeFileSync(join(own, 'LICENSE.md'), 'Terms of Example.\n');
  expect(noticesIn(await licencesOf(['node_modules/own/index.js'], folder))).toEqual([
    { title: 'own 1.2.3 (Apache-2.0)', text: 'Terms of Example.\nDeveloped at Example.\n' },
  ]);
});
