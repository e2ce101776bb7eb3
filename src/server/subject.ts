// The current state that replies are rendered from, and the values that their validity depends on.

import type { Targets } from '../conditions/condition.ts';
import type { EventHistoryReader } from '../events/event-history.ts';
import type { Configuration } from './configuration.ts';
import type { DiscoveryState } from './discovery-status.ts';
import type { Subject } from './page-route.ts';
import type { FleetShards } from './shards.ts';
import { secondOf } from './status.ts';

export interface State {
  readonly targets: Targets;
  /** Removed targets: they only respond to probes. */
  readonly removed?: Targets;
  /** Changes whenever a target changes. */
  readonly version: number;
  /** Seconds, steady clock. */
  readonly startedAt: number;
  readonly stopping: boolean;
  /** A new object whenever something in it has changed. */
  readonly configuration?: Configuration;
  /** A new object whenever something in it has changed; absent: no discovery. */
  readonly discovery?: readonly DiscoveryState[] | undefined;
  /** Wall clock − steady clock, seconds. */
  readonly wallOffset: number;
}

interface Inputs {
  readonly state: () => State;
  readonly shards?: () => FleetShards;
  readonly eventHistory?: Pick<EventHistoryReader, 'newest'>;
  readonly now: () => number;
  readonly version: string;
}

export interface SubjectSource {
  /** The state that a reply is rendered from. */
  readonly subject: () => Subject;
  /** The values that a reply depends on: a cached reply is valid while all of them are the same. */
  readonly madeOf: () => readonly unknown[];
}

export const subjectSource = ({ state, shards, now, version, eventHistory }: Inputs): SubjectSource => {
  const subject = (): Subject => {
    const { targets, version: known, startedAt, configuration, discovery, wallOffset } = state();
    const own = { version, startedAt, configuration, discovery, shards: shards?.() };
    return { targets, version: known, own, now: now(), wallOffset };
  };
  const madeOf = (): readonly unknown[] => {
    const { version: known, configuration, discovery, wallOffset } = state();
    return [secondOf({ now: now(), wallOffset }), known, configuration, discovery, eventHistory?.newest()];
  };
  return { subject, madeOf };
};
