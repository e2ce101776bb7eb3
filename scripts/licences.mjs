// The licence texts of the packages that a bundle holds: who passes the bundle on passes these on too.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {readonly string[]} inputs the bundled files
 * @param {string} root where node_modules is
 * @returns {Promise<string>}
 */
export const licencesOf = async (inputs, root) => {
  const texts = [];
  for (const folder of packageFolders(inputs)) texts.push(await licenceOf(join(root, folder)));
  return `snowgauge is made with the following packages.\n\n${texts.join('\n')}`;
};

/**
 * @param {readonly string[]} inputs
 * @returns {readonly string[]} node_modules/got, ... each once, sorted
 */
const packageFolders = (inputs) => {
  const folders = inputs.map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
};

/** @param {string} folder */
const licenceOf = async (folder) => {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const title = `${name} ${version} (${license ?? 'no licence named'})`;
  return [title, '='.repeat(title.length), ...texts.map((text) => text.trim()), ''].join('\n');
};
