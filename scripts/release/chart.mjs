// The chart: packed with its licence, then pushed as an OCI artifact and signed.

import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { alone, capture, isInstalled, publish, say, unknownDigest, without } from './step.mjs';

/** @param {import('./step.mjs').Step} step */
const archiveOf = ({ names: { name, version }, out }) => join(out, `${name}-chart-${version}.tgz`);

/** @param {import('./step.mjs').Step} step */
export const packChart = async (step) => {
  if (!isInstalled('helm')) return without(step, 'chart', 'helm is not installed');
  const { name, version } = step.names;
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-chart-'));
  try {
    await cp(join(root, 'charts', name), join(folder, name), { recursive: true });
    await cp(join(root, 'LICENSE'), join(folder, name, 'LICENSE'));
    await capture('helm', ['lint', '--strict', join(folder, name)]);
    await capture('helm', ['package', join(folder, name), '--destination', folder]);
    const made = (await readdir(folder)).find((file) => file === `${name}-${version}.tgz`);
    if (made === undefined) throw new Error(`helm packed no ${name}-${version}.tgz`);
    await cp(join(folder, made), archiveOf(step));
  } finally {
    await rm(folder, { recursive: true });
  }
  say(`packed ${archiveOf(step)}`);
};

/** @param {import('./step.mjs').Step} step */
export const publishChart = async (step) => {
  const { name, charts } = step.names;
  const said = await publish(step, 'helm', ['push', archiveOf(step), `oci://${charts}`]);
  const digest = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(said)?.[1] ?? unknownDigest;
  if (!step.dryRun && digest === unknownDigest) throw new Error(`helm push told no digest: ${said}`);
  await publish(step, 'cosign', ['sign', '--yes', `${charts}/${name}@${digest}`]);
  await writeFile(join(step.out, 'chart.json'), `${JSON.stringify({ name: `${charts}/${name}`, digest }, null, 2)}\n`);
};

await alone(import.meta.url, publishChart);
