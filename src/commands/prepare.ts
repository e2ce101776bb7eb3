// Options of `run` -> what to serve. Finds every error that can be found before a port is opened.

import type { ConfigText } from '../config/load.ts';
import { type EmptiedCheck, emptiedConfig } from '../config/watch.ts';
import { addAll } from '../lists.ts';
import { stateDirFault } from '../memory/state-lock.ts';
import { moduleErrors } from '../probe/prober.ts';
import type { ShardSetting } from '../shards/shards.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { ownHostsOf } from './client-settings.ts';
import { findConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { injectionOutdated } from './injection.ts';
import { readListen, sharesPort } from './listen-option.ts';
import { apiServerOf, podLabelsOf } from './pod-labels.ts';
import type { Served } from './served.ts';
import { targetErrors } from './targets.ts';
import { openWeb } from './web-config.ts';

export interface RunOptions {
  readonly config?: string;
  readonly listen?: string;
  /** The file of `--web.config.file`. */
  readonly webConfig?: string;
  /** Reads that file. The default does not wait until the file has stopped changing. */
  readonly readWeb?: (file: string) => Promise<ConfigText>;
  /** For each file, whether it was emptied since an earlier read. */
  readonly isEmptied?: { readonly config: EmptiedCheck; readonly web: EmptiedCheck };
  /** Errors in flags and variables, which no change of a file can fix. */
  readonly startErrors?: readonly ConfigError[];
  readonly shardSetting?: ShardSetting | undefined;
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
export type Failed = Extract<Prepared, { readonly kind: 'invalid' }>;
export type Ready = Extract<Prepared, { readonly kind: 'ok' }>;

/** Prints errors of flags, and of variables that are not settings, without the name of the configuration file. */
export const errorsOfRun = (source: string, errors: readonly ConfigError[]): string =>
  errors.map((error) => formatErrors(/^(?:--|SNOWGAUGE_)/.test(error.path) ? 'snowgauge run' : source, [error])).join('');

type PrepareContext = Pick<CommandContext, 'env' | 'version' | 'now' | 'log' | 'signal'>;

/** Reads the configuration each time, including the files of secrets that it names. */
export const prepare = async (
  { config, listen: flag, webConfig, readWeb, isEmptied, startErrors = [], shardSetting }: RunOptions,
  { env, version, now, log, signal }: PrepareContext,
) => {
  const loaded = await findConfig(config, { env, signal });
  const invalid = (found: readonly ConfigError[]) => {
    const errors: readonly ConfigError[] = [...startErrors, ...found];
    return { kind: 'invalid' as const, loaded, errors };
  };
  // Before anything else: an invalid text is content too, and must be known when the file is emptied.
  const isConfigEmptied = loaded.text !== undefined && isEmptied?.config(loaded.text) === true;
  if (loaded.kind === 'invalid') return invalid(loaded.errors);
  if (isConfigEmptied) return invalid([emptiedConfig]);
  const { source, value } = loaded;
  const errors: ConfigError[] = [];
  const listen = readListen(flag, value.listen, errors);
  if (sharesPort(listen, value.probes)) {
    const message = `${listen.port} is also the port of probes: choose another port, or remove probes`;
    errors.push({ path: '--listen', message });
  }
  const podLabels = podLabelsOf(value, env, errors);
  if (shardSetting?.kind === 'pod' && apiServerOf(env) === undefined)
    errors.push({ path: '--pod', message: 'needs KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, which every pod has' });
  const userAgent = `snowgauge/${version}`;
  if (errors.length === 0) {
    addAll(errors, targetErrors(value.targets, userAgent, value.discovery));
    addAll(errors, moduleErrors(value.probe, userAgent));
  }
  const web = await openWeb(webConfig, { now, log, ...(readWeb && { readFile: readWeb }), isEmptied: isEmptied?.web });
  if (web.kind === 'invalid') addAll(errors, web.errors);
  if (value.stateDir !== undefined && errors.length + startErrors.length === 0) {
    const message = await stateDirFault(value.stateDir, { signal });
    if (message !== undefined) errors.push({ path: 'stateDir', message });
  }
  if (errors.length + startErrors.length > 0 || web.kind === 'invalid') return invalid(errors);
  const { podInfoDir, serviceAccountDir } = value.kubernetes;
  const cluster = { server: apiServerOf(env), serviceAccountDir };
  const injection = injectionOutdated(value);
  const served: Served = {
    ...value,
    web: web.value,
    cluster,
    shard: shardSetting,
    source,
    listen,
    podInfoDir,
    podLabels,
    ownHosts: ownHostsOf(env),
    injectionOutdated: injection,
  };
  return { kind: 'ok' as const, loaded, served };
};
