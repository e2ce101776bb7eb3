// Families of the sources of discovery.

import { flag, type Row } from './family.ts';

/** State of one source. `source`: the name of its entry in the configuration, such as `file/0`. */
export interface DiscoverySource {
  readonly source: string;
  /** Undefined before its first request. */
  readonly successful: boolean | undefined;
  /** Steady clock. */
  readonly succeededAt?: number;
  readonly targets: number;
  /** By reason. */
  readonly dropped: ReadonlyMap<string, number>;
}

export const discoveryRows: readonly Row<DiscoverySource & { readonly wallOffset: number }>[] = [
  {
    name: 'snowgauge_discovery_targets',
    type: 'gauge',
    labels: ['source'],
    unit: 'count',
    help: 'Targets of a discovery source that are watched.',
    source: 'discovery',
    value: ({ targets }) => targets,
  },
  {
    name: 'snowgauge_discovery_last_refresh_successful',
    type: 'gauge',
    labels: ['source'],
    unit: 'boolean',
    help: '1 if the last refresh of a discovery source succeeded, 0 if it failed: the source keeps its last list.',
    source: 'discovery',
    value: ({ successful }) => (successful === undefined ? undefined : flag(successful)),
  },
  {
    name: 'snowgauge_discovery_last_refresh_success_timestamp_seconds',
    type: 'gauge',
    labels: ['source'],
    unit: 'timestamp',
    help: 'Time of the last successful refresh of a discovery source.',
    source: 'discovery',
    value: ({ succeededAt, wallOffset }) => (succeededAt === undefined ? undefined : succeededAt + wallOffset),
  },
];

export const droppedRow: Row<readonly [source: string, reason: string, count: number]> = {
  name: 'snowgauge_discovery_dropped_targets',
  type: 'gauge',
  labels: ['source', 'reason'],
  unit: 'count',
  help: 'Targets of a discovery source that are not watched, by reason: refused, pending, invalid, duplicate, limit.',
  source: 'discovery',
  value: ([, , count]) => count,
};
