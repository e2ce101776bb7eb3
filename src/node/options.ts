// The options of the embedded node and the flags they are read from: named as the real node's, with its defaults.

import { parseGoDurationSeconds } from '../protocol/duration.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { type Dialect, dialects } from './dialect.ts';

export interface NodeOptions {
  readonly httpHost: string;
  /** 0: any that is free. */
  readonly httpPort: number;
  readonly httpAllowedHosts: readonly string[];
  readonly httpAllowedOrigins: readonly string[];
  /** Seconds in which a node that stops still answers, and says `shuttingDown`. */
  readonly httpShutdownWait: number;
  /** Seconds between two rounds of checks. */
  readonly healthCheckFrequency: number;
  readonly apiHealthEnabled: boolean;
  readonly indexEnabled: boolean;
  readonly indexAllowIncomplete: boolean;
  readonly dialect: Dialect;
  /** Where the store is; without one it lives in memory. */
  readonly dataDir?: string;
  /** What the simulated network is made from; the scenario's own beats the default, a flag beats both. */
  readonly seed?: number;
}

export const defaultNodeOptions: NodeOptions = {
  httpHost: '127.0.0.1',
  httpPort: 9650,
  httpAllowedHosts: ['localhost'],
  httpAllowedOrigins: ['*'],
  httpShutdownWait: 0,
  healthCheckFrequency: 30,
  apiHealthEnabled: true,
  indexEnabled: false,
  indexAllowIncomplete: false,
  dialect: 'documented',
};

export interface Flag {
  readonly name: string;
  /** What stands for the value in the help. Only `true|false` may be left out. */
  readonly value: string;
  readonly help: string;
}

export const nodeFlags: readonly Flag[] = [
  { name: 'http-host', value: 'address', help: 'address to listen on (default 127.0.0.1)' },
  { name: 'http-port', value: 'port', help: 'port to listen on; 0 for any free port (default 9650)' },
  {
    name: 'http-allowed-hosts',
    value: 'names',
    help: 'accepted Host names, comma-separated; * for all (default localhost)',
  },
  { name: 'http-allowed-origins', value: 'origins', help: 'allowed CORS origins, comma-separated (default *)' },
  { name: 'http-shutdown-wait', value: 'duration', help: 'how long to keep serving after SIGTERM (default 0s)' },
  { name: 'health-check-frequency', value: 'duration', help: 'time between two health check runs (default 30s)' },
  { name: 'api-health-enabled', value: 'true|false', help: 'serve the health interface (default true)' },
  { name: 'index-enabled', value: 'true|false', help: 'index every accepted container (default false)' },
  { name: 'index-allow-incomplete', value: 'true|false', help: 'allow an index to be incomplete (default false)' },
  { name: 'data-dir', value: 'folder', help: 'where the store is kept (default: in memory)' },
  { name: 'dialect', value: 'dialect', help: `${dialects.join(' or ')} (default documented)` },
  { name: 'seed', value: 'number', help: 'seed of the simulated network' },
  { name: 'scenario', value: 'file', help: 'YAML file with the network and its faults (docs/scenario.md)' },
];

/** By flag name, as commander gives them: true for a flag without a value. */
export type RawFlags = Readonly<Record<string, string | boolean | undefined>>;

export type ReadOptions =
  | { readonly kind: 'ok'; readonly options: NodeOptions; readonly scenarioFile?: string }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };

/** Every error at once, each with what to write instead. */
export const readNodeOptions = (raw: RawFlags): ReadOptions => {
  const errors: ConfigError[] = [];
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, remedy: string): T => {
    const given = raw[name];
    if (given === undefined) return fallback;
    if (given === true && typeof fallback !== 'boolean') {
      errors.push({ path: `--${name}`, message: 'needs a value' });
      return fallback;
    }
    const text = String(given);
    const value = parse(text);
    if (value !== undefined) return value;
    errors.push({
      path: `--${name}`,
      message: `${JSON.stringify(text)} ${isUnitless(name, text) ? `has no unit: write ${text}s` : remedy}`,
    });
    return fallback;
  };
  const fallback = defaultNodeOptions;
  const boolean = (name: string, otherwise: boolean): boolean =>
    read(name, otherwise, readBoolean, 'is neither true nor false: write true or false, or the flag alone');
  const list = (name: string, otherwise: readonly string[]): readonly string[] =>
    read<readonly string[]>(name, otherwise, (text) => text.split(',').filter((item) => item !== ''), '');
  const text = (name: string): string | undefined =>
    read<string | undefined>(name, undefined, (given) => given || undefined, 'is empty: write a path');
  const options: NodeOptions = {
    httpHost: read('http-host', fallback.httpHost, (given) => given || undefined, 'is empty: write an address like 127.0.0.1'),
    httpPort: read('http-port', fallback.httpPort, (given) => wholeUpTo(given, 65_535), 'is not a port: write 0 to 65535'),
    httpAllowedHosts: list('http-allowed-hosts', fallback.httpAllowedHosts),
    httpAllowedOrigins: list('http-allowed-origins', fallback.httpAllowedOrigins),
    httpShutdownWait: read('http-shutdown-wait', fallback.httpShutdownWait, atLeastZero, 'is not a duration: write it like 10s'),
    healthCheckFrequency: read(
      'health-check-frequency',
      fallback.healthCheckFrequency,
      aboveZero,
      'must be positive: write it like 30s',
    ),
    apiHealthEnabled: boolean('api-health-enabled', fallback.apiHealthEnabled),
    indexEnabled: boolean('index-enabled', fallback.indexEnabled),
    indexAllowIncomplete: boolean('index-allow-incomplete', fallback.indexAllowIncomplete),
    dialect: read(
      'dialect',
      fallback.dialect,
      (given) => dialects.find((dialect) => dialect === given),
      `is not a dialect: write ${dialects.join(' or ')}`,
    ),
  };
  const seed = read<number | undefined>(
    'seed',
    undefined,
    (given) => wholeUpTo(given, 0xffff_ffff),
    'is not a seed: write 0 to 4294967295',
  );
  const dataDir = text('data-dir');
  const scenarioFile = text('scenario');
  if (errors.length > 0) return { kind: 'invalid', errors };
  return {
    kind: 'ok',
    options: { ...options, ...(dataDir !== undefined && { dataDir }), ...(seed !== undefined && { seed }) },
    ...(scenarioFile !== undefined && { scenarioFile }),
  };
};

const isUnitless = (name: string, text: string): boolean =>
  nodeFlags.some((flag) => flag.name === name && flag.value === 'duration') && /^\d+(?:\.\d+)?$/.test(text);

/** What Go's flags take for a boolean. */
const readBoolean = (text: string): boolean | undefined => {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  return /^(?:0|f|false)$/i.test(text) ? false : undefined;
};

const wholeUpTo = (text: string, most: number): number | undefined =>
  /^\d{1,10}$/.test(text) && Number(text) <= most ? Number(text) : undefined;

const atLeastZero = (text: string): number | undefined => {
  const seconds = parseGoDurationSeconds(text);
  return seconds !== undefined && seconds >= 0 ? seconds : undefined;
};

const aboveZero = (text: string): number | undefined => {
  const seconds = parseGoDurationSeconds(text);
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
};
