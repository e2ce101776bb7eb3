// A process with the image's flags that watches honest nodes, alone or together with hostile ones; measures its cost and delays.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bundle } from '../support/bundle.ts';
import type { Container } from '../support/container-memory.ts';
import { parseExposition, type Series } from '../support/exposition-parser.ts';
import { imageFlags } from '../support/image-flags.ts';
import { type Served, serveHttp } from '../support/serve.ts';
import { until } from '../support/until.ts';
import { valuesOf } from '../support/watching.ts';
import { tlsFile } from '../support/web-config.ts';

/** The image's flags, and the heap size that it sets in a container of 160 MiB. */
const flags = [...imageFlags, '--max-old-space-size=107'];

/** Additional MiB that Node.js versions after the image's, 22, need for the same work. */
const ofLaterNode = Number(process.versions.node.split('.')[0]) > 22 ? 24 : 0;

/**
 * Limits in MiB. `resident`: the aim, plus how much the maximum differs from run to run. `probed`: with 60 probes at a time; `anonymous`
 * of that is not backed by files, which the kernel drops before it kills a process. The container has 160; `counted`: its charge without file pages.
 */
export const most = {
  aim: 128 + ofLaterNode,
  resident: 136 + ofLaterNode,
  probed: 150 + ofLaterNode,
  anonymous: 100 + ofLaterNode,
  counted: 110 + ofLaterNode,
} as const;

export interface Honest extends Served {
  /** Times of the readiness requests, ms. */
  readonly askedAt: readonly number[];
}

/** Registers the end of something started: with the test, or with a caller that collects ends. */
export type Ending = (end: () => Promise<void>) => void;

/** A node whose checks run every `interval` seconds. */
export const serveHonest = async (interval = 1, ending: Ending = onTestFinished): Promise<Honest> => {
  const askedAt: number[] = [];
  const served = await serveHttp((request, response) => {
    request.resume();
    if (request.url?.startsWith('/ext/health/readiness') === true) askedAt.push(performance.now());
    if (request.url?.startsWith('/ext/health') !== true) {
      response.statusCode = 404;
      return response.end();
    }
    const timestamp = new Date(Math.floor(Date.now() / 1000 / interval) * interval * 1000).toISOString();
    const ok = { timestamp, duration: 5000 };
    return response.end(JSON.stringify({ checks: { database: ok, P: ok }, healthy: true }));
  });
  ending(() => served.close());
  return { ...served, askedAt };
};

/** Response time in ms; −1 without a response. */
const answeredIn = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const begun = performance.now();
    const request = get(url, { agent: false, timeout: 280_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now() - begun));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(-1));
  });

export interface Watching {
  readonly url: string;
  readonly isAlive: () => boolean;
  /** Peak resident memory, MiB. */
  readonly residentMiB: () => number;
  /** Resident memory that is not backed by files, MiB. */
  readonly anonymousMiB: () => number;
  /** Milliseconds for which it was runnable and the machine ran something else. */
  readonly waitedMs: () => number;
  /** CPU milliseconds of its longest turn since the last call. */
  readonly longestTurn: () => Promise<number>;
  /** Response time of a probe, ms. */
  readonly livez: () => Promise<number>;
  readonly page: () => Promise<readonly Series[]>;
  readonly log: () => string;
}

export interface Watched {
  readonly name: string;
  readonly url: string;
  /** Seconds between polls; 1 by default. */
  readonly interval?: number;
  /** Number of tag sets; 1 by default. */
  readonly tagSets?: number | 'auto' | undefined;
}

/** Milliseconds for which the main thread of a process was runnable and the machine ran something else. Linux only. */
export const waitedMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;

/** `more`: further settings. `container`: limits its memory. */
export const watchBeside = async (
  targets: readonly Watched[],
  ending: Ending = onTestFinished,
  more: object = {},
  container?: Container,
): Promise<Watching> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-hostile-'));
  const file = join(folder, 'config.yaml');
  const settings = targets.map(({ name, url, interval = 1, tagSets: count = 1 }) => {
    const tagSets =
      count === 'auto'
        ? count
        : Array.from({ length: count }, (_, at) => (at === 0 ? { name: 'all' } : { name: `s${at}`, tags: [`s${at}`] }));
    const tls = url.startsWith('https:') ? { tls: { caFile: tlsFile('ca.crt') } } : {};
    return { name, url, ...tls, healthCheckFrequency: `${interval}s`, tagSets };
  });
  writeFileSync(file, JSON.stringify({ targets: settings, ...more }));
  const args = [
    ...flags,
    '--import',
    new URL('turns.mjs', import.meta.url).href,
    bundle,
    'run',
    '--config',
    file,
    '--listen',
    '127.0.0.1:0',
  ];
  const [command, ...before] = container?.enter(folder) ?? [process.execPath];
  const child = spawn(command, [...before, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH },
  });
  const exited = once(child, 'exit');
  ending(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const urlOf = (): string | undefined => /"url":"([^"]+)"/.exec(text)?.[1];
  // Not `expect.poll`, which does not work in concurrent tests.
  const url = await until('the URL in the log of snowgauge run', async () => (isAlive() ? urlOf() : 'ended'), { everyMs: 100 });
  if (!isAlive()) throw new Error(`snowgauge run ended: ${text.slice(-2000)}`);
  const mebibytes = (what: string): number =>
    Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return {
    url,
    isAlive,
    residentMiB: () => mebibytes('VmHWM'),
    anonymousMiB: () => mebibytes('RssAnon'),
    waitedMs: () => waitedMs(child.pid ?? 0),
    longestTurn: async () => {
      const said = once(child, 'message');
      child.send('longest');
      const [longest] = await said;
      return Number(longest);
    },
    livez: () => answeredIn(`${url}/livez`),
    page: async () => parseExposition(await (await fetch(`${url}/metrics`)).text(), 'text').flatMap((family) => family.series),
    log: () => text,
  };
};

/** Polls of the target with this outcome. */
export const pollsOf = (series: readonly Series[], target: string, outcome: string): number =>
  valuesOf(series, 'snowgauge_polls_total', { target, outcome }).reduce((sum, count) => sum + count, 0);

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Delay of each poll, compared with the previous poll plus the interval, ms. */
export const delaysOf = (nodes: readonly Honest[], since: number, interval: number): readonly number[] =>
  nodes.flatMap(({ askedAt }) => {
    const times = askedAt.filter((at) => at >= since);
    return times.slice(1).map((at, nth) => Math.max(0, at - (times[nth] ?? at) - interval * 1000));
  });
