// What is known at this moment, and whether it is still that.

import type { Targets } from '../conditions/condition.ts';
import type { EventHistoryReader } from '../events/event-history.ts';
import type { Configuration } from './configuration.ts';
import type { DiscoveryState } from './discovery-status.ts';
import type { Subject } from './page-route.ts';
import type { FleetShards } from './shards.ts';
import { secondOf } from './status.ts';

export interface State {
  readonly targets: Targets;
  /** Answer probes, and are seen nowhere else. */
  readonly removed?: Targets;
  /** Another number when something of the targets changed. */
  readonly version: number;
  /** Seconds, steady clock. */
  readonly startedAt: number;
  readonly stopping: boolean;
  /** Another object when something of it changed. */
  readonly configuration?: Configuration;
  /** Another object when something of it changed; absent where nothing is discovered. */
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
  /** What a reply is made of. */
  readonly subject: () => Subject;
  /** It is true for as long as all of this is the same. */
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
