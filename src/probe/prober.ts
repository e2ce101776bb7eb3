// Serves /probe: validates requests, shares one probe between equal requests, and limits the number of concurrent probes.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { checkClientOptions } from '../client/options.ts';
import { createRests } from '../client/rest.ts';
import type { Chosen } from '../metrics/layout.ts';
import { formatFor, gzipFor } from '../metrics/negotiate.ts';
import { createTaskQueue } from '../pause.ts';
import { debugPage, metricsPage } from './page.ts';
import { type ProbeDependencies, type ProbeResult, probe } from './probe.ts';
import { type ProbeConfig, type ProbeQuery, type ProbeRefusal, probeQueryOf, probeRefusal } from './query.ts';
import { createProbeSlots } from './slots.ts';

interface ProbeRequest {
  /** The client address that the probe counts for. */
  readonly client: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly sender: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly mayTake: (ms: number) => void;
  };
}

interface ProbeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface Prober {
  readonly answer: (request: ProbeRequest, query: string) => Promise<ProbeReply>;
  /** Applies a new configuration; running probes are not affected. */
  readonly configure: (config: ProbeConfig) => void;
  /** Sets which families responses contain from now on. */
  readonly choose: (chosen: Chosen) => void;
}

interface ProberDependencies extends ProbeDependencies {
  readonly signal: AbortSignal;
  /** Remembers nodes with costly TLS handshakes. Absent: the usual function, with the clock of the process. */
  readonly newRests?: typeof createRests;
}

export const createProber = (
  first: ProbeConfig,
  { signal, newRests = createRests, ...dependencies }: ProberDependencies,
  chosen: Chosen = () => true,
): Prober => {
  let config = first;
  let isChosen = chosen;
  /** Running probes -> the client address that requested them first. */
  const running = new Map<AbortController, string>();
  /** By request: equal requests wait for the same result. */
  const shared = new Map<string, Promise<ProbeResult | ProbeRefusal>>();
  /** Remembers costly TLS handshakes between probes, because each probe has its own client. */
  let rests = newRests();
  const takeSlot = createProbeSlots();
  const enqueue = createTaskQueue();
  const itsTurn = (isNext = false): Promise<void> => new Promise((resolve) => enqueue(resolve, { isNext }));
  const stopAll = (): void => {
    for (const one of running.keys()) one.abort();
  };
  signal.addEventListener('abort', stopAll, { once: true });

  /** One address may use half of the limit: the other half is left for all others. */
  const noRoom = (client: string): ProbeRefusal | undefined => {
    const max = config.maxConcurrent;
    if (running.size >= max)
      return probeRefusal(503, `${probesUnderWay(running.size)}, as many as probe.maxConcurrent allows: try again`);
    const own = [...running.values()].filter((one) => one === client).length;
    return own < Math.ceil(max / 2)
      ? undefined
      : probeRefusal(503, `${probesUnderWay(own, ` for ${client}`)}, half of what probe.maxConcurrent allows: try again`);
  };
  const run = async (asked: ProbeQuery, client: string): Promise<ProbeResult | ProbeRefusal> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), asked.deadlineMs);
    running.set(stop, client);
    const node = JSON.stringify([asked.module.name, new URL(asked.url).origin]);
    const restsNow = rests;
    const restAt = (addresses: readonly string[]) => restsNow(node, addresses);
    try {
      return await probe(asked, dependencies, { take: (evict) => takeSlot(client, evict), itsTurn, restAt }, stop.signal);
    } finally {
      clearTimeout(timer);
      running.delete(stop);
    }
  };
  const runShared = async (asked: ProbeQuery, client: string): Promise<ProbeResult | ProbeRefusal> => {
    const key = JSON.stringify([asked.module.name, asked.target, asked.url, asked.deadlineMs]);
    const joined = shared.get(key);
    if (joined !== undefined) return joined;
    // Refusals are not shared: another address may be below its limit.
    const refusal = noRoom(client);
    if (refusal !== undefined) return refusal;
    const started = run(asked, client).finally(() => {
      if (shared.get(key) === started) shared.delete(key);
    });
    shared.set(key, started);
    return started;
  };

  return {
    answer: async ({ client, accept, acceptEncoding, sender }, query) => {
      const timeout = sender.headers['x-prometheus-scrape-timeout-seconds'];
      const asked = probeQueryOf(config, query, typeof timeout === 'object' ? timeout.join() : timeout);
      if (asked.kind === 'refused') return refusedReply(asked);
      if (signal.aborted) return refusedReply(stopping);
      sender.mayTake(asked.deadlineMs);
      // With debug=true, the probe is not shared: the trace is of this probe.
      const probed = await (asked.debug ? (noRoom(client) ?? run(asked, client)) : runShared(asked, client));
      if (probed.kind === 'refused') return refusedReply(probed);
      // A probe that the stop has cut short says nothing about the node.
      if (signal.aborted) return refusedReply(stopping);
      // Render before the next probe is evaluated, because the families need as much memory again.
      await itsTurn(true);
      const page = asked.debug ? debugPage(asked, probed, isChosen) : metricsPage(probed, formatFor(accept), isChosen);
      const { contentType, body } = await page;
      const given = { ...headers, 'Content-Type': contentType, Vary: 'Accept, Accept-Encoding' };
      if (!gzipFor(acceptEncoding)) return { status: 200, headers: given, body };
      return { status: 200, headers: { ...given, 'Content-Encoding': 'gzip' }, body: await compressed(body) };
    },
    configure: (next) => {
      config = next;
      shared.clear();
      rests = newRests();
    },
    choose: (of) => {
      isChosen = of;
    },
  };
};

const stopping = probeRefusal(503, 'snowgauge is stopping: try again');

const probesUnderWay = (many: number, whose = ''): string =>
  many === 1 ? `1 probe${whose} is under way` : `${many} probes${whose} are under way`;

const compressed = promisify(gzip);

const headers = { 'Cache-Control': 'no-store' };

const refusedReply = ({ status, message }: ProbeRefusal): ProbeReply => ({
  status,
  headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8', ...(status === 503 && { 'Retry-After': '1' }) },
  body: `${message}\n`,
});

/** All errors of the modules, including unreadable files of secrets. It opens no connection. */
export const moduleErrors = (
  { modules }: ProbeConfig,
  userAgent: string,
): readonly { readonly path: string; readonly message: string }[] =>
  modules.flatMap(({ name, target }) =>
    checkClientOptions({ ...target.client, userAgent }).map(({ path, message }) => ({
      path: `probe.modules.${name}.${path}`,
      message,
    })),
  );
