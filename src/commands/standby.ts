// `snowgauge run --stay` with a configuration that cannot be used: serves what is wrong with it, looks at it again and again, and
// resolves when it is right. Under Kubernetes this is the better end: a container that exits takes the pod's readiness with it, and
// a native sidecar that exits keeps the node's container from starting.

import { listeningOf } from '../config/listening.ts';
import { defaultFile, type FileRead } from '../config/load.ts';
import { watchFile } from '../config/watch.ts';
import { contentTypes, endOf, render } from '../metrics/exposition.ts';
import { formatFor } from '../metrics/negotiate.ts';
import { ownFamilies } from '../metrics/own.ts';
import { startServer } from '../server/listen.ts';
import type { MetricsReply, Paths } from '../server/routes.ts';
import { standbyRoutes } from '../server/standby.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { readListen } from './listen-option.ts';
import { errorsOfRun, type Failed, type Prepared, prepare, type RunOptions } from './prepare.ts';
import { readText } from './read-text.ts';

export type StoodBy =
  | (Prepared & { readonly kind: 'ok' })
  /** Asked to stop. */
  | { readonly kind: 'stopped' }
  /** Not even this can be served. */
  | { readonly kind: 'unserved'; readonly errors: readonly ConfigError[] };

const sentencesOf = ({ loaded, errors }: Failed): readonly string[] => errorsOfRun(loaded.source, errors).trimEnd().split('\n');

export const standBy = async (options: RunOptions, failed: Failed, context: CommandContext): Promise<StoodBy> => {
  const { log } = context;
  let errors: readonly string[] = [];
  /** Each is logged once, for as long as it stands. */
  const tell = (now: Failed): void => {
    const sentences = sentencesOf(now);
    for (const error of sentences.filter((one) => !errors.includes(one)))
      log.error({ configuration: now.loaded.source, error }, 'configuration invalid: waiting for a valid one');
    errors = sentences;
  };
  tell(failed);

  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const serving = await serveErrors(options, failed, () => errors, { ...context, signal });
  if (serving.kind === 'invalid') return { kind: 'unserved', errors: serving.errors };
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
  { loaded: { file = defaultFile, text } }: Failed,
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
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };

const serveErrors = async (
  options: RunOptions,
  { loaded }: Failed,
  errors: () => readonly string[],
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
        routes: standbyRoutes({ errors, metrics }, paths),
        state: () => state,
        lastTick: now,
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
