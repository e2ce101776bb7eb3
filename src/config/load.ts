// The configuration of a start: a file and the environment, or every error in them at once.

import { type ConfigError, type Given, type Parsed, parseYaml, type Variables } from '../yaml/parse.ts';
import { pathText, valueAt } from '../yaml/path.ts';
import { configSchema, globalVariables } from './config.ts';
import { discovers } from './discovery.ts';
import { inFolder, pathsStartAt } from './folder.ts';
import { familyFaults } from './metrics.ts';
import { regexFaults } from './relabeling-regex.ts';
import { defaultTarget } from './target.ts';
import type { Config } from './types.ts';

export const fileVariable = 'SNOWGAUGE_CONFIG';
export const urlVariable = 'SNOWGAUGE_URL';
export const defaultFile = '/etc/snowgauge/snowgauge.yaml';

export type ConfigText = (
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }
) & {
  /** It can be read this once. */
  readonly isPiped?: boolean;
};

export interface LoadOptions {
  /** From --config. */
  readonly file?: string;
  readonly env: Variables;
  readonly readFile: (file: string) => Promise<ConfigText>;
  readonly fileExists: (file: string) => boolean;
  readonly parse?: typeof parseConfig;
}

/** `source` names the file, or says that there is none: it stands before each error, and in the log. */
export type Loaded = Parsed<Config> & {
  readonly source: string;
  /** To be read again when it changes; absent of what was piped in. */
  readonly file?: string;
  readonly isPiped?: boolean;
  /** What the file held. */
  readonly text?: string;
};

/** --config, else SNOWGAUGE_CONFIG, else the usual file where it exists, else one target from SNOWGAUGE_URL. */
export const loadConfig = async ({ file, env, readFile, fileExists, parse = parseConfig }: LoadOptions): Promise<Loaded> => {
  const chosen = file ?? variable(env, fileVariable) ?? (fileExists(defaultFile) ? defaultFile : undefined);
  if (chosen === undefined) return { ...(await parse('', env)), source: 'environment' };
  const read = await readFile(chosen);
  const parsed: Parsed<Config> =
    read.kind === 'ok'
      ? await parse(read.text, env, read.isPiped === true ? undefined : pathsStartAt(chosen))
      : { kind: 'invalid', errors: [unreadable(read.reason)] };
  const again = read.isPiped === true ? { isPiped: true } : { file: chosen };
  return { ...parsed, source: chosen, ...again, ...(read.kind === 'ok' && { text: read.text }) };
};

/**
 * The text of a file, with the variables that beat it or stand in for what it leaves out. `folder`: where its relative paths start; else at
 * the working directory, as those of variables do.
 */
export const parseConfig = async (text: string, env: Variables, folder?: string): Promise<Parsed<Config>> => {
  const given = fromVariables(env);
  const parsed = await parseYaml(text, configSchema, { env, given: [foundOnly, ...given], also });
  if (parsed.kind === 'invalid' || folder === undefined) return parsed;
  const outside = new Set(given.map(({ path }) => pathText(path)));
  return { kind: 'ok', value: inFolder(parsed.value, folder, (setting) => outside.has(setting)) };
};

/** What takes a library, or the tables of families, that most configurations do not need. */
const also = async (config: unknown) => [...(await regexFaults(config)), ...(await familyFaults(config))];

/** Where targets are found, none is there without being named. */
const foundOnly: Given = {
  path: ['targets'],
  value: [],
  variable: 'discovery',
  when: (text) => targetsIn(text) === 0 && discovers(text),
};

const unreadable = (reason: string): ConfigError => ({ path: '', message: `cannot be read: ${reason}` });

/** Kubernetes sets variables such as SNOWGAUGE_PORT=tcp://10.0.0.1:9652 in every pod beside a Service named snowgauge. */
const isServiceLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\//i.test(value);

/** Undefined where it is not set, empty, or a service link. */
const variable = (env: Variables, name: string): string | undefined => {
  const value = env[name];
  return value === undefined || value === '' || isServiceLink(value) ? undefined : value;
};

/** The variables that are set, and where each stands in the file. */
export const fromVariables = (env: Variables): readonly Given[] => {
  const url = variable(env, urlVariable);
  const scalars = globalVariables.flatMap(({ path, variable: name }): readonly Given[] => {
    const value = variable(env, name);
    return value === undefined ? [] : [{ path, value, variable: name }];
  });
  if (url === undefined) return scalars;
  return [
    ...scalars,
    { path: ['targets'], value: [{ ...defaultTarget, url }], variable: urlVariable, when: (text) => targetsIn(text) === 0 },
    { path: ['targets', 0, 'url'], value: url, variable: urlVariable, when: (text) => targetsIn(text) === 1 },
  ];
};

/** Whatever else stands there is an error of the file's. */
const targetsIn = (text: unknown): number | undefined => {
  const targets = valueAt(text, ['targets']) ?? [];
  return Array.isArray(targets) ? targets.length : undefined;
};
