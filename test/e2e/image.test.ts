// The image, built for real: what is in it, and that it runs as a pod under "restricted" would run it.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { buildImage, containerEnv, imageName, imageObstacle, testVersion } from '../support/image.ts';
import { runTool } from '../support/run-tool.ts';
import { describeUnless } from '../support/tools.ts';

const timeout = 600_000;
const elfAarch64 = 183;
const buildah = (...args: readonly string[]) => runTool('buildah', args, { env: containerEnv });
const podman = (...args: readonly string[]) => runTool('podman', args, { env: containerEnv });

const inspected = z.object({
  OCIv1: z.object({
    architecture: z.string(),
    config: z.object({
      User: z.string(),
      StopSignal: z.string(),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      Labels: z.record(z.string(), z.string()),
    }),
  }),
});
const inspect = async (image: string) => inspected.parse(JSON.parse(await buildah('inspect', '--type', 'image', image))).OCIv1;

/** What is in the image, as a folder. */
const mounted = async (image: string): Promise<string> => {
  const container = (await buildah('from', '--pull-never', image)).trim();
  onTestFinished(async () => {
    await buildah('rm', container);
  });
  return (await buildah('mount', container)).trim();
};

const bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});

/** A container as the kubelet starts one under "restricted", on the machine's own network. */
const start = async (image: string, args: readonly string[], volumes: readonly string[] = []) => {
  const name = `snowgauge-test-${randomBytes(4).toString('hex')}`;
  const hardened = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  await podman('run', '--detach', '--name', name, ...hardened, ...volumes, '--network=host', image, ...args);
  onTestFinished(async () => {
    await podman('rm', '--force', '--time', '0', name);
  });
  // It speaks on stderr.
  const log = () => runTool('sh', ['-c', 'podman logs "$0" 2>&1', name], { env: containerEnv });
  /** Its exit code; 137 where it had to be killed after the 2 s that the kubelet gives a sidecar. */
  const stop = async (): Promise<number> => {
    await podman('stop', '--time', '2', name);
    return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', name));
  };
  return { log, stop };
};

const addressIn = async (log: () => Promise<string>): Promise<string> => {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const said = await log();
    const port = /"(?:url":"http:\/\/127\.0\.0\.1:|port":)(\d+)/.exec(said)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    if (Date.now() > deadline) throw new Error(`not serving after 2 min:\n${said}`);
    await wait(100);
  }
};

describeUnless(imageObstacle(), 'the image', () => {
  let image = '';
  beforeAll(async () => {
    image = await buildImage('image');
  }, timeout);

  test('says what it is, runs as nobody, and is asked to stop by SIGTERM', { timeout }, async () => {
    const { config } = await inspect(image);
    expect(config).toMatchObject({ User: '65532:65532', StopSignal: 'SIGTERM', Cmd: ['run'] });
    expect(config.Entrypoint[0]).toBe('/nodejs/bin/node');
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'snowgauge',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': testVersion,
    });
  });

  test('holds our program and what belongs to it: no shell, no npm, no modules', { timeout }, async () => {
    const root = await mounted(image);
    const ours = readdirSync(join(root, 'opt/snowgauge'));
    expect(ours.sort()).toEqual([
      ...['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'lib', 'sbom.cdx.json', 'snowgauge.js', 'snowgauge.js.map'],
    ]);
    const unwanted = ['sh', 'bash', 'dash', 'busybox', 'npm', 'npx', 'apt', 'dpkg'];
    const folders = ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/local/bin', 'nodejs/bin'];
    const found = folders.flatMap((folder) =>
      unwanted.map((name) => join(folder, name)).filter((path) => existsSync(join(root, path))),
    );
    expect(found).toEqual([]);
    // Nobody may change what runs, not even its own user.
    expect(statSync(join(root, 'opt/snowgauge/snowgauge.js'))).toMatchObject({ uid: 0, gid: 0 });
  });

  test('lists what is inside it: each package that the program depends on, in its version', { timeout }, async () => {
    const list = bom.parse(JSON.parse(readFileSync(join(await mounted(image), 'opt/snowgauge/sbom.cdx.json'), 'utf8')));
    const packages = z
      .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    const names = list.components.map(({ name }) => name);
    expect(list.metadata.component.name).toBe('snowgauge');
    expect(names).toEqual(expect.arrayContaining(Object.keys(packages.dependencies)));
    expect(names).not.toContain('vitest');
  });

  test('is smaller than 180 MB', { timeout }, async () => {
    expect(Number(await podman('image', 'inspect', '--format', '{{.Size}}', image))).toBeLessThan(180e6);
  });

  test.each([
    { command: 'run', args: ['run', '--listen', '127.0.0.1:0'], path: '/metrics', status: 200, text: 'snowgauge_build_info' },
    { command: 'node', args: ['node', '--http-port', '0'], path: '/ext/health/liveness', status: 200, text: '"healthy":true' },
  ])('$command starts on a read-only root without capabilities, and is gone 2 s after SIGTERM', { timeout }, async (row) => {
    const { log, stop } = await start(image, row.args);
    const url = await addressIn(log);
    const response = await fetch(new URL(row.path, url));
    expect(response.status).toBe(row.status);
    expect(await response.text()).toContain(row.text);
    expect(await stop()).toBe(0);
  });

  test.each([
    { limit: '96m', entry: undefined, heap: 64 },
    { limit: '256m', entry: undefined, heap: 171 },
    // The documented recipe for a fleet: more memory, and a command without the flags.
    { limit: '256m', entry: ['/nodejs/bin/node'], heap: 171 },
    { limit: '1g', entry: ['/nodejs/bin/node'], heap: 678 },
  ])('gives Node two thirds of the $limit that the container may have, started by $entry', { timeout }, async (row) => {
    const said = 'v8.getHeapStatistics().heap_size_limit / 2 ** 20';
    // The flags of the image, with something else to run than the program.
    const flags = (await inspect(image)).config.Entrypoint.filter((arg) => !arg.endsWith('.js'));
    const entry = JSON.stringify([...(row.entry ?? flags), '-p', said]);
    const limits = ['--memory', row.limit, '--memory-swap', row.limit, '--network=none'];
    const heap = Number((await podman('run', '--rm', ...limits, '--entrypoint', entry, image, '')).split('\n')[0]);
    // Node rounds, and counts the young generation in.
    expect(Math.abs(heap - row.heap)).toBeLessThan(0.06 * row.heap);
  });

  test('loads the addon: the node keeps its index in a folder that is a volume', { timeout }, async () => {
    const args = ['node', '--http-port', '0', '--index-enabled', '--data-dir', '/data'];
    const { log, stop } = await start(image, args, ['--tmpfs', '/data:rw,mode=1777']);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getLastAccepted', params: { encoding: 'hex' } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(new URL('/ext/index/P/block', await addressIn(log)), { method: 'POST', body, headers });
    expect(response.status).toBe(200);
    expect(await stop()).toBe(0);
  });

  test("for another platform is built of that platform's base, with its addon", { timeout }, async () => {
    // Nothing of it can run here, so the base holds nothing: what counts is what the build puts on top.
    const container = (await buildah('from', 'scratch')).trim();
    await buildah('config', '--arch', 'arm64', container);
    const { tag } = imageName('arm64');
    const base = `localhost/snowgauge/base:${tag}`;
    await buildah('commit', '--rm', container, base);
    const other = await buildImage('arm64', { base });
    expect((await inspect(other)).architecture).toBe('arm64');
    const folder = join(await mounted(other), 'opt/snowgauge/lib/prebuilds/linux-arm64');
    const machines = readdirSync(folder).map((file) => readFileSync(join(folder, file)).readUInt16LE(18));
    expect(machines).toEqual([elfAarch64]);
  });
});
