// Settings of targets -> targets with clients. A target keeps its client and connections if its client settings did not change.

import type { LookupFunction } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Budget } from '../client/budget.ts';
import { type Client, createClient } from '../client/client.ts';
import { checkClientOptions } from '../client/options.ts';
import { foundTarget, type TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { FoundTarget } from '../discovery/target-of.ts';
import type { ExporterTarget } from '../exporter.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';

/** Returns all errors, including those in files of secrets, or the targets. Clients are reused. `found`: discovered targets. */
export type ToTargets = (targets: readonly TargetConfig[], beside?: Beside) => Parsed<readonly ExporterTarget[]>;

interface Beside {
  readonly found?: readonly FoundTarget[];
  readonly discovery?: DiscoveryConfig | undefined;
  /** The configuration was not reloaded, so its files are not checked again. */
  readonly isChecked?: boolean;
}

interface Known {
  readonly configured: TargetConfig['client'];
  readonly client: Client;
}

interface OfProcess {
  /** The node of the target has closed a kept-alive connection. */
  readonly onClosed: (name: string) => void;
  readonly budget: Budget;
  readonly lookup: LookupFunction;
}

/** `isOwn`: false for targets that other shards watch. */
export const targetMaker = (
  userAgent: string,
  now: () => number,
  { onClosed, budget, lookup }: OfProcess,
  isOwn: (name: string) => boolean = () => true,
): ToTargets => {
  let known = new Map<string, Known>();
  return (targets, { found = [], discovery, isChecked = false } = {}) => {
    const errors = isChecked ? [] : targetErrors(targets, userAgent, discovery);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const next: typeof known = new Map();
    const make = ({ options, client: configured }: TargetConfig, isDiscovered: boolean): ExporterTarget => {
      const { name } = options;
      const before = known.get(name);
      const isSame =
        before !== undefined && (before.configured === configured || isDeepStrictEqual(before.configured, configured));
      const client = isSame
        ? before.client
        : createClient({ ...configured, userAgent, lookup }, now, { budget, onClosed: () => onClosed(name) });
      next.set(name, { configured, client });
      return { options, client, isDiscovered };
    };
    const value = [
      ...targets.filter(({ options }) => isOwn(options.name)).map((one) => make(one, false)),
      ...found.filter(({ name }) => isOwn(name)).map((one) => make(one.target(), true)),
    ];
    known = next;
    return { kind: 'ok', value };
  };
};

/** Returns all current errors, including those in files of secrets, and opens nothing. */
export const targetErrors = (
  targets: readonly TargetConfig[],
  userAgent: string,
  discovery?: DiscoveryConfig,
): readonly ConfigError[] => [
  ...clientErrors(targets, userAgent),
  ...(discovery === undefined ? [] : discoveryErrors(discovery, userAgent)),
];

const clientErrors = (targets: readonly TargetConfig[], userAgent: string): readonly ConfigError[] =>
  targets.flatMap(({ options, client }) =>
    checkClientOptions({ ...client, userAgent }).map(({ path, message }) => ({
      path: `targets.${options.name}.${path}`,
      message,
    })),
  );

const discoveryErrors = ({ target, http }: DiscoveryConfig, userAgent: string): readonly ConfigError[] => {
  // Checks the settings of discovered targets with an address that is never used.
  const { client } = foundTarget(target, { name: 'found', url: 'https://127.0.0.1', labels: {} });
  const found = checkClientOptions({ ...client, userAgent }).map((error) => ({ at: 'target', error }));
  const lists = http.flatMap(({ tls, authorization, headers }, place) =>
    checkClientOptions({ ...client, ...{ tls: tls ?? {}, authorization, headers }, userAgent }).map((error) => ({
      at: `http[${place}]`,
      error,
    })),
  );
  return [...found, ...lists].map(({ at, error: { path, message } }) => ({ path: `discovery.${at}.${path}`, message }));
};
