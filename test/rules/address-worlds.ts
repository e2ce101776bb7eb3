// Worlds in which a pod gets another address: Prometheus sees new series, and counts from the old address must still matter.

import type { Situation } from './case.ts';
import { beginning, hold, info, inTurn, type Series, scraped, scrapeLabels, until, well } from './series.ts';
import { all } from './world-parts.ts';

const steps = 60;
const moveAt = 30;

/** No samples for two minutes, then counters restart at 0. */
const moved = (at: number, before: Series): Series =>
  all(
    scraped(until({ ...well(moveAt), ...before }, moveAt), at),
    scraped(beginning(well(steps - moveAt - 2), moveAt + 2), { ...scrapeLabels(at), instance: `10.0.7.${at + 1}:9652` }),
  );

const counted = (...values: readonly number[]): string =>
  inTurn(...values.map((value) => hold(value, 5)), hold(values.at(-1) ?? 0, moveAt - 5 * values.length));

/** A sidecar's node with this key. */
const keyed = (many: number, network = 'mainnet'): Series => ({
  ...well(many),
  ...info('http://127.0.0.1:9650', 'NodeID-a', hold(1, many), network),
});

/** A sidecar's node that gets another key in the middle of the first steps. */
const rekeyed = (many: number, before: string, after: string): Series => ({
  ...well(many),
  ...info('http://127.0.0.1:9650', before, inTurn(hold(1, moveAt / 2), hold('_', many - moveAt / 2))),
  ...info('http://127.0.0.1:9650', after, inTurn(hold('_', moveAt / 2), hold(1, many - moveAt / 2))),
});

export const addressWorlds: readonly Situation[] = [
  {
    title: 'two pods change their address: one node has been crash-looping, the other has a flapping check and a damaged index',
    series: all(
      moved(0, { snowgauge_node_restarts_total: counted(0, 1, 2, 3) }),
      moved(1, {
        'snowgauge_check_transitions_total{check="router",to="failing"}': counted(0, 1, 2, 3, 4),
        'snowgauge_index_integrity_errors_total{index="C/block",kind="gap"}': counted(0, 1),
      }),
    ),
    steps,
    fires: { 'NodeRestarting node': 1, 'CheckFlapping node': 1, 'IndexIntegrityErrors index': 1 },
    steady: true,
  },
  {
    title: 'the pod of a Deployment is replaced by one with another name, and its node keeps its key',
    series: all(
      scraped(until(keyed(moveAt), moveAt), { ...scrapeLabels(), pod: 'node-5d9c-x7k2p' }),
      scraped(beginning(keyed(steps - moveAt - 2), moveAt + 2), { ...scrapeLabels(1), pod: 'node-77f4-b8z9q' }),
    ),
    steps,
  },
  {
    title: 'a pod is gone, and a node in another network has the same key',
    series: all(scraped(until(keyed(moveAt), moveAt)), scraped(keyed(steps, 'fuji'), 1)),
    steps,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'two nodes swap their keys, and later the pod of one of them is gone',
    series: all(
      scraped(until(rekeyed(moveAt, 'NodeID-a', 'NodeID-b'), moveAt)),
      scraped(rekeyed(steps, 'NodeID-b', 'NodeID-a'), 1),
    ),
    steps,
    fires: { 'NodeIdChanged identity': 1, 'TargetMissing target': 1 },
  },
];
