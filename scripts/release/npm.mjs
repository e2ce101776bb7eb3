// The package for npm: packed, then published as it was packed, with provenance.

import { createHash } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { alone, capture, publish, say } from './step.mjs';

/** @param {import('./step.mjs').Step} step */
const tarballOf = ({ names: { name, version }, out }) => join(out, `${name}-npm-${version}.tgz`);

/** @param {import('./step.mjs').Step} step */
export const packNpm = async (step) => {
  // Its prepack builds and skips an existing dist; its output is not JSON.
  const packed = await capture('npm', ['pack', '--json', '--foreground-scripts=false', '--pack-destination', step.out]);
  // Renamed, because the chart archive would have the same name.
  await rename(join(step.out, JSON.parse(packed)[0].filename), tarballOf(step));
  say(`packed ${tarballOf(step)}`);
};

/**
 * @param {import('./step.mjs').Step} step
 * @returns {Promise<string | undefined>} the integrity of this version on npm, if it is published
 */
const published = async ({ names: { name, version } }) => {
  try {
    // For a missing version some npm releases print nothing and others fail.
    return (await capture('npm', ['view', `${name}@${version}`, 'dist.integrity'])).trim() || undefined;
  } catch (error) {
    if (String(error).includes('E404')) return undefined;
    throw error;
  }
};

/** A second run of all jobs would rebuild what is already released. @param {import('./step.mjs').Step} step */
export const refuseReleased = async (step) => {
  if (step.dryRun || (await published(step)) === undefined) return;
  throw new Error(`${step.names.version} is at npm already: run only the failed jobs again, or release the next version`);
};

/** As a trusted publisher on npm, the workflow needs no token. @param {import('./step.mjs').Step} step */
export const publishNpm = async (step) => {
  const known = step.dryRun ? undefined : await published(step);
  if (known !== undefined) {
    const ours = `sha512-${createHash('sha512')
      .update(await readFile(tarballOf(step)))
      .digest('base64')}`;
    if (known !== ours) throw new Error(`npm has another ${step.names.version} (${known}), and versions are not replaced`);
    say(`npm has ${tarballOf(step)} already`);
    return;
  }
  await publish(step, 'npm', [
    ...['publish', tarballOf(step), '--access', 'public', '--provenance'],
    // Release candidates must be requested explicitly.
    ...(step.names.version.includes('-') ? ['--tag', 'next'] : []),
  ]);
};

await alone(import.meta.url, publishNpm);
