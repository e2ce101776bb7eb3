// The image that a run before this one has pushed, and failed behind: a second build would have another digest. Made of the commit that is
// released, it is what is released; made of another it is somebody's, and stays.

import { capture, ifPublished, say } from './step.mjs';

/**
 * @typedef {object} Made
 * @property {string} digest
 * @property {readonly import('./bases.mjs').Base[]} bases
 */

/**
 * @param {import('./step.mjs').Step} step
 * @returns {Promise<Made | undefined>}
 */
export const publishedImage = async (step) => {
  const { image, version } = step.names;
  const tagged = `${image}:${version}`;
  /** @param {string} of @returns {Promise<any>} */
  const inspect = async (of) =>
    JSON.parse(await capture('docker', ['buildx', 'imagetools', 'inspect', tagged, '--format', `{{json .${of}}}`]));
  const manifest = await ifPublished(inspect('Manifest'));
  if (manifest === undefined) return undefined;
  // By platform if there are several.
  const found = await inspect('Image');
  const labels = ('config' in found ? [found] : Object.values(found)).map(({ config }) => config?.Labels ?? {});
  const [revision] = await headCommit();
  const others = labels.map((own) => own['org.opencontainers.image.revision']).filter((own) => own !== revision);
  if (labels.length === 0 || others.length > 0)
    throw new Error(`${tagged} is published, made of ${others[0]} and not of ${revision}: versions are not replaced`);
  say(`${tagged} is published already, made of this commit: ${manifest.digest} is not pushed again`);
  return {
    digest: manifest.digest,
    bases: [
      { arg: 'BUILD_IMAGE', ...baseIn(labels[0][builtOn]) },
      { arg: 'BASE_IMAGE', ...baseIn(labels[0]['org.opencontainers.image.base.name']) },
    ],
  };
};

/** The Dockerfile's label for the build image. */
const builtOn = 'io.snowgauge.image.build.name';

/** @param {string} pinned */
const baseIn = (pinned) => ({ name: pinned.replace(/@.*/, ''), pinned });

/** @returns {Promise<readonly [revision: string, at: string]>} */
export const headCommit = async () => {
  const [revision = '', at = ''] = (await capture('git', ['show', '--no-patch', '--format=%H %cI', 'HEAD'])).trim().split(' ');
  return [revision, at];
};
