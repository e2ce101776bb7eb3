// `--web.config.file`: TLS, users and headers of the listener for metrics, page and API, in the format of Prometheus's exporter-toolkit.

import { Option } from 'commander';
import { fileReader } from '../client/files.ts';
import type { ConfigText } from '../config/load.ts';
import { createEmptiedCheck, type EmptiedCheck, watchFile } from '../config/watch.ts';
import type { LoadedWeb } from '../server/web/web.ts';
import { type ConfigError, formatErrors, type Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { readText } from './read-text.ts';

const flag = '--web.config.file';
const variable = 'SNOWGAUGE_WEB_CONFIG_FILE';

export const webConfigOption = (): Option =>
  new Option(`${flag} <file>`, `TLS, basic authentication and headers, as for Prometheus's exporters (${variable})`);

/** Undefined: plain HTTP without authentication. */
export const webConfigFile = (options: object, env: CommandContext['env']): string | undefined =>
  String(Reflect.get(options, 'web.config.file') ?? env[variable] ?? '') || undefined;

type TellErrors = (errors: readonly string[]) => void;

export interface OpenedWeb {
  readonly web: LoadedWeb;
  /** Reloads the file when it changes. `tell`: called with all errors of the file and its certificates. Resolves after the signal. */
  readonly watch: (signal: AbortSignal, tell?: TellErrors) => Promise<void>;
}

interface WebContext extends Pick<CommandContext, 'now' | 'log'> {
  readonly readFile?: (file: string) => Promise<ConfigText>;
  /** Of the file; knows what was read before. */
  readonly isEmptied?: EmptiedCheck | undefined;
}

/** Nobody would be asked for a password. */
const emptied: ConfigError = { path: '', message: 'is empty: write {} for no protection' };

const unreadable = (reason: string): ConfigError => ({ path: '', message: `cannot be read: ${reason}` });

/** Returns all errors of the file, and of the files that it names. */
export const openWeb = async (
  file: string | undefined,
  { now, log, readFile = readText, isEmptied = createEmptiedCheck() }: WebContext,
): Promise<Parsed<OpenedWeb | undefined>> => {
  if (file === undefined) return { kind: 'ok', value: undefined };
  // Imported only if needed.
  const { loadWeb } = await import('../server/web/web.ts');
  const said = (errors: readonly ConfigError[]): readonly ConfigError[] =>
    errors.map((error) => ({ path: flag, message: formatErrors(file, [error]).trimEnd() }));
  const read = await readFile(file);
  if (read.kind === 'failed') return { kind: 'invalid', errors: said([unreadable(read.reason)]) };
  if (isEmptied(read.text)) return { kind: 'invalid', errors: said([emptied]) };
  let tell: TellErrors = () => undefined;
  const errorsOf: { file: readonly string[]; certificates: readonly string[] } = { file: [], certificates: [] };
  const keep = (errors: Partial<typeof errorsOf>): void => {
    Object.assign(errorsOf, errors);
    tell([...new Set([...errorsOf.file, ...errorsOf.certificates])]);
  };
  const refuse = (errors: readonly ConfigError[]): readonly string[] => {
    const sentences = said(errors).map(({ message }) => message);
    log.error({ file, errors: sentences }, 'reload failed, keeping the previous web configuration');
    return sentences;
  };
  const refused = (errors: readonly ConfigError[]): void => keep({ certificates: refuse(errors) });
  const renewed = (): void => {
    log.info({ file }, 'certificates reloaded');
    keep({ certificates: [] });
  };
  const disconnected = (address: string, reason: string): void => log.warn({ address, reason }, 'client rejected');
  const loaded = await loadWeb({ file, text: read.text, read: fileReader(), now, refused, renewed, disconnected });
  if (loaded.kind === 'invalid') return { kind: 'invalid', errors: said(loaded.errors) };
  const web = loaded.value;
  const errorsIn = async (now: ConfigText): Promise<readonly ConfigError[]> => {
    if (now.kind === 'failed') return [unreadable(now.reason)];
    return isEmptied(now.text) ? [emptied] : web.reload(now.text);
  };
  let before = '';
  const watch: OpenedWeb['watch'] = (signal, given = tell) => {
    tell = given;
    // A certificate may have been replaced by an invalid one since the file was opened.
    if (errorsOf.file.length + errorsOf.certificates.length > 0) keep({});
    return watchFile({
      file,
      readFile: readText,
      loaded: read,
      log,
      signal,
      changed: async (now) => {
        const errors = await errorsIn(now);
        const errorText = JSON.stringify(errors);
        // A rejected file is read again and again, but its errors are logged only once.
        if (errors.length > 0 && errorText !== before) keep({ file: refuse(errors) });
        if (errors.length === 0) {
          log.info({ file }, 'web configuration reloaded');
          keep({ file: [], certificates: [] });
        }
        before = errorText;
        return errors.length === 0;
      },
    }).finished;
  };
  return { kind: 'ok', value: { web, watch } };
};
