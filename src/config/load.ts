// Loads the configuration from a file and the environment, or returns all errors in them at once.

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
  /** The file is a pipe, which can be read only once. */
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

/** `source`: the file, or `environment` if there is none. It is shown before each error, and in the log. */
export type Loaded = Parsed<Config> & {
  readonly source: string;
  /** The file to read again when it changes; absent for a pipe. */
  readonly file?: string;
  readonly isPiped?: boolean;
  /** The content of the file. */
  readonly text?: string;
};

/** Loads the file of --config, else of SNOWGAUGE_CONFIG, else the default file if it exists, else one target from SNOWGAUGE_URL. */
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
 * Parses the text of a file. Variables override its settings, and are used for settings that it leaves out. `folder`: where its relative paths
 * start; by default the working directory. The paths of variables always start there.
 */
export const parseConfig = async (text: string, env: Variables, folder?: string): Promise<Parsed<Config>> => {
  const given = fromVariables(env);
  const parsed = await parseYaml(text, configSchema, { env, given: [noDefaultTarget, ...given], also });
  if (parsed.kind === 'invalid' || folder === undefined) return parsed;
  const outside = new Set(given.map(({ path }) => pathText(path)));
  return { kind: 'ok', value: inFolder(parsed.value, folder, (setting) => outside.has(setting)) };
};

/** Checks that load a library or the tables of families, which most configurations do not need. */
const also = async (config: unknown) => [...(await regexFaults(config)), ...(await familyFaults(config))];

/** With discovery, there is no default target. */
const noDefaultTarget: Given = {
  path: ['targets'],
  value: [],
  variable: 'discovery',
  when: (text) => targetsIn(text) === 0 && discovers(text),
};

const unreadable = (reason: string): ConfigError => ({ path: '', message: `cannot be read: ${reason}` });

/** Kubernetes sets variables such as SNOWGAUGE_PORT=tcp://10.0.0.1:9652 in every pod beside a Service named snowgauge. */
const isServiceLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\//i.test(value);

/** Undefined if it is not set, empty, or a service link. */
const variable = (env: Variables, name: string): string | undefined => {
  const value = env[name];
  return value === undefined || value === '' || isServiceLink(value) ? undefined : value;
};

/** The variables that are set, each with the path of its setting. */
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

/** The number of targets; undefined if `targets` is not a list, which is an error of the schema. */
const targetsIn = (text: unknown): number | undefined => {
  const targets = valueAt(text, ['targets']) ?? [];
  return Array.isArray(targets) ? targets.length : undefined;
};
