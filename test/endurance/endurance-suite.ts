// Starts an endurance run in its own process, so that its memory can be measured, and checks its result. Each uses one processor, so
// the tests of a file run concurrently.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, type TestContext, test } from 'vitest';
import * as z from 'zod/mini';
import { browserText } from '../../scripts/browser.mjs';
import type { Length } from './endure.ts';

const result = z.object({
  quarters: z.array(z.record(z.string(), z.number())),
  counts: z.record(z.string(), z.number()),
  faults: z.array(z.string()),
});

export interface Endurance extends Omit<Length, 'stateDir'> {
  readonly run: 'year' | 'week';
}

export const testEndurance = (title: string, { run, ...length }: Endurance, timeout: number): void =>
  test.concurrent(title, { timeout }, async (context) => {
    const stateDir = await mkdtemp(join(tmpdir(), 'snowgauge-endurance-'));
    context.onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
    const { quarters, counts, faults } = await ended(context, await bundled(run), { ...length, stateDir });
    console.table(quarters);
    console.table([counts]);
    expect(faults).toEqual([]);
  });

const root = fileURLToPath(new URL('../..', import.meta.url));

/** In dist, so that it can import from node_modules. */
const bundled = async (run: Endurance['run']): Promise<string> => {
  const outfile = join(root, 'dist', 'endurance', `${run}.js`);
  await build({
    entryPoints: [join(root, 'test', 'endurance', `${run}-process.ts`)],
    ...{ outfile, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', packages: 'external' },
    sourcemap: 'inline',
    plugins: [browserText],
    logLevel: 'warning',
  });
  return outfile;
};

const ended = async ({ onTestFinished }: TestContext, file: string, length: Length): Promise<z.infer<typeof result>> => {
  const args = ['--expose-gc', '--enable-source-maps', file, JSON.stringify(length)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return result.parse(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''));
};
