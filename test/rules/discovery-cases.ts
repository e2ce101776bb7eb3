// Cases of the alerts on discovery.

import type { Fires, Quiet } from './case.ts';
import { hold, inTurn, type Series, scraped, well } from './series.ts';

const world = (steps: number, changes: Series): Series => scraped({ ...well(steps), ...changes });

const refreshed = (values: string): Series => ({ 'snowgauge_discovery_last_refresh_successful{source="file/0"}': values });
const dropped = (reason: string, values: string): Series => ({
  [`snowgauge_discovery_dropped_targets{source="kubernetes/0",reason="${reason}"}`]: values,
});

const said = (reason: string, why: string, count: number): Pick<Fires, 'labels' | 'summary' | 'description'> => ({
  labels: { target: undefined, source: 'kubernetes/0', reason },
  summary: `Discovered targets of exporter validator-0 are not watched: ${count} ${reason}.`,
  description: `Exporter validator-0 does not watch ${count === 1 ? '1 target' : `${count} targets`} that it discovered by kubernetes/0. ${why} The log of the exporter names them.`,
});

const why = {
  refused: 'Every connection was refused: such a node is down, or it listens on 127.0.0.1 (the default) and needs --http-host.',
  pending: 'A pod without an address is not scheduled, or does not start.',
  limit: 'There are more than discovery.maxTargets.',
  duplicate: 'Another target has the same name or URL.',
  invalid: 'An address, a name, or an annotation or label of a pod is invalid.',
};

export const discoveryFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeDiscoveryFailing',
    title: 'a source fails',
    series: world(30, refreshed(inTurn(hold(1, 5), hold(0, 25)))),
    steps: 30,
    at: 15,
    labels: { target: undefined, source: 'file/0' },
    summary: 'Discovery file/0 of exporter validator-0 fails.',
    description:
      'Exporter validator-0 cannot refresh the targets of file/0. It keeps the last list: new nodes are not watched, and removed ones are reported down.',
  },
  ...Object.entries(why).map(
    ([reason, text]): Fires => ({
      alert: 'SnowgaugeDiscoveredTargetsDropped',
      title: `targets are not watched: ${reason}`,
      series: world(30, dropped(reason, inTurn(hold(0, 5), hold(reason === 'invalid' ? 1 : 3, 25)))),
      steps: 30,
      at: 20,
      ...said(reason, text, reason === 'invalid' ? 1 : 3),
    }),
  ),
];

export const discoveryQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeDiscoveryFailing',
    title: 'a source fails for nine minutes',
    series: world(30, refreshed(inTurn(hold(1, 5), hold(0, 9), hold(1, 16)))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeDiscoveryFailing',
    title: 'nothing is discovered',
    series: world(30, refreshed(hold('_', 30))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeDiscoveredTargetsDropped',
    title: 'pods have no address for a while after they start',
    series: world(30, dropped('refused', inTurn(hold(0, 5), hold(3, 14), hold(0, 11)))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeDiscoveredTargetsDropped',
    title: 'all targets are watched',
    series: world(30, dropped('limit', hold(0, 30))),
    steps: 30,
  },
];
