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
  let known = new Map<string, { readonly options: ClientOptions; readonly client: Client }>();
  return (targets) => {
    const errors = targetErrors(targets, userAgent);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const next: typeof known = new Map();
    for (const target of targets) {
      const options = { ...target.client, userAgent };
      const before = known.get(target.options.name);
      const same = before !== undefined && isDeepStrictEqual(before.options, options);
      const { name } = target.options;
      next.set(name, same ? before : { options, client: createClient(options, now, { onClosed: () => closed(name) }) });
    }
    known = next;
    return {
      kind: 'ok',
      value: targets.flatMap(({ options }) => {
        const client = next.get(options.name)?.client;
        return client === undefined ? [] : [{ options, client }];
      }),
    };
  };
};

/** What is wrong with them now, files of secrets included; nothing is opened for it. */
export const targetErrors = (targets: readonly TargetConfig[], userAgent: string): readonly ConfigError[] =>
  targets.flatMap(({ options, client }) => errorsOf(options.name, { ...client, userAgent }));

const errorsOf = (target: string, options: ClientOptions): readonly ConfigError[] =>
  checkClientOptions(options).map(({ path, message }) => ({ path: `targets.${target}.${path}`, message }));
