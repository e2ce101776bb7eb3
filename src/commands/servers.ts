// The listeners of a snowgauge: one for all paths, and optionally a second one for the probe paths.

import { silentLog } from '../log.ts';
import { type ServerDependencies, startServer } from '../server/listen.ts';
import type { Paths } from '../server/routes.ts';
import { createArrivals } from '../turns.ts';

interface ServersOptions {
  readonly host: string;
  readonly port: number;
  /** Port of the second listener, on the same host. */
  readonly probesPort: number | undefined;
  readonly drainMs: number;
  readonly graceMs: number;
}

export type Servers = Awaited<ReturnType<typeof startServers>>;

/** Starts both listeners, or none. `url`: that of the page. `closed` resolves when both have ended. */
export const startServers = async (
  { host, port, probesPort, ...times }: ServersOptions,
  dependenciesOf: (paths: Paths) => ServerDependencies,
) => {
  const arrivals = createArrivals();
  const start = (at: number, paths: Paths) => {
    const dependencies = { ...dependenciesOf(paths), arrivals };
    // Both stop at the same time, so only one logs it.
    return startServer({ host, port: at, paths, ...times }, paths === 'all' ? dependencies : { ...dependencies, log: silentLog });
  };
  const all = await start(port, 'all');
  if (all.kind === 'invalid') return all;
  const probes = probesPort === undefined ? undefined : await start(probesPort, 'probes');
  if (probes?.kind === 'invalid') {
    await all.value.close();
    return probes;
  }
  const closed = Promise.all([all.value.closed, probes?.value.closed]);
  return { kind: 'ok' as const, url: all.value.url, probesUrl: probes?.value.url, closed };
};
