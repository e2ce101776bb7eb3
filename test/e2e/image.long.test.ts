// The image for another platform, and with more memory.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildImage, imageName, imageObstacle } from '../support/image.ts';
import { describeUnless } from '../support/tools.ts';
import { buildah, hasHeap, inspect, mounted } from './image-parts.ts';

const timeout = 600_000;
const elfAarch64 = 183;

describeUnless(imageObstacle(), 'the image', () => {
  let image = '';
  beforeAll(async () => {
    image = await buildImage('image');
  }, timeout);

  test.each([
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
