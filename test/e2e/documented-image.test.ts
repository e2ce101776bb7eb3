// The first commands of docs/kubernetes.md and docs/container.md, except those that build an image, which documented-image.long.test.ts
// runs. Shell functions adapt them for a machine without a cluster.

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandBlocks, commandsUnder, document } from '../support/documented.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';

const root = join(import.meta.dirname, '../..');
const [, load = '', install = ''] = commandsUnder(document('docs/kubernetes.md'), 'Before an image is published');
const [container = '', docker = ''] = commandBlocks(document('docs/container.md'));
const [, podmanRun = ''] = container.split('\n');

/** Working directory of the commands. */
let clone = '';
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'snowgauge-documented-'));
  symlinkSync(join(root, 'charts'), join(clone, 'charts'));
});
afterAll(() => rmSync(clone, { recursive: true }));

const shell = (commands: string, functions: string) =>
  runTool('bash', ['--norc', '-euc', `${functions}\n${commands}`], { cwd: clone });

describe('commands that need a cluster or Docker', () => {
  test('load the archive with the commands of kind, k3s and minikube', () => {
    const file = 'snowgauge.tar';
    expect(load.split('\n')).toEqual([
      ...[`kind load image-archive ${file}`, `k3s ctr images import ${file}`, `minikube image load ${file}`],
    ]);
  });

  test('build with Docker from the same file and run with the same restrictions as Podman', () => {
    const [dockerBuild = '', dockerRun = ''] = docker.split('\n');
    expect(dockerBuild).toMatch(/^docker build -f deploy\/container\/Dockerfile -t snowgauge:[\d.]+ .* \.$/);
    expect(dockerRun.replace(/^docker|snowgauge:[\d.]+$/g, '')).toBe(podmanRun.replace(/^podman|localhost\/snowgauge:dev$/g, ''));
  });
});

describeWith(['helm'], 'the helm commands of docs/kubernetes.md', (helm = '') => {
  test('install the chart of the clone with the image of the archive', async () => {
    // Renders the objects instead of sending them to a cluster.
    const functions = `helm() { if [ "$1" = install ]; then shift; '${helm}' template "$@"; fi; }`;
    const images = Array.from((await shell(install, functions)).matchAll(/^\s*image: "?([^"\s]+)"?$/gm), ([, image]) => image);
    expect(images.length).toBeGreaterThan(1);
    expect([...new Set(images)]).toEqual(['localhost/snowgauge:dev']);
  });
});
