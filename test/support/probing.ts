// A server with only /probe, from the given configuration.

import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { createLookups } from '../../src/client/lookup.ts';
import { createRests } from '../../src/client/rest.ts';
import { serve } from '../../src/commands/serve.ts';
import type { Served } from '../../src/commands/served.ts';
import { parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { silentLog } from '../../src/log.ts';
import { createProber } from '../../src/probe/prober.ts';
import type { Resolve } from '../../src/probe/resolve.ts';
import { type Given, serveExporter } from './exporter-server.ts';
import { parseExposition, type Series } from './exposition-parser.ts';

/** The default timeout of 5 s, which is too short for a busy machine. */
const usualMs = 5000;

type ProbeConfig = Config['probe'];

/** Gives modules without a timeout one that is long enough for a busy machine. */
export const probeConfig = async (yaml: string): Promise<ProbeConfig> => {
  const parsed = await parseConfig(`probe: ${yaml}`, {});
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.map(({ path, message }) => `${path} ${message}`).join('\n'));
  const patient = ({ target, ...module }: ProbeConfig['modules'][number]): ProbeConfig['modules'][number] => {
    const { timeoutMs } = target.client;
    return {
      ...module,
      target: { ...target, client: { ...target.client, timeoutMs: timeoutMs === usualMs ? 60_000 : timeoutMs } },
    };
  };
  return { ...parsed.value.probe, modules: parsed.value.probe.modules.map(patient) };
};

/** Seconds: the longest accepted timeout. */
export const longest = '60';

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface Probing {
  readonly url: string;
  /** `timeout` is the scrape timeout header of Prometheus; null omits it. `from` is the client address that a proxy sends. */
  readonly probe: (query: Readonly<Record<string, string>>, timeout?: string | null, from?: string) => Promise<Answered>;
  readonly configure: (yaml: string) => Promise<void>;
  readonly stop: () => void;
}

/** `yaml` is the setting `probe` on one line. Stops after the test. */
export const startProbing = async (
  yaml: string,
  resolve: Resolve = createLookups().resolve,
  given: Given = {},
): Promise<Probing> => {
  const stop = new AbortController();
  const dependencies = {
    resolve,
    userAgent: 'snowgauge/test',
    now: () => performance.now() / 1000,
    wallOffset: () => 0,
    onFault: (_: string, { error }: { readonly error: unknown }) => {
      throw error;
    },
    signal: stop.signal,
    // A pause of a hundred times a fast handshake would be over before the next probe on a busy machine.
    newRests: () => createRests(() => 0),
  };
  const prober = createProber(await probeConfig(yaml), dependencies);
  onTestFinished(() => stop.abort());
  const { url } = await serveExporter({ probe: prober.answer, ...given });
  return {
    url,
    probe: async (query, timeout = longest, from) => {
      const headers = {
        ...(timeout !== null && { 'X-Prometheus-Scrape-Timeout-Seconds': timeout }),
        ...(from !== undefined && { 'X-Forwarded-For': from }),
      };
      const response = await fetch(`${url}/probe?${new URLSearchParams(query)}`, { headers });
      return { status: response.status, type: response.headers.get('content-type') ?? '', body: await response.text() };
    },
    configure: async (text) => prober.configure(await probeConfig(text)),
    stop: () => stop.abort(),
  };
};

/** An exporter as `run` starts it, without targets. `yaml` is the setting `probe` on one line. Stops after the test. */
export const serveProbing = async (yaml: string, given: Partial<Served> = {}) => {
  const stop = new AbortController();
  const options = { source: 'test', listen: { host: '127.0.0.1', port: 0 }, probes: { port: 0 }, targets: [] };
  const now = (): number => Date.now() / 1000;
  const context = { now, log: silentLog, version: 'test', signal: stop.signal };
  const serving = await serve({ ...options, maintenance: { windows: [] }, ...given, probe: await probeConfig(yaml) }, context);
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  onTestFinished(async () => {
    stop.abort();
    await serving.finished;
  });
  return serving;
};

export const seriesOf = ({ body }: Answered): readonly Series[] => parseExposition(body, 'text').flatMap(({ series }) => series);

/** The value of the first series with that name. */
export const sampleOf = (answered: Answered, name: string): number | undefined =>
  seriesOf(answered).find((series) => series.name === name)?.value;

export interface Counted {
  readonly port: number;
  /** The number of accepted connections. */
  readonly connections: () => number;
}

/** A server on a loopback address. Closed after the test. */
export const serveAt = (host: string, port: number, listener: RequestListener): Promise<Counted> => {
  let taken = 0;
  // Node.js closes an idle connection after 5 s, and the machine may stall that long between two requests.
  const server = createServer({ keepAliveTimeout: 600_000 }, listener).on('connection', () => {
    taken += 1;
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, connections: () => taken });
    });
  });
};

const report = JSON.stringify({
  checks: { database: { timestamp: '2026-11-22T12:00:00Z', duration: 5000 } },
  healthy: true,
});

/** A healthy node without indexes. */
export const healthy: RequestListener = (request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.statusCode = request.url?.startsWith('/ext/health') === true ? 200 : 404;
  response.end(report);
};
