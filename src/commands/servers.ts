// The listeners of a snowgauge: one for all paths, and where the configuration says so a second for the probe paths alone.

import { type ServerDependencies, startServer } from '../server/listen.ts';
import type { Paths } from '../server/routes.ts';
import type { ConfigError } from '../yaml/parse.ts';

export interface ServersOptions {
  readonly host: string;
  readonly port: number;
  /** The second listener, on the same host. */
  readonly probesPort: number | undefined;
  readonly drainMs: number;
  readonly graceMs: number;
}

export type Servers =
  | {
      readonly kind: 'ok';
      /** Where the page is. */
      readonly url: string;
      readonly probesUrl: string | undefined;
      /** Resolves when both have ended. */
      readonly closed: Promise<unknown>;
    }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };

/** Both, or none. */
export const startServers = async (
  { host, port, probesPort, ...times }: ServersOptions,
  dependenciesOf: (paths: Paths) => ServerDependencies,
): Promise<Servers> => {
  const start = (at: number, paths: Paths) => startServer({ host, port: at, paths, ...times }, dependenciesOf(paths));
  const all = await start(port, 'all');
  if (all.kind === 'invalid') return all;
  const probes = probesPort === undefined ? undefined : await start(probesPort, 'probes');
  if (probes?.kind === 'invalid') {
    await all.value.close();
    return probes;
  }
  const closed = Promise.all([all.value.closed, probes?.value.closed]);
  return { kind: 'ok', url: all.value.url, probesUrl: probes?.value.url, closed };
};
