// The image, built from deploy/container/Dockerfile on stand-ins for its bases (.ci/tools/images.sh).

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './run-tool.ts';
import { toolPath } from './tools.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const base = 'localhost/snowgauge/distroless';
const builder = 'localhost/snowgauge/slim';
/** Stand-ins for the bases of the Dockerfile, by its arguments. */
export const imageBases = { BUILD_IMAGE: builder, BASE_IMAGE: base } as const;

/** For podman and buildah. */
export const containerEnv: NodeJS.ProcessEnv = {
  ...process.env,
  CONTAINERS_CONF: fileURLToPath(new URL('containers.conf', import.meta.url)),
};

/** Why no image can be built here, if so. */
export const imageObstacle = (): string | undefined => {
  const missing = ['buildah', 'podman', 'runc'].filter((tool) => toolPath(tool) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const absent = [base, builder].filter((name) => spawnSync('buildah', ['inspect', '--type', 'image', name]).status !== 0);
  return absent.length === 0 ? undefined : `no image ${absent.join(', ')}: .ci/tools/images.sh makes them`;
};

/**
 * Of every image that tests build: for buildah's cache of layers a label that an argument fills is the same whatever it is filled
 * with, so an image of another version would be taken for this one.
 */
export const testVersion = '0.0.0-test';

export interface ImageOptions {
  /** What it is put on, and so the platform that it is for. */
  readonly base?: string;
}

/** The images of one clone: another clone's run on this machine must not put its own in their place. */
const ours = createHash('sha256').update(root).digest('hex').slice(0, 8);

/** What `buildImage` calls the image of a purpose, in the two parts of which charts make a name. */
export const imageName = (purpose: string) => ({ repository: 'localhost/snowgauge/snowgauge', tag: `${purpose}-${ours}` });

/** What a build needs on this machine: no registry of images, and the one of npm with the certificate for it. */
export const buildFlags = async (): Promise<{ readonly flags: readonly string[]; readonly remove: () => void }> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-image-'));
  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, `registry=${(await runTool('npm', ['config', 'get', 'registry'])).trim()}\n`);
  const ca = process.env.NODE_EXTRA_CA_CERTS;
  return {
    flags: ['--pull-never', '--secret', `id=npmrc,src=${npmrc}`, ...(ca ? ['--secret', `id=ca,src=${ca}`] : [])],
    remove: () => rmSync(folder, { recursive: true }),
  };
};

/** Beside its file and its tag, as tests build it. */
export const buildOptions = ({ base: on = base }: ImageOptions = {}): readonly string[] => [
  ...['--isolation', 'chroot', '--layers'],
  ...Object.entries({ ...imageBases, BASE_IMAGE: on, VERSION: testVersion }).flatMap(([key, value]) => [
    '--build-arg',
    `${key}=${value}`,
  ]),
];

/** Builds the image of that name, and gives it. What has not changed since the last time is not built again. */
export const buildImage = async (purpose: string, options: ImageOptions = {}): Promise<string> => {
  const { repository, tag } = imageName(purpose);
  const name = `${repository}:${tag}`;
  const { flags, remove } = await buildFlags();
  try {
    const more = [...buildOptions(options), ...flags];
    await runTool('buildah', ['bud', ...more, '--file', 'deploy/container/Dockerfile', '--tag', name, '.'], {
      cwd: root,
      env: containerEnv,
      timeoutMs: 600_000,
    });
    return name;
  } finally {
    remove();
  }
};
