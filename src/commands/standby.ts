// `snowgauge run --stay` with a configuration that cannot be used: serves what is wrong with it, looks at it again and again, and
// resolves when it is right. Under Kubernetes this is the better end: a container that exits takes the pod's readiness with it, and
// a native sidecar that exits keeps the node's container from starting.

import { listeningOf } from '../config/listening.ts';
import { type FileRead, usualFile } from '../config/load.ts';
import { watchFile } from '../config/watch.ts';
import { contentTypes, endOf, render } from '../metrics/exposition.ts';
import { formatFor } from '../metrics/negotiate.ts';
import { ownFamilies } from '../metrics/own.ts';
import { startServer } from '../server/listen.ts';
import type { MetricsReply, Paths } from '../server/routes.ts';
import { standbyRoutes } from '../server/standby.ts';
import type { Mistake } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { readListen } from './listen-option.ts';
import { type Failed, mistakesOfRun, type Prepared, prepare, type RunOptions } from './prepare.ts';
import { readText } from './read-text.ts';

export type StoodBy =
  | (Prepared & { readonly kind: 'ok' })
  /** Asked to stop. */
  | { readonly kind: 'stopped' }
  /** Not even this can be served. */
  | { readonly kind: 'unserved'; readonly mistakes: readonly Mistake[] };

const sentencesOf = ({ loaded, mistakes }: Failed): readonly string[] =>
  mistakesOfRun(loaded.source, mistakes).trimEnd().split('\n');

export const standBy = async (options: RunOptions, failed: Failed, context: CommandContext): Promise<StoodBy> => {
  const { log } = context;
  let mistakes: readonly string[] = [];
  /** Each is logged once, for as long as it stands. */
  const tell = (now: Failed): void => {
    const sentences = sentencesOf(now);
    for (const mistake of sentences.filter((one) => !mistakes.includes(one)))
      log.error({ configuration: now.loaded.source, mistake }, 'configuration invalid: waiting for a valid one');
    mistakes = sentences;
  };
  tell(failed);

  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const serving = await serveMistakes(options, failed, () => mistakes, { ...context, signal });
  if (serving.kind === 'invalid') return { kind: 'unserved', mistakes: serving.mistakes };
  log.info({ ...serving.urls, configuration: failed.loaded.source }, 'serving without a configuration');
  const right = await becomesRight(options, failed, tell, { ...context, signal });
  stop.abort();
  await serving.closed;
  if (right === undefined) return { kind: 'stopped' };
  log.info({ configuration: right.loaded.source }, 'configuration valid');
  return right;
};

/** Undefined where the signal comes before it. */
const becomesRight = async (
  options: RunOptions,
  { loaded: { file = usualFile, text } }: Failed,
  tell: (failed: Failed) => void,
  context: CommandContext,
): Promise<(Prepared & { readonly kind: 'ok' }) | undefined> => {
  let right: (Prepared & { readonly kind: 'ok' }) | undefined;
  const found = new AbortController();
  const signal = AbortSignal.any([context.signal, found.signal]);
  const changed = async (): Promise<boolean> => {
    const prepared = await prepare(options, context);
    if (prepared.kind === 'invalid') {
      tell(prepared);
      return false;
    }
    right = prepared;
    found.abort();
    return true;
  };
  const loaded: FileRead = text === undefined ? { kind: 'failed', reason: '' } : { kind: 'ok', text };
  const watching = watchFile({ file, readFile: readText, loaded, changed, log: context.log, signal });
  // Refused once, it is looked at again and again, changed or not: a file of secrets that it names may come later.
  watching.loadNow();
  context.onHangup?.(() => watching.loadNow(), signal);
  await watching.finished;
  return context.signal.aborted ? undefined : right;
};

type Serving =
  | {
      readonly kind: 'ok';
      readonly urls: { readonly url: string; readonly probesUrl?: string };
      readonly closed: Promise<unknown>;
    }
  | { readonly kind: 'invalid'; readonly mistakes: readonly Mistake[] };

const serveMistakes = async (
  options: RunOptions,
  { loaded }: Failed,
  mistakes: () => readonly string[],
  { env, version, now, log, signal }: CommandContext,
): Promise<Serving> => {
  const { listen: configured, probes } = await listeningOf(loaded.text ?? '', env);
  const flag = readListen(options.listen, configured);
  const listen = flag.kind === 'ok' ? flag.value : configured;
  const metrics: MetricsReply = async (accept) => {
    const format = formatFor(accept);
    const known = ownFamilies({ version }, { successful: false }).filter(({ samples }) => samples.length > 0);
    const text = await render(known, format);
    return { body: text + endOf[format], headers: { 'Content-Type': contentTypes[format], Vary: 'Accept' } };
  };
  const state = { targets: new Map<string, never>(), version: 0, startedAt: now(), stopping: false, wallOffset: 0 };
  const start = (port: number, paths: Paths) =>
    startServer(
      { host: listen.host, port, paths, drainMs: 0, graceMs: 200 },
      {
        routes: standbyRoutes({ mistakes, metrics }, paths),
        state: () => state,
        lastBeat: now,
        metrics,
        now,
        log,
        version,
        signal,
      },
    );
  const all = await start(listen.port, 'all');
  if (all.kind === 'invalid') return all;
  const second = probes && (await start(probes.port, 'probes'));
  if (second?.kind === 'invalid') {
    await all.value.close();
    return second;
  }
  return {
    kind: 'ok',
    urls: { url: all.value.url, ...(second && { probesUrl: second.value.url }) },
    closed: Promise.all([all.value.closed, second?.value.closed]),
  };
};
