// The package for npm: packed, then published as it was packed, with provenance.

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from '../lib.mjs';
import { alone, capture, publish, say } from './step.mjs';

/** @param {import('./step.mjs').Step} step */
const tarballOf = ({ names: { name, version }, out }) => join(out, `${name}-npm-${version}.tgz`);

/** @param {import('./step.mjs').Step} step */
export const packNpm = async (step) => {
  await ensureInstalled();
  await ensureBuilt();
  const packed = await capture('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', step.out]);
  // The chart would have the same name.
  await rename(join(step.out, JSON.parse(packed)[0].filename), tarballOf(step));
  say(`packed ${tarballOf(step)}`);
};

/** Where the project is a trusted publisher at npm, no token is needed: npm trusts the workflow. @param {import('./step.mjs').Step} step */
export const publishNpm = (step) =>
  publish(step, 'npm', [
    ...['publish', tarballOf(step), '--access', 'public', '--provenance'],
    // Nobody gets a release candidate who did not ask for one.
    ...(step.names.version.includes('-') ? ['--tag', 'next'] : []),
  ]);

await alone(import.meta.url, publishNpm);
