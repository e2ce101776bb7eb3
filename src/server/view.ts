// What stands on the page of one target, or of few: bounded, because a node may have many checks.

import type { Targets } from '../conditions/condition.ts';
import type { Fact } from '../sources/source.ts';
import type { Sources } from '../sources/sources.ts';
import { factsOf } from '../sources/target-status.ts';
import { type ConfigurationStatus, configurationStatus } from './configuration.ts';
import { type DiscoveryStatus, discoveryStatus } from './discovery-status.ts';
import { byMark, targetMark } from './marks.ts';
import { type ShardView, shardView } from './shards.ts';
import { type Own, type Present, type TargetStatus, targetStatus } from './status.ts';
import type { Happening } from './strip.ts';

/** What is said of the exporter itself on every page. */
export interface OwnView {
  readonly version: string;
  /** Seconds since the Unix epoch by the wall clock, as all instants here. */
  readonly startedAt: number;
  readonly configuration?: ConfigurationStatus;
  readonly discovery: readonly DiscoveryStatus[];
  /** Absent where this process watches all targets. */
  readonly shards?: ShardView;
  readonly now: number;
}

export interface View extends OwnView {
  /** How many targets there are. */
  readonly total: number;
  /** Worst first. */
  readonly whole: readonly TargetStatus[];
  /** Most checks shown of each of them. */
  readonly maxChecks: number;
  readonly selected?: string;
  /** What its sources list about a node. */
  readonly facts: (target: TargetStatus) => readonly Fact[];
  /** What happened to a target, oldest first. */
  readonly happenings: (target: string) => readonly Happening[];
  /** From when on they are known, where older ones are forgotten. */
  readonly heldFrom: (target: string) => number | undefined;
  /** Asked for, and not among the targets. */
  readonly unknownTarget?: string;
  /** Where that one is, of several shards. */
  readonly elsewhere?: string;
}

const checksAlone = 200;
const checksBesideOthers = 25;

export type Past = Pick<View, 'happenings' | 'heldFrom'>;

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

/** Of the targets of these names. */
export const viewOf = (
  table: Sources,
  targets: Targets,
  names: Iterable<string>,
  past: Past,
  own: Own,
  present: Present,
): View => {
  const whole = [...names].flatMap((name) => {
    const target = targets.get(name);
    return target === undefined ? [] : [targetStatus(table, target, present)];
  });
  return {
    ...ownView(own, present),
    ...past,
    facts: (target) => factsOf(table, target),
    total: targets.size,
    whole: whole.sort(byMark(targetMark)),
    maxChecks: whole.length === 1 ? checksAlone : checksBesideOthers,
  };
};
