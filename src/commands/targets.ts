// Settings of targets -> targets with clients. A target whose way to be asked did not change keeps its client and connections.

import { isDeepStrictEqual } from 'node:util';
import { type Client, createClient } from '../client/client.ts';
import { type ClientOptions, checkClientOptions } from '../client/options.ts';
import type { TargetConfig } from '../config/target.ts';
import type { ExporterTarget } from '../exporter.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';

/** Every error, files of secrets included; or the targets, some of them with the clients of the last time. */
export type ToTargets = (targets: readonly TargetConfig[]) => Parsed<readonly ExporterTarget[]>;

/** `closed`: the node of that target ended a kept-alive connection. */
export const targetMaker = (userAgent: string, now: () => number, closed: (name: string) => void): ToTargets => {
  let known = new Map<string, { readonly settings: ClientOptions; readonly client: Client }>();
  return (targets) => {
    const errors = targetErrors(targets, userAgent);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const next: typeof known = new Map();
    const value = targets.map(({ options, client: configured }) => {
      const { name } = options;
      const settings = { ...configured, userAgent };
      const before = known.get(name);
      const same = before !== undefined && isDeepStrictEqual(before.settings, settings);
      const client = same ? before.client : createClient(settings, now, { onClosed: () => closed(name) });
      next.set(name, { settings, client });
      return { options, client };
    });
    known = next;
    return { kind: 'ok', value };
  };
};

/** What is wrong with them now, files of secrets included; nothing is opened for it. */
export const targetErrors = (targets: readonly TargetConfig[], userAgent: string): readonly ConfigError[] =>
  targets.flatMap(({ options, client }) =>
    checkClientOptions({ ...client, userAgent }).map(({ path, message }) => ({
      path: `targets.${options.name}.${path}`,
      message,
    })),
  );
