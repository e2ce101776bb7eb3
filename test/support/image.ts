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

/** What a build needs on this machine beside its file and its tag. `secrets` is a folder that is there as long as the build runs. */
export const buildOptions = async (secrets: string, { base: on = base }: ImageOptions = {}): Promise<readonly string[]> => {
  // The registry that npm asks here, and the certificate that it needs for that.
  const npmrc = join(secrets, 'npmrc');
  writeFileSync(npmrc, `registry=${(await runTool('npm', ['config', 'get', 'registry'])).trim()}\n`);
  const ca = process.env.NODE_EXTRA_CA_CERTS;
  const args = { BUILD_IMAGE: builder, BASE_IMAGE: on, VERSION: testVersion };
  return [
    ...['--isolation', 'chroot', '--pull-never', '--layers'],
    ...Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    ...['--secret', `id=npmrc,src=${npmrc}`, ...(ca ? ['--secret', `id=ca,src=${ca}`] : [])],
  ];
};

/** Builds the image of that name, and gives it. What has not changed since the last time is not built again. */
export const buildImage = async (purpose: string, options: ImageOptions = {}): Promise<string> => {
  const { repository, tag } = imageName(purpose);
  const name = `${repository}:${tag}`;
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-image-'));
  try {
    const more = await buildOptions(folder, options);
    await runTool('buildah', ['bud', ...more, '--file', 'deploy/container/Dockerfile', '--tag', name, '.'], {
      cwd: root,
      env: containerEnv,
      timeoutMs: 600_000,
    });
    return name;
  } finally {
    rmSync(folder, { recursive: true });
  }
};
