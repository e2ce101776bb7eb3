// The exporter and its server, started and ended together: what `run` and `demo` have in common.

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createClient } from '../client/client.ts';
import { type ClientOptions, checkClientOptions } from '../client/options.ts';
import { openEvidence } from '../evidence/open.ts';
import { type ExporterTarget, startExporter } from '../exporter.ts';
import { createPage } from '../metrics/page.ts';
import { startServer } from '../server/listen.ts';
import type { TargetOptions } from '../snapshot/snapshot.ts';
import type { Mistake } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';

export interface Served {
  readonly listen: { readonly host: string; readonly port: number };
  /** A second listener on the same host, for the probe paths alone. */
  readonly probes?: { readonly port: number };
  /** Keeps the evidence across restarts. */
  readonly stateDir?: string;
  readonly targets: readonly { readonly options: TargetOptions; readonly client: Omit<ClientOptions, 'userAgent'> }[];
}

export interface Serving {
  readonly kind: 'ok';
  /** Where the page is. */
  readonly url: string;
  /** Where the second listener is. */
  readonly probesUrl?: string;
  /** Resolves after the signal, when polls and requests have ended; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

/** Seconds that the end may take in all: the kubelet gives a sidecar two. */
const drainMs = 300;
const graceMs = 1000;

export const serve = async (
  { listen, probes, stateDir, targets }: Served,
  { now, log, version, signal }: Pick<CommandContext, 'now' | 'log' | 'version' | 'signal'>,
): Promise<Serving | { readonly kind: 'invalid'; readonly mistakes: readonly Mistake[] }> => {
  const userAgent = `snowgauge/${version}`;
  const mistakes = targets.flatMap(({ options, client }) =>
    checkClientOptions({ ...client, userAgent }).map(({ path, message }) => ({
      path: `targets.${options.name}.${path}`,
      message,
    })),
  );
  if (mistakes.length > 0) return { kind: 'invalid', mistakes };

  const startedAt = now();
  // A fault in either part ends both: a server without a poller would show an old truth for ever.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, either);
  const exporterTargets = targets.map(
    ({ options, client }): ExporterTarget => ({ options, client: createClient({ ...client, userAgent }, now) }),
  );
  const run = `${Math.floor(startedAt * 1000).toString(36)}${randomBytes(3).toString('hex')}`;
  const evidence = await openEvidence({ run, ...(stateDir !== undefined && { stateDir }) }, { now, log });
  const exporter = startExporter(exporterTargets, { now, log, signal: either, evidence });
  const page = createPage({ version });
  const reload = { successful: true, succeededAt: startedAt };
  const sources = {
    state: () => ({ ...exporter.known(), startedAt, stopping: either.aborted }),
    lastBeat: exporter.lastBeat,
    metrics: (accept: string | undefined, acceptEncoding: string | undefined) =>
      page({ ...exporter.known(), reload, evidence: evidence.tally() }, now(), accept, acceptEncoding),
    evidence,
    now,
    log,
    version,
    signal: either,
  };
  const server = await startServer({ ...listen, drainMs, graceMs }, sources);
  const second =
    server.kind === 'ok' && probes !== undefined
      ? await startServer({ host: listen.host, port: probes.port, paths: 'probes', drainMs, graceMs }, sources)
      : undefined;
  if (server.kind === 'invalid' || second?.kind === 'invalid') {
    stop.abort();
    await Promise.all([exporter.finished, server.kind === 'ok' && server.value.closed]);
    await evidence.close();
    return server.kind === 'invalid' ? server : { kind: 'invalid', mistakes: second?.kind === 'invalid' ? second.mistakes : [] };
  }
  const polled = exporter.finished.finally(() => stop.abort());
  // After the last poll, and while requests in flight are still answered.
  const kept = polled.finally(() => evidence.close());
  const finished = Promise.all([kept, server.value.closed, second?.value.closed]).then(() => undefined);
  return { kind: 'ok', url: server.value.url, ...(second && { probesUrl: second.value.url }), finished };
};
