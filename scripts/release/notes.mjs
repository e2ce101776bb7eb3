// The notes of a release: its section of CHANGELOG.md, and what was pushed and built on, by digest.

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { sectionOf } from './changelog.mjs';
import { alone, say, without } from './step.mjs';

/** @param {import('./step.mjs').Step} step */
export const writeNotes = async (step) => {
  const { names, tag, out } = step;
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const section = sectionOf(changelog, names.version) ?? (tag === undefined ? sectionOf(changelog, 'Unreleased') : undefined);
  if (!section) throw new Error(`CHANGELOG.md has nothing under [${names.version}]`);
  const image = await readJson(step, 'image');
  const chart = await readJson(step, 'chart');
  const npm = `${names.name}@${names.version}`;
  /** @type {readonly { arg: string, name: string, pinned: string }[]} */
  const bases = image?.bases ?? [];
  const rows = [
    image && `| image | \`${image.name}@${image.digest}\` |`,
    chart && `| chart | \`oci://${chart.name}:${names.version}@${chart.digest}\` |`,
    `| npm | \`${npm}\` |`,
    ...bases.map(({ arg, pinned }) => `| ${arg === 'BUILD_IMAGE' ? 'built on' : 'runs on'} | \`${pinned}\` |`),
  ].filter((row) => row !== undefined);
  const verify = `${names.repository}/blob/v${names.version}/docs/releasing.md#verify-a-release`;
  const artifacts = ['## Artifacts', '', '| what | where |', '|---|---|', ...rows, '', `How to verify them: ${verify}`];
  await writeFile(join(out, 'notes.md'), `${section}\n\n${artifacts.join('\n')}\n`);
  say(`wrote ${join(out, 'notes.md')}`);
};

/**
 * @param {import('./step.mjs').Step} step
 * @param {string} part the file that the step of that name has written
 */
const readJson = async (step, part) => {
  const file = join(step.out, `${part}.json`);
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  without(step, `line of the ${part} in the notes`, `${file} is missing`);
};

await alone(import.meta.url, writeNotes);
