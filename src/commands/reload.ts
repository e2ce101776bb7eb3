// Reloads the configuration when its file changes, or on SIGHUP.

import { isDeepStrictEqual } from 'node:util';
import { pathsStartAt } from '../config/folder.ts';
import type { ConfigText, Loaded } from '../config/load.ts';
import { sharing } from '../config/sharing.ts';
import type { Config } from '../config/types.ts';
import { createEmptiedCheck, emptiedConfig, watchFile } from '../config/watch.ts';
import { yieldToEventLoop } from '../pause.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { onceRefused, parse } from './parse.ts';
import { readText } from './read-text.ts';
import type { Serving } from './serve.ts';

/** Settings that need a restart: a port or a folder cannot be changed while it is in use. */
export const restartSettings: readonly { readonly setting: string; readonly of: (config: Config) => unknown }[] = [
  { setting: 'listen.host', of: ({ listen }) => listen.host },
  { setting: 'listen.port', of: ({ listen }) => listen.port },
  { setting: 'listen.externalAddress', of: ({ listen }) => listen.externalAddress },
  { setting: 'probes.port', of: ({ probes }) => probes?.port },
  { setting: 'stateDir', of: ({ stateDir }) => stateDir },
  { setting: 'kubernetes', of: ({ kubernetes }) => kubernetes },
];

interface Reloading {
  readonly loaded: Loaded & { readonly kind: 'ok' };
  readonly serving: Pick<Serving, 'replace' | 'configStatus'>;
}

/** Runs until the signal. Resolves when all work has ended. */
export const keepLoaded = (
  { loaded, serving }: Reloading,
  { env, log, now, signal, onHangup }: Pick<CommandContext, 'env' | 'log' | 'now' | 'signal' | 'onHangup'>,
): Promise<void> => {
  const { source, file, text } = loaded;
  let said = '';
  let { targets } = loaded.value;
  const isEmptied = createEmptiedCheck(text);

  const refuse = (errors: readonly ConfigError[]): boolean => {
    const sentences = formatErrors(source, errors).trimEnd().split('\n');
    // A rejected file is read again and again, but its errors are logged only once.
    if (sentences.join('\n') === said) return false;
    said = sentences.join('\n');
    serving.configStatus.refuse(now(), sentences);
    log.error({ configuration: source, errors: sentences }, 'reload failed, keeping the previous configuration');
    return false;
  };
  const parseOnce = onceRefused(parse);
  const changed = async (read: ConfigText): Promise<boolean> => {
    if (read.kind === 'failed') return refuse([{ path: '', message: `cannot be read: ${read.reason}` }]);
    // All targets would be removed, and their state lost.
    if (isEmptied(read.text)) return refuse([emptiedConfig]);
    const parsed = await parseOnce(read.text, env, file && pathsStartAt(file));
    // Parsing and applying take separate turns of the event loop.
    await yieldToEventLoop();
    if (parsed.kind === 'invalid') return refuse(parsed.errors);
    const shared = await sharing(targets, parsed.value.targets);
    const replaced = serving.replace({ ...parsed.value, targets: shared });
    if (replaced.kind === 'invalid') return refuse(replaced.errors);
    targets = shared;
    said = '';
    const needRestart = restartSettings
      .filter(({ of }) => !isDeepStrictEqual(of(parsed.value), of(loaded.value)))
      .map(({ setting }) => setting);
    serving.configStatus.accept(now(), needRestart);
    const { added, removed, reset, kept } = replaced.value;
    const changes = Object.entries({ added, removed, reset }).filter(([, names]) => names.length > 0);
    log.info({ configuration: source, ...Object.fromEntries(changes), kept: kept.length }, 'configuration reloaded');
    if (needRestart.length > 0)
      log.warn({ configuration: source, settings: needRestart }, 'restart required for changed settings');
    return true;
  };

  if (file === undefined || text === undefined) {
    onHangup?.(() => log.warn({}, 'SIGHUP ignored: no configuration file'), signal);
    return Promise.resolve();
  }
  const watching = watchFile({ file, readFile: readText, loaded: { kind: 'ok', text }, changed, log, signal });
  onHangup?.(() => {
    // Each SIGHUP gets a log line, even for the same errors.
    said = '';
    watching.loadNow();
  }, signal);
  return watching.finished;
};
