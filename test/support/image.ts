// Builds the image from deploy/container/Dockerfile on stand-ins for its base images (.ci/tools/images.sh).

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
/** Stand-ins for the base images, by build argument. */
export const imageBases = { BUILD_IMAGE: builder, BASE_IMAGE: base } as const;

/** The environment of podman and buildah. */
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
 * The version of every image that tests build: buildah's layer cache ignores the value of an argument in a label, so that an
 * image of another version would be reused for this one.
 */
export const testVersion = '0.0.0-test';

export interface ImageOptions {
  /** The base image, which determines the platform. */
  readonly base?: string;
}

/** The images of this clone, so that test runs of another clone on this machine do not replace them. */
const ours = createHash('sha256').update(root).digest('hex').slice(0, 8);

/** The name of the image that `buildImage` builds for a purpose, split as in the values of the chart. */
export const imageName = (purpose: string) => ({ repository: 'localhost/snowgauge/snowgauge', tag: `${purpose}-${ours}` });

/** What a build needs here: no image registry, and the npm registry with its CA certificate. */
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

/** The options besides file and tag. */
export const buildOptions = ({ base: on = base }: ImageOptions = {}): readonly string[] => [
  ...['--isolation', 'chroot', '--layers'],
  ...Object.entries({ ...imageBases, BASE_IMAGE: on, VERSION: testVersion }).flatMap(([key, value]) => [
    '--build-arg',
    `${key}=${value}`,
  ]),
];

/** Builds the image and returns its name. Unchanged layers come from the cache. */
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
