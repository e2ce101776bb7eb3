// Whether everything that has a version has the same one: the tag, package.json and its lock, the chart, the changelog.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { dateOf, sectionOf } from './changelog.mjs';
import { alone, capture, say } from './step.mjs';

/** @param {string} file */
const read = (file) => readFile(join(root, file), 'utf8');

/** @param {import('./step.mjs').Step} step */
export const checkVersions = async ({ names: { name, version }, tag }) => {
  const chart = await read(`charts/${name}/Chart.yaml`);
  const lock = JSON.parse(await read('package-lock.json'));
  const versions = {
    'package-lock.json': lock.version,
    "package-lock.json's first package": lock.packages[''].version,
    'version of Chart.yaml': /^version: (\S+)$/m.exec(chart)?.[1],
    'appVersion of Chart.yaml': /^appVersion: (\S+)$/m.exec(chart)?.[1],
  };
  const errors = Object.entries(versions)
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place} is ${found}, and package.json's version ${version}`);
  if (tag !== undefined && tag !== `v${version}`)
    errors.push(`the tag ${tag} is not v${version}: package.json's version is ${version}`);
  for (const error of changelogErrors(await read('CHANGELOG.md'), version, tag)) errors.push(error);
  await capture(process.execPath, [join(root, 'scripts/docs.mjs'), '--check']).catch((error) => errors.push(error.message));
  if (errors.length > 0) throw new Error(errors.join('\nrelease: '));
  say(`everything has version ${version}`);
};

/**
 * A dry run without a tag accepts the unreleased section.
 * @param {string} changelog
 * @param {string} version
 * @param {string | undefined} tag
 */
const changelogErrors = (changelog, version, tag) => {
  if (dateOf(changelog, version) !== undefined) {
    return sectionOf(changelog, version) ? [] : [`CHANGELOG.md has nothing under [${version}]`];
  }
  if (tag !== undefined) return [`CHANGELOG.md has no heading \`## [${version}] - YYYY-MM-DD\``];
  say(`CHANGELOG.md has no heading of ${version} yet: the notes are what stands under [Unreleased]`);
  return [];
};

await alone(import.meta.url, checkVersions);
