// Starts the processes to be measured, sends requests, and reads their statistics from Linux.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Running {
  readonly pid: number;
  /** The stderr output so far. */
  readonly said: () => string;
  readonly stop: () => Promise<void>;
}

export const startNode = (args: readonly string[]): Running => startProgram(process.execPath, args);

export const startProgram = (program: string, args: readonly string[]): Running => {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  };
  return { pid: child.pid ?? 0, said: () => text, stop };
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** The status of a GET after reading the body. 0 without a response. */
export const ask = (url: string): Promise<number> =>
  new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });

/** Seconds until the first 200, polled every 2 ms. */
export const secondsToFirstAnswer = async (url: string, process: Running): Promise<number> => {
  const start = performance.now();
  while ((await ask(url)) !== 200) {
    if (performance.now() - start > 60_000) throw new Error(`no answer from ${url} in a minute: ${process.said()}`);
    await sleep(2);
  }
  return (performance.now() - start) / 1000;
};

/** User and system CPU in milliseconds, with a resolution of 10 ms. Linux only. */
export const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
};

const statusMiB = (pid: number, line: RegExp): number =>
  Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** The resident memory of the process in MiB. Linux only. */
export const residentMiB = (pid: number): number => statusMiB(pid, /^VmRSS:\s+(\d+) kB$/m);

/** Its peak. */
export const peakMiB = (pid: number): number => statusMiB(pid, /^VmHWM:\s+(\d+) kB$/m);
