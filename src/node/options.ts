// Options of the embedded node and their flags, with the names and defaults of the real node.

import * as z from 'zod/mini';
import { wholeNumber } from '../protocol/scalars.ts';
import { check } from '../yaml/check.ts';
import { dialects } from './dialect.ts';
import { duration, period } from './scenario-grammar.ts';

const text = z.string().check(z.minLength(1, 'is empty'));
const listOf = (separator: RegExp) =>
  z.pipe(
    z.string(),
    z.transform((given): readonly string[] => given.split(separator).filter((item) => item !== '')),
  );
const number = (max: number) =>
  z.pipe(
    z.transform((given: unknown) => (/^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN)),
    wholeNumber(0, max),
  );

/** Parses booleans as Go's flags do; the flag alone is true. */
const readBoolean = (given: unknown): boolean | undefined => {
  if (/^(?:1|t|true)$/i.test(String(given))) return true;
  return /^(?:0|f|false)$/i.test(String(given)) ? false : undefined;
};
const boolean = z.pipe(z.transform(readBoolean), z.boolean('must be true or false: write true or false, or the flag alone'));

/** By flag; flag names are the same in kebab-case. */
const flagsSchema = z.object({
  httpHost: z._default(text, '127.0.0.1'),
  /** 0: any free port. */
  httpPort: z._default(number(65_535), 9650),
  httpAllowedHosts: z._default(listOf(/,/), ['localhost']),
  /** A real node splits them at white space only. */
  httpAllowedOrigins: z._default(listOf(/[\s,]+/), ['*']),
  /** Seconds for which a stopping node still serves requests, and reports `shuttingDown`. */
  httpShutdownWait: z._default(duration, 0),
  healthCheckFrequency: z._default(period, 30),
  apiHealthEnabled: z._default(boolean, true),
  apiInfoEnabled: z._default(boolean, true),
  indexEnabled: z._default(boolean, false),
  indexAllowIncomplete: z._default(boolean, false),
  dialect: z._default(z.enum(dialects, `is not a dialect: write ${dialects.join(' or ')}`), 'documented'),
  /** Folder of the store; in memory if undefined. */
  dataDir: z.optional(text),
  /** Seed of the simulated network. A flag overrides the scenario's seed, which overrides the default. */
  seed: z.optional(number(0xffff_ffff)),
  scenario: z.optional(text),
});

/** Durations in seconds. */
export type NodeOptions = Readonly<Omit<z.output<typeof flagsSchema>, 'scenario'>>;

export const defaultNodeOptions: NodeOptions = z.parse(flagsSchema, {});

/** `value`: placeholder in the help. Only `true|false` may be omitted. `isList`: the flag may be repeated, as in a real node. */
export const nodeFlags = [
  { name: 'http-host', value: 'address', help: 'address to listen on (default 127.0.0.1)' },
  { name: 'http-port', value: 'port', help: 'port to listen on; 0 for any free port (default 9650)' },
  {
    name: 'http-allowed-hosts',
    value: 'names',
    isList: true,
    help: 'accepted Host names, comma-separated or repeated; * for all (default localhost)',
  },
  {
    name: 'http-allowed-origins',
    value: 'origins',
    help: 'allowed CORS origins, separated by spaces or commas; * matches anything (default *)',
  },
  { name: 'http-shutdown-wait', value: 'duration', help: 'how long to keep serving after SIGTERM (default 0s)' },
  { name: 'health-check-frequency', value: 'duration', help: 'time between two health check runs (default 30s)' },
  { name: 'api-health-enabled', value: 'true|false', help: 'serve the health interface (default true)' },
  { name: 'api-info-enabled', value: 'true|false', help: 'serve /ext/info (default true)' },
  { name: 'index-enabled', value: 'true|false', help: 'index every accepted container (default false)' },
  { name: 'index-allow-incomplete', value: 'true|false', help: 'allow an index to be incomplete (default false)' },
  { name: 'data-dir', value: 'directory', help: 'where the store is kept (default: in memory)' },
  {
    name: 'dialect',
    value: 'dialect',
    help: 'emulate the API reference (documented, the default) or the real node (avalanchego)',
  },
  { name: 'seed', value: 'number', help: 'seed of the simulated network (default: that of the scenario, else 1)' },
  { name: 'scenario', value: 'file', help: 'YAML file with the network and its faults (docs/scenario.md)' },
];

/** By flag name, as parsed by commander: true for a flag without a value. */
export type RawFlags = Readonly<Record<string, string | boolean | undefined>>;

/** Returns all errors at once, each with what to write instead. */
export const readNodeOptions = (raw: RawFlags) => {
  const bare = nodeFlags.filter(({ name, value }) => raw[name] === true && value !== 'true|false').map(({ name }) => name);
  const given = Object.entries(raw).flatMap(([name, value]) =>
    value === undefined || bare.includes(name) ? [] : [[optionOf(name), value] as const],
  );
  const parsed = check(flagsSchema, { value: Object.fromEntries(given), positions: new Map() });
  const wrong = parsed.kind === 'ok' ? [] : parsed.errors.map(({ path, message }) => ({ path: `--${flagOf(path)}`, message }));
  const errors = [...wrong, ...bare.map((name) => ({ path: `--${name}`, message: 'needs a value' }))];
  if (parsed.kind === 'invalid' || errors.length > 0) return { kind: 'invalid' as const, errors };
  const { scenario, ...options } = parsed.value;
  return { kind: 'ok' as const, options, scenarioFile: scenario };
};

const optionOf = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
const flagOf = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
