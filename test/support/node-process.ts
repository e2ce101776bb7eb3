// `snowgauge node` as a process that tests can kill.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Container } from '../../src/protocol/container.ts';
import { maxFetchedByRange } from '../../src/protocol/container.ts';
import { type IndexName, indexNames } from '../../src/protocol/paths.ts';
import { bundle } from './bundle.ts';

export interface NodeProcess {
  readonly pid: number | undefined;
  /** The port once it listens; rejects if the process exits first. */
  readonly port: Promise<number>;
  /** Resolves with the exit code, null after a signal. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>;
  readonly said: () => string;
}

/** `flags` are those of V8 and Node.js. */
export const startNodeProcess = (dataDir: string, args: readonly string[], flags: readonly string[] = []): NodeProcess => {
  const own = ['node', '--http-port', '0', '--index-enabled', '--data-dir', dataDir];
  const child = spawn(process.execPath, [...flags, bundle, ...own, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  let text = '';
  const port = new Promise<number>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, digits] = /"port":(\d+)/.exec(text) ?? [];
      if (digits !== undefined) resolve(Number(digits));
    });
    exited.then(() => reject(new Error(`the node ended before it listened: ${text}`)), reject);
  });
  // Most processes are killed before anyone awaits it.
  port.catch(() => undefined);
  return {
    pid: child.pid,
    port,
    said: () => text,
    end: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
};

export const clientOf = (port: number): Client =>
  createClient(
    { baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 60_000, maxBodyBytes: 64 * 1024 * 1024, userAgent: 'snowgauge/test' },
    () => Date.now() / 1000,
  );

/** The number of the newest container in the index; -1 if it is empty or does not respond. */
export const lastShown = async (client: Client, name: IndexName, signal: AbortSignal): Promise<number> => {
  const { outcome } = await client.indexRpc(name, 'index.getLastAccepted', {}, signal);
  return outcome.kind === 'ok' ? Number(outcome.value.index) : -1;
};

/** Reports the newest container of each index repeatedly, until the signal aborts or the node ends. */
export const watchHeads = async (
  { port }: NodeProcess,
  onShown: (name: IndexName, last: number) => void,
  signal: AbortSignal,
): Promise<void> => {
  const [opened] = await Promise.allSettled([port]);
  if (opened.status === 'rejected') return;
  const client = clientOf(opened.value);
  while (!signal.aborted) {
    for (const name of indexNames) onShown(name, await lastShown(client, name, signal));
    await Promise.allSettled([sleep(40, undefined, { signal })]);
  }
  client.close();
};

/** All containers of an index up to the newest at the start of the call. */
export const readWhole = async (client: Client, name: IndexName, signal: AbortSignal): Promise<readonly Container[]> => {
  const last = await lastShown(client, name, signal);
  const found: Container[] = [];
  while (found.length <= last) {
    const wanted = Math.min(maxFetchedByRange, last + 1 - found.length);
    const params = { startIndex: BigInt(found.length), numToFetch: BigInt(wanted) };
    const { outcome } = await client.indexRpc(name, 'index.getContainerRange', params, signal);
    if (outcome.kind !== 'ok') throw new Error(`${name} from ${found.length}: ${JSON.stringify(outcome)}`);
    if (outcome.value.length === 0) throw new Error(`${name} shows nothing from ${found.length} on, and ends at ${last}`);
    found.push(...outcome.value);
  }
  return found;
};
