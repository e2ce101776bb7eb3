// Runs the first commands of docs/kubernetes.md and docs/container.md: they build the image, save it as an archive for a cluster, and
// run it. Shell functions adapt them for a machine without a registry.

import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { commandBlocks, commandsUnder, document } from '../support/documented.ts';
import { buildFlags, buildOptions, containerEnv, imageObstacle } from '../support/image.ts';
import { runTool } from '../support/run-tool.ts';
import { describeUnless } from '../support/tools.ts';
import { until } from '../support/until.ts';

const timeout = 600_000;
const root = join(import.meta.dirname, '../..');
const [build = ''] = commandsUnder(document('docs/kubernetes.md'), 'Before an image is published');
const [container = ''] = commandBlocks(document('docs/container.md'));
const [buildAgain = '', podmanRun = ''] = container.split('\n');

/** Working directory of the commands: has the part of the clone that a build reads. */
let clone = '';
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'snowgauge-documented-'));
  symlinkSync(join(root, 'deploy'), join(clone, 'deploy'));
});
afterAll(() => rmSync(clone, { recursive: true }));

const shell = (commands: string, functions = '') =>
  runTool('bash', ['--norc', '-euc', `${functions}\n${commands}`], { cwd: clone, env: containerEnv, timeoutMs: timeout });

describeUnless(imageObstacle(), 'the commands of docs/kubernetes.md and docs/container.md', () => {
  beforeAll(async () => {
    const { flags, remove } = await buildFlags();
    const more = [...buildOptions(), ...flags];
    const functions = `buildah() { if [ "$1" = build ]; then shift; command buildah build ${more.join(' ')} "$\{@:1:$#-1}" '${root}'; else command buildah "$@"; fi; }`;
    try {
      await shell(build, functions);
    } finally {
      remove();
    }
  }, timeout);

  test('build an image and save it in the archive under the name that the chart uses', { timeout }, async () => {
    expect(buildAgain).toBe(build.split('\n')[0]);
    expect(existsSync(join(clone, 'snowgauge.tar'))).toBe(true);
    const [manifest] = z
      .array(z.object({ RepoTags: z.array(z.string()) }))
      .parse(JSON.parse(await shell('tar -xOf snowgauge.tar manifest.json')));
    expect(manifest?.RepoTags).toEqual(['localhost/snowgauge:dev']);
  });

  test('run the image, which then serves /livez', { timeout }, async () => {
    const name = `snowgauge-documented-${process.pid}`;
    onTestFinished(async () => {
      await shell(`podman rm --force --time 0 ${name}`);
    });
    // On the host network, at a free port.
    const functions = `podman() { shift; command podman run --detach --name ${name} --network host -e SNOWGAUGE_LISTEN_PORT=0 "$@"; }`;
    await shell(podmanRun, functions);
    const url = await until('it serves', async () => /"url":"([^"]+)"/.exec(await shell(`podman logs ${name} 2>&1`))?.[1]);
    expect((await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/livez`)).status).toBe(200);
  });
});
