// Applies another configuration to a running snowgauge: its targets, discovery, maintenance windows, modules, metrics and clients.

import { isDeepStrictEqual } from 'node:util';
import { fileReader } from '../client/files.ts';
import { exported } from '../config/metrics.ts';
import type { Config } from '../config/types.ts';
import type { EventHistory } from '../events/event-history.ts';
import type { Exporter } from '../exporter.ts';
import type { MaintenanceWindows } from '../maintenance/windows.ts';
import type { MetricsPage } from '../metrics/page.ts';
import { moduleErrors, type Prober } from '../probe/prober.ts';
import type { Replaced } from '../replaced.ts';
import type { Parsed } from '../yaml/parse.ts';
import { clientSettings } from './client-settings.ts';
import type { DiscoveredTargets } from './discovered.ts';
import type { Served } from './served.ts';

interface Given extends Pick<Served, 'listen' | 'ownHosts' | 'server' | 'metrics'> {
  readonly maintenance: Served['maintenance'] | undefined;
}

type Reconfiguration = Pick<Config, 'targets' | 'maintenance'> &
  Partial<Pick<Config, 'discovery' | 'metrics' | 'probe' | 'server'>>;

interface Parts {
  readonly exporter: Exporter;
  readonly discovered: DiscoveredTargets;
  readonly prober: Prober | undefined;
  readonly page: MetricsPage;
  readonly windows: MaintenanceWindows;
  /** Deletes everything that is remembered about a removed target. */
  readonly forget: (name: string) => void;
  readonly eventHistory: Pick<EventHistory, 'add'>;
  /** Seconds. */
  readonly wallNow: () => number;
  readonly userAgent: string;
}

export const reconfigurable = (
  { listen: { externalAddress }, ownHosts, ...given }: Given,
  { exporter, discovered, prober, page, windows, forget, eventHistory, wallNow, userAgent }: Parts,
) => {
  const readToken = fileReader();
  const called = { externalAddress, ownHosts };
  let clients = clientSettings(given.server, called);
  let { metrics } = given;
  let tokenFile = given.maintenance?.tokenFile;
  return {
    clients: () => clients,
    /** Token of the maintenance API. */
    token: () => (tokenFile === undefined ? undefined : readToken(tokenFile)),
    /** Applies all of it. If there are errors, it returns all of them and changes nothing. */
    replace: (next: Reconfiguration): Parsed<Replaced> => {
      const errors = next.probe === undefined ? [] : moduleErrors(next.probe, userAgent);
      if (errors.length > 0) return { kind: 'invalid', errors };
      const made = discovered.configure(next.targets, next.discovery);
      if (made.kind === 'invalid') return made;
      if (next.probe !== undefined) prober?.configure(next.probe);
      if (next.server !== undefined) clients = clientSettings(next.server, called);
      const replaced = exporter.replace(made.value);
      // If other metrics are chosen, every target is rendered again.
      if (next.metrics !== undefined && !isDeepStrictEqual(next.metrics, metrics)) {
        const chosen = exported(next.metrics);
        page.choose(chosen);
        prober?.choose(chosen);
      }
      metrics = next.metrics ?? metrics;
      windows.configure(next.maintenance.windows);
      tokenFile = next.maintenance.tokenFile;
      const at = wallNow();
      for (const target of replaced.removed) {
        forget(target);
        eventHistory.add([{ kind: 'target-removed', at, target, message: 'no longer configured' }]);
      }
      return { kind: 'ok', value: replaced };
    },
  };
};
