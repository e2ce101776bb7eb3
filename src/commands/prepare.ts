// From what `run` was asked to what it serves: every error that can be known before a port is opened.

import { moduleErrors } from '../probe/prober.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { findConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { injectionOutdated } from './injection.ts';
import { readListen } from './listen-option.ts';
import { apiServerOf, podLabelsOf } from './pod-labels.ts';
import type { Served } from './serve.ts';
import { targetErrors } from './targets.ts';
import { openWeb } from './web-config.ts';

export interface RunOptions {
  readonly config?: string;
  readonly listen?: string;
  /** The file of --web.config.file. */
  readonly webConfig?: string;
  /** What no change of a file mends: the process was started with it. */
  readonly startErrors?: readonly ConfigError[];
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
export type Failed = Extract<Prepared, { readonly kind: 'invalid' }>;
export type Ready = Extract<Prepared, { readonly kind: 'ok' }>;

/** A flag, or a variable that is no setting, is not part of the configuration beside which it is given. */
export const errorsOfRun = (source: string, errors: readonly ConfigError[]): string =>
  errors.map((error) => formatErrors(/^(?:--|SNOWGAUGE_)/.test(error.path) ? 'snowgauge run' : source, [error])).join('');

type PrepareContext = Pick<CommandContext, 'env' | 'version' | 'now' | 'log'>;

/** Reads the configuration again each time, the files of secrets that it names included. */
export const prepare = async (
  { config, listen: flag, webConfig, startErrors = [] }: RunOptions,
  { env, version, now, log }: PrepareContext,
) => {
  const loaded = await findConfig(config, env);
  const invalid = (found: readonly ConfigError[]) => {
    const errors: readonly ConfigError[] = [...startErrors, ...found];
    return { kind: 'invalid' as const, loaded, errors };
  };
  if (loaded.kind === 'invalid') return invalid(loaded.errors);
  const { source, value } = loaded;
  const errors: ConfigError[] = [];
  const listen = readListen(flag, value.listen, errors);
  const podLabels = podLabelsOf(value, env, errors);
  const userAgent = `snowgauge/${version}`;
  if (errors.length === 0)
    errors.push(...targetErrors(value.targets, userAgent, value.discovery), ...moduleErrors(value.probe, userAgent));
  const web = await openWeb(webConfig, { now, log });
  if (web.kind === 'invalid') errors.push(...web.errors);
  if (errors.length + startErrors.length > 0 || web.kind === 'invalid') return invalid(errors);
  const { podInfoDir, serviceAccountDir } = value.kubernetes;
  const cluster = { server: apiServerOf(env), serviceAccountDir };
  const injection = injectionOutdated(value);
  const served: Served = {
    ...value,
    web: web.value,
    cluster,
    source,
    listen,
    podInfoDir,
    podLabels,
    injectionOutdated: injection,
  };
  return { kind: 'ok' as const, loaded, served };
};
