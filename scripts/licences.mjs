// The licence texts of the packages in a bundle, which must be distributed with it. A native addon also contains the sources in
// its `deps`, which have their own licences.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * @param {readonly string[]} inputs the bundled files
 * @param {string} root where node_modules is
 * @returns {Promise<string>}
 */
export const licencesOf = async (inputs, root) => {
  const texts = [];
  for (const folder of packageFolders(inputs)) {
    texts.push(await licenceOf(join(root, folder)));
    for (const text of await compiledIn(join(root, folder))) texts.push(text);
  }
  return `snowgauge is made with the following packages.\n\n${texts.join('\n')}`;
};

/**
 * @param {readonly string[]} inputs
 * @returns {readonly string[]} node_modules/got, ... unique and sorted
 */
const packageFolders = (inputs) => {
  const folders = inputs.map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
};

const isLicence = /^(?:licen[cs]e|copying|notice|copyright|patents)/i;

/** @param {string} folder */
const licenceOf = async (folder) => {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return textsIn(`${name} ${version} (${license ?? 'no licence named'})`, folder);
};

/**
 * @param {string} title
 * @param {string} folder
 */
const textsIn = async (title, folder) => {
  const files = (await readdir(folder)).filter((file) => isLicence.test(file)).sort();
  // Without the text its terms cannot be met.
  if (!files.some((file) => /^(?:licen[cs]e|copying)/i.test(file))) throw new Error(`${folder} has no licence text`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [title, '='.repeat(title.length), ...texts.map((text) => text.trim()), ''].join('\n');
};

/** Headers compiled into every addon of this library. */
const headers = 'napi-macros';

/**
 * @param {string} folder of a package
 * @returns {Promise<readonly string[]>} LevelDB and Snappy, of classic-level
 */
const compiledIn = async (folder) => {
  const { name, dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const deps = join(folder, 'deps');
  const below = existsSync(deps) ? await readdir(deps, { recursive: true, withFileTypes: true }) : [];
  const folders = new Set(below.filter((entry) => entry.isFile() && isLicence.test(entry.name)).map((entry) => entry.parentPath));
  const sources = await Promise.all(
    [...folders].sort().map((source) => textsIn(`${basename(source)} (compiled into ${name})`, source)),
  );
  return headers in dependencies ? [...sources, await licenceOf(join(folder, '..', headers))] : sources;
};
