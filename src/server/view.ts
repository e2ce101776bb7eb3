// The data of the page of one or a few targets. It limits how many checks are shown, because a node may have many.

import type { Targets } from '../conditions/condition.ts';
import type { Fact } from '../sources/source.ts';
import type { Sources } from '../sources/sources.ts';
import { factsOf } from '../sources/target-status.ts';
import { type ConfigurationStatus, configurationStatus } from './configuration.ts';
import { type DiscoveryStatus, discoveryStatus } from './discovery-status.ts';
import { byMark, targetMark } from './marks.ts';
import { type ShardView, shardView } from './shards.ts';
import { type Own, type Present, type TargetStatus, targetStatus } from './status.ts';
import type { ShownTransition } from './strip.ts';

/** The parts about the exporter itself, on every page. */
export interface OwnView {
  readonly version: string;
  /** Seconds since the Unix epoch, wall clock, like all times here. */
  readonly startedAt: number;
  readonly configuration?: ConfigurationStatus;
  readonly discovery: readonly DiscoveryStatus[];
  /** Absent: this process watches all targets. */
  readonly shards?: ShardView;
  readonly now: number;
}

export interface View extends OwnView {
  /** Number of all targets of this process. */
  readonly total: number;
  /** Targets with their own sections, worst first. */
  readonly detailed: readonly TargetStatus[];
  /** Maximum number of checks shown per target. */
  readonly maxChecks: number;
  readonly selected?: string;
  /** The facts that the sources of its state list about a node. */
  readonly facts: (target: TargetStatus) => readonly Fact[];
  /** Transitions of a target, oldest first. */
  readonly transitions: (target: string) => readonly ShownTransition[];
  /** Time of the oldest remaining record of a target; undefined if no record was evicted. */
  readonly heldFrom: (target: string) => number | undefined;
}

const checksAlone = 200;
const checksBesideOthers = 25;

export type Past = Pick<View, 'transitions' | 'heldFrom'>;

export const ownView = (
  { version, startedAt, configuration, discovery = [], shards }: Own,
  { now, wallOffset }: Present,
): OwnView => ({
  version,
  startedAt: startedAt + wallOffset,
  ...(configuration !== undefined && { configuration: configurationStatus(configuration, wallOffset) }),
  discovery: discovery.map((one) => discoveryStatus(one, wallOffset)),
  ...(shards !== undefined && { shards: shardView(shards) }),
  now: now + wallOffset,
});

/** The view of the targets with these names. */
export const viewOf = (
  table: Sources,
  targets: Targets,
  names: Iterable<string>,
  past: Past,
  own: Own,
  present: Present,
): View => {
  const detailed = [...names].flatMap((name) => {
    const target = targets.get(name);
    return target === undefined ? [] : [targetStatus(table, target, present)];
  });
  return {
    ...ownView(own, present),
    ...past,
    facts: (target) => factsOf(table, target),
    total: targets.size,
    detailed: detailed.sort(byMark(targetMark)),
    maxChecks: detailed.length === 1 ? checksAlone : checksBesideOthers,
  };
};
