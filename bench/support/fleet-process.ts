// Processes of the fleet bench: each reports how long its event loop was blocked; memory and CPU come from Linux.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface FleetProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The CPU milliseconds of the longest turn of its event loop since the last call. */
  readonly longestTurn: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

const monitor = join(process.cwd(), 'bench', 'support', 'loop-monitor.cjs');

export const startMonitored = (node: string, args: readonly string[]): FleetProcess => {
  const child = spawn(node, ['--require', monitor, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return {
    child,
    pid: child.pid ?? 0,
    longestTurn: async () => {
      child.send('longest');
      const [{ turnMs }] = await once(child, 'message');
      return turnMs;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    },
  };
};

/** Starts the bench itself in another role, which prints its port. */
export const startRole = async (
  role: string,
  argument: string,
  node: string = process.execPath,
  flags: readonly string[] = [],
): Promise<FleetProcess & { readonly url: string }> => {
  const started = startMonitored(node, [...flags, process.argv[1] ?? '', '--role', role, '--argument', argument]);
  const { stdout } = started.child;
  if (stdout === null) throw new Error('the process has no stdout');
  const [port] = await once(createInterface(stdout), 'line');
  return { ...started, url: `http://127.0.0.1:${port}` };
};

export const stopAll = async (...all: readonly FleetProcess[]): Promise<void> => {
  await Promise.all(all.map(({ stop }) => stop()));
};

interface Fetched {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds to the last byte. */
  readonly ms: number;
}

const agent = new Agent({ keepAlive: true });

export const fetchTimed = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Fetched> =>
  new Promise((resolve) => {
    const start = performance.now();
    const end = (status: number, given: IncomingHttpHeaders, body: Buffer): void =>
      resolve({ status, headers: given, body, ms: performance.now() - start });
    get(url, { agent, headers, timeout: 60_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => end(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
      response.on('error', () => end(0, {}, Buffer.alloc(0)));
    }).on('error', () => end(0, {}, Buffer.alloc(0)));
  });

/** The quantile of the values. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};
