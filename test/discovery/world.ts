// Starts the exporter as `run` does, with nodes that accept connections on their own addresses.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { serve } from '../../src/commands/serve.ts';
import type { Served } from '../../src/commands/served.ts';
import { parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import type { Cluster } from '../../src/kubernetes/exchange.ts';
import { listeningLog } from '../support/events.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { valuesOf } from '../support/watching.ts';

export const patience = { timeout: 280_000 };

export const folderOf = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-discovery-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Writes atomically. */
export const put = async (file: string, value: unknown): Promise<void> => {
  await writeFile(`${file}.tmp`, typeof value === 'string' ? value : JSON.stringify(value));
  await rename(`${file}.tmp`, file);
};

/** A healthy node on every address of 127.0.0.0/8, with the number of requests by Host header. */
export const nodes = async () => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    asked.set(host, (asked.get(host) ?? 0) + 1);
    response.setHeader('content-type', 'application/json');
    response.end('{"checks":{},"healthy":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
};

export const configOf = async (given: object): Promise<Config> => {
  const read = await parseConfig(JSON.stringify(given), {});
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.errors));
  return read.value;
};

interface More extends Pick<Served, 'shard' | 'shardPace'> {
  readonly port?: number;
  /** Returns seconds; the system clock by default. */
  readonly clock?: () => number;
}

export const world = async (
  given: object,
  cluster?: Cluster,
  { port = 0, clock = () => Date.now() / 1000, ...shard }: More = {},
) => {
  let ahead = 0;
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const config = await configOf(given);
  const serving = await serve(
    {
      ...config,
      source: 'test',
      listen: { host: '127.0.0.1', port },
      podLabels: undefined,
      ...(cluster && { cluster }),
      ...shard,
    },
    { now: () => clock() + ahead, log, version: 'test', signal: stop.signal },
  );
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  const end = async (): Promise<void> => {
    stop.abort();
    await serving.finished;
  };
  onTestFinished(end);
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(serving.url + path, init);
    return { status: response.status, body: await response.text() };
  };
  const get = async (path: string): Promise<string> => (await ask(path)).body;
  const values = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<readonly number[]> => {
    const families = parseExposition(await get('/metrics'), 'text');
    return valuesOf(
      families.flatMap(({ series }) => series),
      name,
      labels,
    );
  };
  const watched = async (): Promise<readonly string[]> => {
    const status = JSON.parse(await get('/api/v1/status')) as { readonly targets: readonly { readonly name: string }[] };
    return status.targets.map(({ name }) => name);
  };
  return {
    ask,
    get,
    end,
    ended: () => serving.finished.then(serving.fault),
    values,
    watched,
    said,
    pass: (seconds: number) => {
      ahead += seconds;
    },
    configure: async (next: object) => expect(serving.replace(await configOf(next)).kind).toBe('ok'),
    /** In any order: a source lists its namespaces at once. */
    watches: (...names: readonly string[]) =>
      expect.poll(async () => (await watched()).toSorted(), patience).toEqual(names.toSorted()),
    becomes: (name: string, labels: Readonly<Record<string, string>>, wanted: readonly number[]) =>
      expect.poll(() => values(name, labels), patience).toEqual(wanted),
    says: (message: string, fields: object = {}) =>
      expect
        .poll(() => said, patience)
        .toContainEqual(expect.objectContaining({ message, fields: expect.objectContaining(fields) })),
  };
};
