// A built image: its metadata, its files, and the heap size from its flags.

import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { containerEnv } from '../support/image.ts';
import { runTool } from '../support/run-tool.ts';

export const buildah = (...args: readonly string[]) => runTool('buildah', args, { env: containerEnv });
export const podman = (...args: readonly string[]) => runTool('podman', args, { env: containerEnv });

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
export const inspect = async (image: string) =>
  inspected.parse(JSON.parse(await buildah('inspect', '--type', 'image', image))).OCIv1;

/** A folder with the files of the image. */
export const mounted = async (image: string): Promise<string> => {
  const container = (await buildah('from', '--pull-never', image)).trim();
  onTestFinished(async () => {
    await buildah('rm', container);
  });
  return (await buildah('mount', container)).trim();
};

/** `expected`: heap size in MiB in a container with this memory limit, started with the image's flags or with this entry point. */
export const hasHeap = async (image: string, limit: string, expected: number, entry?: readonly string[]): Promise<void> => {
  const said = 'v8.getHeapStatistics().heap_size_limit / 2 ** 20';
  // The flags of the image without the program.
  const flags = (await inspect(image)).config.Entrypoint.filter((arg) => !arg.endsWith('.js'));
  const entrypoint = JSON.stringify([...(entry ?? flags), '-p', said]);
  const limits = ['--memory', limit, '--memory-swap', limit, '--network=none'];
  const heap = Number((await podman('run', '--rm', ...limits, '--entrypoint', entrypoint, image, '')).split('\n')[0]);
  // Node.js rounds, and includes the young generation.
  expect(Math.abs(heap - expected)).toBeLessThan(0.06 * expected);
};
