// The licence texts of what is passed on: every package in the bundle, and what its addon is compiled of.

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

/** What an Apache-2.0 project may bundle without more than the text. */
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

test('every bundled package is there in its version, with a copyright and a text that may be bundled', () => {
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

test('the addon holds LevelDB and Snappy: their texts are there too, and that of its headers', () => {
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

test('a NOTICE is passed on with its licence, and a package without a text ends the build', async () => {
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
