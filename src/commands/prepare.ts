// From what `run` was asked to what it serves: every error that can be known before a port is opened.

import type { Loaded } from '../config/load.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { findConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { injectionOutdated } from './injection.ts';
import { readListen } from './listen-option.ts';
import { apiServerOf, podLabelsOf } from './pod-labels.ts';
import type { Served } from './serve.ts';
import { targetErrors } from './targets.ts';

export interface RunOptions {
  readonly config?: string;
  readonly listen?: string;
  /** What no change of a file mends: the process was started with it. */
  readonly startErrors?: readonly ConfigError[];
}

export interface Failed {
  readonly kind: 'invalid';
  readonly loaded: Loaded;
  readonly errors: readonly ConfigError[];
}

export interface Ready {
  readonly kind: 'ok';
  readonly loaded: Loaded & { readonly kind: 'ok' };
  readonly served: Served;
}

/** A flag, or a variable that is no setting, is not part of the configuration beside which it is given. */
export const errorsOfRun = (source: string, errors: readonly ConfigError[]): string =>
  errors.map((error) => formatErrors(/^(?:--|SNOWGAUGE_)/.test(error.path) ? 'snowgauge run' : source, [error])).join('');

/** Reads the configuration again each time, the files of secrets that it names included. */
export const prepare = async (options: RunOptions, context: Pick<CommandContext, 'env' | 'version'>): Promise<Ready | Failed> => {
  const prepared = await prepareConfig(options, context);
  const { startErrors = [] } = options;
  if (startErrors.length === 0) return prepared;
  const errors = prepared.kind === 'invalid' ? prepared.errors : [];
  return { kind: 'invalid', loaded: prepared.loaded, errors: [...startErrors, ...errors] };
};

const prepareConfig = async (
  options: RunOptions,
  { env, version }: Pick<CommandContext, 'env' | 'version'>,
): Promise<Ready | Failed> => {
  const loaded = await findConfig(options.config, env);
  if (loaded.kind === 'invalid') return { kind: 'invalid', loaded, errors: loaded.errors };
  const { source, value } = loaded;
  const errors: ConfigError[] = [];
  const listen = readListen(options.listen, value.listen, errors);
  const podLabels = podLabelsOf(value, env, errors);
  if (errors.length === 0) errors.push(...targetErrors(value.targets, `snowgauge/${version}`, value.discovery));
  if (errors.length > 0) return { kind: 'invalid', loaded, errors };
  const { podInfoDir, serviceAccountDir } = value.kubernetes;
  const cluster = { server: apiServerOf(env), serviceAccountDir };
  const served = { ...value, cluster, source, listen, podInfoDir, podLabels, injectionOutdated: injectionOutdated(value) };
  return { kind: 'ok', loaded, served };
};
