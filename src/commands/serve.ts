// The exporter and its server, started and ended together: what `run` and `demo` have in common.

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { openEvidence } from '../evidence/open.ts';
import { type Replaced, startExporter } from '../exporter.ts';
import type { PodAddress } from '../kubernetes/api.ts';
import { type KeeperOptions, keepPodLabels } from '../kubernetes/keeper.ts';
import { createPage } from '../metrics/page.ts';
import { startServer } from '../server/listen.ts';
import type { Mistake, Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { type InForce, inForce } from './in-force.ts';
import { type TargetSettings, targetMaker } from './targets.ts';

export interface Served {
  /** Where the configuration is from, for a person. */
  readonly source: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** A second listener on the same host, for the probe paths alone. */
  readonly probes?: { readonly port: number };
  /** Keeps the evidence across restarts. */
  readonly stateDir?: string;
  readonly targets: readonly TargetSettings[];
  /** Labels on the own pod, for the verdicts of the first target. */
  readonly podLabels?: KeeperOptions & PodAddress;
}

export interface Serving {
  readonly kind: 'ok';
  /** Where the page is. */
  readonly url: string;
  /** Where the second listener is. */
  readonly probesUrl?: string;
  /** Other targets from now on; or every mistake, and nothing has changed. */
  readonly replace: (targets: readonly TargetSettings[]) => Parsed<Replaced>;
  /** What is said of the configuration. */
  readonly inForce: InForce;
  /** Resolves after the signal, when polls and requests have ended; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

/** Seconds that the end may take in all: the kubelet gives a sidecar two. */
const drainMs = 300;
const graceMs = 1000;

export const serve = async (
  { source, listen, probes, stateDir, targets: settings, podLabels }: Served,
  { now, log, version, signal }: Pick<CommandContext, 'now' | 'log' | 'version' | 'signal'>,
): Promise<Serving | { readonly kind: 'invalid'; readonly mistakes: readonly Mistake[] }> => {
  const toTargets = targetMaker(`snowgauge/${version}`, now);
  const targets = toTargets(settings);
  if (targets.kind === 'invalid') return targets;

  const startedAt = now();
  // A fault in either part ends both: a server without a poller would show an old truth for ever.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, either);
  const run = `${Math.floor(startedAt * 1000).toString(36)}${randomBytes(3).toString('hex')}`;
  const evidence = await openEvidence({ run, ...(stateDir !== undefined && { stateDir }) }, { now, log });
  const exporter = startExporter(targets.value, { now, log, signal: either, evidence });
  // Loaded for those alone who use it.
  const patch = podLabels && (await import('../kubernetes/api.ts')).podPatcher(podLabels);
  const keeper = podLabels && patch && keepPodLabels(podLabels, { known: exporter.known, patch, now, log, signal: either });
  const page = createPage({ version });
  const force = inForce(source, startedAt);
  const sources = {
    state: () => ({ ...exporter.known(), startedAt, stopping: either.aborted, configuration: force.configuration() }),
    lastBeat: exporter.lastBeat,
    metrics: (accept: string | undefined, acceptEncoding: string | undefined) =>
      page(
        { ...exporter.known(), reload: force.reload(), evidence: evidence.tally(), podLabels: keeper?.tally() },
        now(),
        accept,
        acceptEncoding,
      ),
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
    await Promise.all([exporter.finished, keeper?.finished, server.kind === 'ok' && server.value.closed]);
    await evidence.close();
    return server.kind === 'invalid' ? server : { kind: 'invalid', mistakes: second?.kind === 'invalid' ? second.mistakes : [] };
  }
  const polled = exporter.finished.finally(() => stop.abort());
  // After the last poll, and while requests in flight are still answered.
  const kept = polled.finally(() => evidence.close());
  const finished = Promise.all([kept, keeper?.finished, server.value.closed, second?.value.closed]).then(() => undefined);
  return {
    kind: 'ok',
    url: server.value.url,
    ...(second && { probesUrl: second.value.url }),
    replace: (next) => {
      const made = toTargets(next);
      return made.kind === 'invalid' ? made : { kind: 'ok', value: exporter.replace(made.value) };
    },
    inForce: force,
    finished,
  };
};
