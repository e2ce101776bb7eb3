// The image for amd64 and arm64, on bases by digest. A release pushes it with an SBOM and provenance, both made by the builder, and signs
// it; a dry run keeps it as an archive. The list of parts (CycloneDX) that the image carries is an artifact of its own too.

import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveBases } from './bases.mjs';
import { headCommit, publishedImage } from './published.mjs';
import { alone, capture, isInstalled, publish, say, without } from './step.mjs';

const platforms = 'linux/amd64,linux/arm64';
/** Docker's default builder supports neither attestations nor two platforms. */
const name = `snowgauge-release-${process.pid}`;
const buildx = ['buildx', 'build', '--builder', name];

/** @typedef {import('./step.mjs').Step} Step */

/** @param {Step} step */
export const releaseImage = async (step) => {
  const builder = await startBuilder(step);
  if (builder === undefined) return without(step, 'image', 'neither docker with buildx nor buildah can build one');
  try {
    const published = step.dryRun ? undefined : await publishedImage(step);
    const { image, version } = step.names;
    if (published !== undefined) await copyPartsList(step, `${image}@${published.digest}`);
    const made = published ?? (await buildImage(step, builder));
    if (made === undefined) return;
    await signImage(step, `${image}@${made.digest}`);
    await writeFile(join(step.out, 'image.json'), `${JSON.stringify({ name: `${image}:${version}`, ...made }, null, 2)}\n`);
  } finally {
    if (builder === 'docker') await capture('docker', ['buildx', 'rm', name]);
  }
};

/**
 * @param {Step} step
 * @param {'docker' | 'buildah'} builder
 * @returns {Promise<import('./published.mjs').Made | undefined>}
 */
const buildImage = async (step, builder) => {
  const bases = await resolveBases(step).catch((error) => without(step, 'image', error.message));
  if (bases === undefined) return undefined;
  for (const { arg, pinned } of bases) say(`${arg} is ${pinned}`);
  const args = await buildArgs(step, bases);
  await writePartsList(step, builder, args);
  const tagged = `${step.names.image}:${step.names.version}`;
  return { digest: builder === 'docker' ? await withBuildx(step, tagged, args) : await withBuildah(step, tagged, args), bases };
};

/**
 * Buildah is used in a dry run without a working Docker.
 * @param {Step} step
 * @returns {Promise<'docker' | 'buildah' | undefined>}
 */
const startBuilder = async ({ dryRun }) => {
  try {
    // The first checks the daemon, the second buildx.
    await capture('docker', ['version', '--format', '{{.Server.Version}}']);
    await capture('docker', ['buildx', 'create', '--name', name, '--driver', 'docker-container', '--bootstrap']);
    return 'docker';
  } catch (error) {
    const why = `docker cannot build the image: ${error instanceof Error ? error.message : error}\nTo mend it: ${remedyOf(String(error))}`;
    if (!dryRun) throw new Error(why);
    say(why);
    return isInstalled('buildah') ? 'buildah' : undefined;
  }
};

/** @param {string} error the output of docker, or why there is none */
const remedyOf = (error) => {
  if (error.includes('ENOENT')) return 'install Docker with buildx';
  if (error.includes('permission denied')) return 'let this user use the daemon (group docker), or use a rootless one';
  if (/unknown (?:command|flag)|is not a docker command/.test(error)) return 'install the plugin buildx (docker-buildx-plugin)';
  return 'start the daemon (systemctl start docker), or name one that runs (DOCKER_HOST, docker context use); `docker version` must show a server';
};

/**
 * @param {Step} step
 * @param {readonly import('./bases.mjs').Base[]} bases
 * @returns {Promise<readonly string[]>}
 */
const buildArgs = async ({ names, imageFlags }, bases) => {
  const [revision, created] = await headCommit();
  const args = {
    ...Object.fromEntries(bases.map(({ arg, pinned }) => [arg, pinned])),
    VERSION: names.version,
    REVISION: revision,
    CREATED: created,
  };
  const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  return ['--file', 'deploy/container/Dockerfile', ...given, ...imageFlags];
};

/** @param {Step} step */
const partsList = ({ names: { name, version }, out }) => join(out, `${name}-${version}.cdx.json`);

/**
 * @param {Step} step
 * @param {'docker' | 'buildah'} builder
 * @param {readonly string[]} args
 */
const writePartsList = async (step, builder, args) => {
  const build = builder === 'docker' ? buildx : ['build', '--layers'];
  await capture(builder, [...build, ...args, '--target', 'sbom', '--output', `type=local,dest=${step.out}`, '.']);
  await rename(join(step.out, 'sbom.cdx.json'), partsList(step));
  say(`wrote ${partsList(step)}`);
};

/**
 * Copies the SBOM from the image.
 * @param {Step} step
 * @param {string} image with its digest
 */
const copyPartsList = async (step, image) => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-parts-'));
  try {
    await writeFile(join(folder, 'Dockerfile'), `FROM scratch\nCOPY --from=${image} /opt/snowgauge/sbom.cdx.json /\n`);
    await capture('docker', [...buildx, '--output', `type=local,dest=${step.out}`, folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
  await rename(join(step.out, 'sbom.cdx.json'), partsList(step));
  say(`wrote ${partsList(step)}`);
};

/**
 * @param {string} tagged
 * @param {readonly string[]} args
 */
const releaseBuild = (tagged, args) => [
  ...[...buildx, '--platform', platforms, ...args],
  ...['--sbom=true', '--provenance=mode=max', '--tag', tagged],
];

/**
 * @param {Step} step
 * @param {string} tagged
 * @param {readonly string[]} args
 * @returns {Promise<string>} the digest
 */
const withBuildx = async (step, tagged, args) => {
  const metadata = join(step.out, 'buildx.json');
  const build = [...releaseBuild(tagged, args), '--metadata-file', metadata];
  if (step.dryRun) {
    await capture('docker', [...build, '--output', `type=oci,dest=${archiveOf(step)}`, '.']);
    say(`built ${archiveOf(step)}`);
  }
  await publish(step, 'docker', [...build, '--push', '.']);
  const { 'containerimage.digest': digest } = JSON.parse(await readFile(metadata, 'utf8'));
  await rm(metadata);
  return digest;
};

/** @param {Step} step */
const archiveOf = ({ names: { name, version }, out }) => join(out, `${name}-image-${version}.tar`);

/**
 * Builds for the platform of this machine without attestations, and prints what a release would run instead.
 * @param {Step} step
 * @param {string} tagged
 * @param {readonly string[]} args
 * @returns {Promise<string>} the digest
 */
const withBuildah = async (step, tagged, args) => {
  const local = `localhost/dry-run/${step.names.name}:${step.names.version}-${process.pid}`;
  const digestFile = join(step.out, 'digest');
  await rm(archiveOf(step), { force: true });
  await capture('buildah', ['build', '--layers', ...args, '--tag', local, '.']);
  try {
    await capture('buildah', ['push', '--digestfile', digestFile, local, `oci-archive:${archiveOf(step)}:${step.names.version}`]);
  } finally {
    await capture('buildah', ['rmi', local]);
  }
  without(step, 'image for other platforms, its provenance and its SBOM', 'only docker buildx makes them, this is buildah');
  say(`built ${archiveOf(step)}`);
  await publish(step, 'docker', [...releaseBuild(tagged, args), '--push', '.']);
  const digest = (await readFile(digestFile, 'utf8')).trim();
  await rm(digestFile);
  return digest;
};

/**
 * Signs the image of each platform and its attestations too. Keyless: the certificate names this workflow.
 * @param {Step} step
 * @param {string} image with its digest
 */
const signImage = async (step, image) => {
  await publish(step, 'cosign', ['sign', '--yes', '--recursive', image]);
  await publish(step, 'cosign', ['attest', '--yes', '--type', 'cyclonedx', '--predicate', partsList(step), image]);
};

await alone(import.meta.url, releaseImage);
