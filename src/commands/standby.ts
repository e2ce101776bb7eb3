// `snowgauge run --stay` with an invalid configuration: serves its errors, reads it again at intervals, and resolves when it is valid.
// Under Kubernetes this is better than to exit: a container that exits makes the pod unready, and a native sidecar that exits prevents the
// node's container from starting.

import { isDeepStrictEqual } from 'node:util';
import { listeningOf } from '../config/listening.ts';
import { type ConfigText, defaultFile } from '../config/load.ts';
import { settled, watchFile } from '../config/watch.ts';
import { contentTypes, endOf } from '../metrics/exposition.ts';
import { formatFor } from '../metrics/negotiate.ts';
import { ownFamilies } from '../metrics/own.ts';
import { render } from '../metrics/text.ts';
import type { MetricsReply } from '../server/reply.ts';
import { standbyRoutes } from '../server/standby.ts';
import { clientSettings, ownHostsOf } from './client-settings.ts';
import type { CommandContext } from './context.ts';
import { readListen, sharesPort } from './listen-option.ts';
import { errorsOfRun, type Failed, prepare, type Ready, type RunOptions } from './prepare.ts';
import { readText } from './read-text.ts';
import { type Servers, startServers } from './servers.ts';
import { openWeb } from './web-config.ts';

/** `stopped`: by the signal. `unserved`: the errors cannot be served either. */
export const standBy = async (options: RunOptions, failed: Failed, context: CommandContext) => {
  const { log } = context;
  let errors: readonly string[] = [];
  const show = (now: Failed): void => {
    const before = errors;
    errors = errorsOfRun(now.loaded.source, now.errors).trimEnd().split('\n');
    // An invalid file is read again and again, but its errors are logged only once.
    if (isDeepStrictEqual(errors, before)) return;
    log.error({ configuration: now.loaded.source, errors }, 'configuration invalid: waiting for a valid one');
  };
  show(failed);

  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const serving = await serveErrors(options, failed, () => errors, { ...context, signal });
  if (serving.kind === 'invalid') return { kind: 'unserved' as const, errors: serving.errors };
  const { url, probesUrl } = serving;
  log.info({ url, ...(probesUrl && { probesUrl }), configuration: failed.loaded.source }, 'serving without a configuration');
  const ready = await untilReady(options, failed, show, { ...context, signal });
  stop.abort();
  await serving.closed;
  if (ready === undefined) return { kind: 'stopped' as const };
  log.info({ configuration: ready.loaded.source }, 'configuration valid');
  return ready;
};

/** Undefined if the signal comes first. */
const untilReady = async (
  options: RunOptions,
  { loaded: { file = defaultFile, text } }: Failed,
  show: (failed: Failed) => void,
  context: CommandContext,
): Promise<Ready | undefined> => {
  let ready: Ready | undefined;
  const found = new AbortController();
  const signal = AbortSignal.any([context.signal, found.signal]);
  // Waits until the file no longer changes: an editor may empty it before it writes, and an empty file means access for all without TLS.
  const readWeb = (file: string): Promise<ConfigText> => settled(file, { readFile: options.readWeb ?? readText, signal });
  const changed = async (): Promise<boolean> => {
    const prepared = await prepare({ ...options, readWeb }, context);
    if (prepared.kind === 'invalid') {
      show(prepared);
      return false;
    }
    ready = prepared;
    found.abort();
    return true;
  };
  const loaded: ConfigText = text === undefined ? { kind: 'failed', reason: '' } : { kind: 'ok', text };
  const watching = watchFile({ file, readFile: readText, loaded, changed, log: context.log, signal });
  // Reads it now and at intervals, even if it has not changed: a missing file of secrets may appear later.
  watching.loadNow();
  context.onHangup?.(() => watching.loadNow(), signal);
  await watching.finished;
  return context.signal.aborted ? undefined : ready;
};

const serveErrors = async (
  options: RunOptions,
  { loaded }: Failed,
  errors: () => readonly string[],
  { env, version, now, log, signal }: CommandContext,
): Promise<Servers> => {
  const { listen: configured, probes } = await listeningOf(loaded.text ?? '', env);
  // Errors of the flag are among the served errors.
  const listen = readListen(options.listen, configured, []);
  const metrics: MetricsReply = async (accept) => {
    const format = formatFor(accept);
    const text = render(ownFamilies({ version }, { successful: false }), format);
    return { body: text + endOf[format], headers: { 'Content-Type': contentTypes[format], Vary: 'Accept' } };
  };
  const state = { targets: new Map<string, never>(), version: 0, startedAt: now(), stopping: false, wallOffset: 0 };
  const inputs = { state: () => state, lastTick: now, metrics, now, log, version, signal };
  const clients = clientSettings(undefined, { ownHosts: ownHostsOf(env) });
  // If the web configuration is invalid, nothing that it would protect is served.
  const opened = await openWeb(options.webConfig, { now, log, isEmptied: options.isEmptied?.web });
  const web = opened.kind === 'ok' ? opened.value?.web : undefined;
  const probesPort = sharesPort(listen, probes) ? undefined : probes?.port;
  return startServers({ ...listen, probesPort, drainMs: 0, graceMs: 200 }, (paths) => ({
    ...inputs,
    clients: () => clients,
    ...(paths === 'all' && { web }),
    routes: standbyRoutes({ errors, metrics }, opened.kind === 'ok' ? paths : 'probes'),
  }));
};
