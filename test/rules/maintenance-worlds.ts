// Worlds about maintenance windows: no alerts for a target, its exporter or fleet during the window, and one if it stays away
// after it.

import type { Situation } from './case.ts';
import { hold, inTurn, scraped, until, well } from './series.ts';
import { all, cutOff, failing, four, maintained, pods, stuck } from './world-parts.ts';

const gone = (minutes: number) => scraped(until({ ...well(20), ...maintained(10, minutes, 20) }, 20));

/** The window is ended early, then the pod disappears. */
const goneAfterWork = scraped(
  until(
    { ...well(20), snowgauge_target_maintenance_end_timestamp_seconds: inTurn(hold('_', 5), hold(60 * 90, 10), 'stale') },
    20,
  ),
);

export const maintenanceWorlds: readonly Situation[] = [
  {
    title: 'all four nodes fail one check within their maintenance windows',
    series: four({ ...cutOff(105, 10), ...maintained(5, 99, 105) }),
    steps: 105,
  },
  {
    title: 'three of four nodes are in maintenance and fail, and the fourth fails the same check',
    series: pods(
      { ...well(105), ...failing('P', stuck, 105, 10, ['all']) },
      ...[1, 2, 3].map(() => ({ ...cutOff(105, 10), ...maintained(5, 99, 105) })),
    ),
    steps: 105,
    fires: { 'Unhealthy node': 1, 'CheckFailing node': 1 },
    ends: { 'CheckFailing node': 1 },
  },
  {
    title: 'a sidecar cannot be scraped within the maintenance window of its node',
    series: all(gone(80), scraped({ up: inTurn(hold('_', 20), hold(0, 40)) }), scraped(well(60), 1)),
    steps: 60,
  },
  {
    title: 'a sidecar cannot be scraped beyond the maintenance window of its node',
    series: all(gone(30), scraped({ up: inTurn(hold('_', 20), hold(0, 40)) }), scraped(well(60), 1)),
    steps: 60,
    fires: { 'ExporterDown exporter': 1 },
  },
  {
    title: 'the only pod is gone within its maintenance window, and rules are not evaluated for six minutes at a time',
    series: gone(80),
    steps: 60,
    evaluation: 360,
  },
  {
    title: 'the only pod is gone beyond its maintenance window',
    series: gone(30),
    steps: 70,
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'one of two pods is gone for a window of two hours and not back at its end',
    series: all(gone(120), scraped(well(160), 1)),
    steps: 160,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'the only pod disappears after its maintenance window was ended early, with evaluations every five minutes',
    series: goneAfterWork,
    steps: 60,
    evaluation: 300,
    fires: { 'Absent exporter': 1 },
  },
  {
    title: 'one of two pods disappears after its maintenance window was ended early',
    series: all(goneAfterWork, scraped(well(60), 1)),
    steps: 60,
    fires: { 'TargetMissing target': 1 },
  },
];
