// The chart: packed with its licence, then pushed as an OCI artifact and signed.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { alone, capture, captureAll, ifPublished, isInstalled, publish, say, unknownDigest, without } from './step.mjs';

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
  const digest = (step.dryRun ? undefined : await publishedChart(step)) ?? (await pushChart(step));
  await publish(step, 'cosign', ['sign', '--yes', `${charts}/${name}@${digest}`]);
  await writeFile(join(step.out, 'chart.json'), `${JSON.stringify({ name: `${charts}/${name}`, digest }, null, 2)}\n`);
};

/**
 * @param {import('./step.mjs').Step} step
 * @returns {Promise<string>} the digest
 */
const pushChart = async (step) => {
  const said = await publish(step, 'helm', ['push', archiveOf(step), `oci://${step.names.charts}`]);
  const digest = digestIn(said) ?? unknownDigest;
  if (!step.dryRun && digest === unknownDigest) throw new Error(`helm push told no digest: ${said}`);
  return digest;
};

/** @param {string} said the output of helm push or pull */
const digestIn = (said) => /^Digest: (sha256:[0-9a-f]{64})$/m.exec(said)?.[1];

/**
 * The chart that an earlier, failed run has pushed: a second push of the same files would have another digest. The pushed chart
 * is the released one from then on.
 * @param {import('./step.mjs').Step} step
 * @returns {Promise<string | undefined>} the digest
 */
const publishedChart = async (step) => {
  const { name, version, charts } = step.names;
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-published-'));
  try {
    const pull = ['pull', `oci://${charts}/${name}`, '--version', version, '--destination', folder];
    const said = await ifPublished(captureAll('helm', pull));
    if (said === undefined) return undefined;
    const digest = digestIn(said);
    if (digest === undefined) throw new Error(`helm pull told no digest: ${said}`);
    const pulled = join(folder, `${name}-${version}.tgz`);
    if (!(await areSameFiles(folder, pulled, archiveOf(step))))
      throw new Error(`${charts}/${name}:${version} is published with other files, and versions are not replaced`);
    await cp(pulled, archiveOf(step));
    say(`${charts}/${name}:${version} is published already, with the same files: it is not pushed again`);
    return digest;
  } finally {
    await rm(folder, { recursive: true });
  }
};

/**
 * Compares files, because an archive contains its creation time.
 * @param {string} folder
 * @param {readonly string[]} archives
 */
const areSameFiles = async (folder, ...archives) => {
  const trees = await Promise.all(
    archives.map(async (archive, place) => {
      const tree = join(folder, `${place}`);
      await mkdir(tree);
      await capture('tar', ['-xzf', archive, '-C', tree]);
      const entries = await readdir(tree, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const read = files.sort().map(async (file) => [file.slice(tree.length), await readFile(file, 'base64')]);
      return JSON.stringify(await Promise.all(read));
    }),
  );
  return new Set(trees).size === 1;
};

await alone(import.meta.url, publishChart);
