// `snowgauge run` as a process, with its log, server and signals.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { bundle } from './bundle.ts';
import { parseExposition, type Series } from './exposition-parser.ts';
import { valuesOf } from './watching.ts';

export interface RunProcess {
  readonly url: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code once all output has been read; null after a signal. */
  readonly exited: Promise<number | null>;
  /** The log lines so far. */
  readonly lines: () => readonly string[];
  /** Resolves when this many log lines contain the text. */
  readonly said: (text: string, times?: number) => Promise<void>;
  readonly get: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
  readonly series: () => Promise<readonly Series[]>;
  readonly values: (name: string, labels?: Readonly<Record<string, string>>) => Promise<readonly number[]>;
}

/** For a very slow machine. The interval is long because a metrics page is expensive to request. */
export const patience = { timeout: 280_000, interval: 150 };

/** Stops after the test. */
export const startRun = async (
  file: string,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<RunProcess> => {
  const args = [bundle, 'run', '--config', file, '--listen', '127.0.0.1:0', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, ...env } });
  const exited = once(child, 'close').then(([code]): number | null => code);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const lines = (): readonly string[] => text.split('\n').filter((line) => line !== '');
  const urlOf = (): string | undefined => /"url":"([^"]+)"/.exec(text)?.[1];
  let isClosed = false;
  child.once('close', () => {
    isClosed = true;
  });
  // expect.poll retries after errors, so a process that exited is reported after it, with its output.
  await expect.poll(() => isClosed || urlOf() !== undefined, patience).toBe(true);
  if (isClosed) throw new Error(`snowgauge run ended: ${text}`);
  const url = urlOf() ?? '';

  const get = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: await response.text() };
  };
  const series = async (): Promise<readonly Series[]> =>
    parseExposition((await get('/metrics')).body, 'text').flatMap((family) => family.series);
  return {
    url,
    signal: (signal) => child.kill(signal),
    exited,
    lines,
    said: async (wanted, times = 1) => {
      await expect.poll(() => lines().filter((line) => line.includes(wanted)).length, patience).toBeGreaterThanOrEqual(times);
    },
    get,
    series,
    values: async (name, labels = {}) => valuesOf(await series(), name, labels),
  };
};
