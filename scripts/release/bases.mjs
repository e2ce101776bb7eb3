// The two images that deploy/container/Dockerfile builds and runs on, by digest: what a tag means today is another thing tomorrow.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { imageMajor } from '../node-versions.mjs';
import { capture, isInstalled } from './step.mjs';

/**
 * @typedef {object} Base
 * @property {'BUILD_IMAGE' | 'BASE_IMAGE'} arg of the Dockerfile
 * @property {string} name as requested
 * @property {string} pinned with its digest
 */

/**
 * @param {import('./step.mjs').Step} step
 * @returns {Promise<readonly Base[]>}
 */
export const resolveBases = async ({ buildImage, baseImage }) => {
  const dockerfile = await readFile(join(root, 'deploy/container/Dockerfile'), 'utf8');
  /** @param {string} arg */
  const written = (arg) => {
    const found = new RegExp(`^ARG ${arg}=(\\S+)$`, 'm').exec(dockerfile)?.[1];
    if (found === undefined) throw new Error(`deploy/container/Dockerfile has no ARG ${arg}=`);
    return found.replace('${' + 'NODE_MAJOR}', imageMajor);
  };
  const names = /** @type {const} */ ({ BUILD_IMAGE: buildImage, BASE_IMAGE: baseImage });
  return Promise.all(
    Object.entries(names).map(async ([arg, given]) => {
      const name = given ?? written(arg);
      return { arg: arg === 'BUILD_IMAGE' ? arg : 'BASE_IMAGE', name, pinned: await pin(name) };
    }),
  );
};

/**
 * @param {string} name
 * @returns {Promise<string>} name:tag@sha256:…, of the multi-platform index if there is one
 */
const pin = async (name) => {
  if (/@sha256:[0-9a-f]{64}$/.test(name)) return name;
  const asked = [];
  for (const [tool, digestOf] of Object.entries(resolvers)) {
    if (!isInstalled(tool)) continue;
    try {
      const digest = await digestOf(name);
      if (/^sha256:[0-9a-f]{64}$/.test(digest)) return `${name}@${digest}`;
      asked.push(`${tool} said ${digest}`);
    } catch (error) {
      // The whole output, because the last line may only point to the help.
      asked.push(String(error instanceof Error ? error.message : error).replaceAll(/\s*\n\s*/g, ' '));
    }
  }
  throw new Error(
    `the digest of ${name} cannot be found: ${asked.join('; ') || 'neither docker, skopeo nor buildah is installed'}`,
  );
};

/** @type {Readonly<Record<string, (name: string) => Promise<string>>>} */
const resolvers = {
  docker: async (name) =>
    JSON.parse(await capture('docker', ['buildx', 'imagetools', 'inspect', name, '--format', '{{json .Manifest}}'])).digest,
  skopeo: async (name) => digest(await capture('skopeo', ['inspect', '--raw', `docker://${name}`])),
  // An image on this machine: a loaded mirror, or the stand-ins of .ci/tools/images.sh.
  buildah: async (name) => (await capture('buildah', ['images', '--format', '{{.Digest}}', name])).trim(),
};

/** @param {string} manifest as in the registry, byte for byte */
const digest = (manifest) => `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
