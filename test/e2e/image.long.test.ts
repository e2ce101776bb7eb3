// A real build of the image: its files, that it runs as in a pod under "restricted", with more memory, and a build for another
// platform.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { buildImage, containerEnv, imageName, imageObstacle, testVersion } from '../support/image.ts';
import { runTool } from '../support/run-tool.ts';
import { describeUnless } from '../support/tools.ts';
import { buildah, hasHeap, inspect, mounted, podman } from './image-parts.ts';

const timeout = 600_000;
const elfAarch64 = 183;
const bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});

/** A container as the kubelet starts one under "restricted", on the host network. */
const start = async (image: string, args: readonly string[], volumes: readonly string[] = []) => {
  const name = `snowgauge-test-${randomBytes(4).toString('hex')}`;
  const hardened = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  await podman('run', '--detach', '--name', name, ...hardened, ...volumes, '--network=host', image, ...args);
  onTestFinished(async () => {
    await podman('rm', '--force', '--time', '0', name);
  });
  // The log is on stderr.
  const log = () => runTool('sh', ['-c', 'podman logs "$0" 2>&1', name], { env: containerEnv });
  /** Returns the exit code; 137 if it had to be killed, by default after the 2 s that the kubelet gives a sidecar. */
  const stop = async (seconds = 2): Promise<number> => {
    await podman('stop', '--time', `${seconds}`, name);
    return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', name));
  };
  return { log, stop };
};

const addressIn = async (log: () => Promise<string>): Promise<string> => {
  const deadline = Date.now() + 280_000;
  for (;;) {
    const said = await log();
    const port = /"(?:url":"http:\/\/127\.0\.0\.1:|port":)(\d+)/.exec(said)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    if (Date.now() > deadline) throw new Error(`not serving after 280 s:\n${said}`);
    await wait(100);
  }
};

describeUnless(imageObstacle(), 'the image', () => {
  let image = '';
  beforeAll(async () => {
    image = await buildImage('image');
  }, timeout);

  test('has OCI labels, runs as user 65532, and stops on SIGTERM', { timeout }, async () => {
    const { config } = await inspect(image);
    expect(config).toMatchObject({ User: '65532:65532', StopSignal: 'SIGTERM', Cmd: ['run'] });
    expect(config.Entrypoint[0]).toBe('/nodejs/bin/node');
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'snowgauge',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': testVersion,
    });
  });

  test('contains only the program and its files: no shell, no npm, no modules', { timeout }, async () => {
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
    // Its own user cannot change the program.
    expect(statSync(join(root, 'opt/snowgauge/snowgauge.js'))).toMatchObject({ uid: 0, gid: 0 });
  });

  test('has an SBOM with each dependency of the program', { timeout }, async () => {
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
  ])('$command starts on a read-only root without capabilities, and ends within 2 s of SIGTERM', { timeout }, async (row) => {
    const ended = async (): Promise<number> => {
      const { log, stop } = await start(image, row.args);
      const url = await addressIn(log);
      const response = await fetch(new URL(row.path, url));
      expect(response.status).toBe(row.status);
      expect(await response.text()).toContain(row.text);
      return stop();
    };
    let code = await ended();
    // On a machine that stalls it may be killed.
    for (let again = 0; code === 137 && again < 4; again += 1) code = await ended();
    expect(code).toBe(0);
  });

  test('loads the native addon: the node stores its index in a volume', { timeout }, async () => {
    const args = ['node', '--http-port', '0', '--index-enabled', '--data-dir', '/data'];
    const { log, stop } = await start(image, args, ['--tmpfs', '/data:rw,mode=1777']);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getLastAccepted', params: { encoding: 'hex' } });
    const headers = { 'content-type': 'application/json' };
    const url = new URL('/ext/index/P/block', await addressIn(log));
    // There is no result until it has accepted a block.
    const answered = async (): Promise<string> => (await fetch(url, { method: 'POST', body, headers })).text();
    await expect.poll(answered).toContain('"result"');
    expect(await stop(60)).toBe(0);
  });

  test.each([
    { limit: '96m', entry: undefined, heap: 64 },
    { limit: '256m', entry: undefined, heap: 171 },
    // The documented recipe for a fleet: more memory, and a command without the flags.
    { limit: '256m', entry: ['/nodejs/bin/node'], heap: 171 },
    { limit: '1g', entry: ['/nodejs/bin/node'], heap: 678 },
  ])('gives Node.js a heap of two thirds of the memory limit $limit, started by $entry', { timeout }, (row) =>
    hasHeap(image, row.limit, row.heap, row.entry),
  );

  test("for another platform is built from that platform's base image, with its addon", { timeout }, async () => {
    // It cannot run here, so the base image is empty: only the files that the build adds matter.
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
