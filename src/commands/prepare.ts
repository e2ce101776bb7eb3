// From what `run` was asked to what it serves: every mistake that can be known before a port is opened.

import type { Loaded } from '../config/load.ts';
import { formatMistakes, type Mistake } from '../yaml/parse.ts';
import { findConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { injectionOutdated } from './injection.ts';
import { readListen } from './listen-option.ts';
import { podLabelsOf } from './pod-labels.ts';
import type { Served } from './serve.ts';
import { targetMistakes } from './targets.ts';

export interface RunOptions {
  readonly config?: string;
  readonly listen?: string;
}

export interface Failed {
  readonly kind: 'invalid';
  readonly loaded: Loaded;
  readonly mistakes: readonly Mistake[];
}

export type Prepared =
  | { readonly kind: 'ok'; readonly loaded: Loaded & { readonly kind: 'ok' }; readonly served: Served }
  | Failed;

/** A flag is not part of the configuration beside which it is given. */
export const mistakesOfRun = (source: string, mistakes: readonly Mistake[]): string =>
  mistakes.map((mistake) => formatMistakes(mistake.path.startsWith('--') ? 'snowgauge run' : source, [mistake])).join('');

/** Reads the configuration anew each time, the files of secrets that it names included. */
export const prepare = async (
  options: RunOptions,
  { env, version }: Pick<CommandContext, 'env' | 'version'>,
): Promise<Prepared> => {
  const loaded = await findConfig(options.config, env);
  if (loaded.kind === 'invalid') return { kind: 'invalid', loaded, mistakes: loaded.mistakes };
  const { source, value } = loaded;
  const listen = readListen(options.listen, value.listen);
  const podLabels = podLabelsOf(value, env);
  if (listen.kind === 'ok' && podLabels.kind === 'ok') {
    const mistakes = targetMistakes(value.targets, `snowgauge/${version}`);
    if (mistakes.length > 0) return { kind: 'invalid', loaded, mistakes };
    return {
      kind: 'ok',
      loaded,
      served: { ...value, source, listen: listen.value, ...podLabels.value, injectionOutdated: injectionOutdated(value) },
    };
  }
  const mistakes = [listen, podLabels].flatMap((part) => (part.kind === 'invalid' ? part.mistakes : []));
  return { kind: 'invalid', loaded, mistakes };
};
