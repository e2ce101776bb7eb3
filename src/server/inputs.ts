// What the replies of a server are made from: the state of the exporter, its functions, and the request.

import type { Targets } from '../conditions/condition.ts';
import type { EventHistoryReader } from '../events/event-history.ts';
import type { StateDirTally } from '../metrics/state-dir-families.ts';
import type { Sources } from '../sources/sources.ts';
import type { WatchdogState } from '../watchdog/watchdog.ts';
import type { Configuration } from './configuration.ts';
import type { DiscoveryState } from './discovery-status.ts';
import type { MaintenanceInputs } from './maintenance.ts';
import type { RemovedProbe } from './removed-probes.ts';
import type { RepliesOptions } from './replies.ts';
import type { MetricsReply, Reply } from './reply.ts';
import type { Sender } from './sender.ts';
import type { FleetShards } from './shards.ts';
import type { ShownTransition } from './strip.ts';

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

export interface ServerInputs {
  readonly state: () => State;
  /** The sources of the targets' states. Absent: those of the exporter. */
  readonly table?: Sources;
  /** Absent: no event history, and no path for it. */
  readonly eventHistory?: EventHistoryReader;
  /** Absent: no path for maintenance windows. */
  readonly maintenance?: MaintenanceInputs;
  /** Transitions of a target, oldest first, in wall-clock time. Absent: read from the event history. */
  readonly transitions?: (target: string) => readonly ShownTransition[];
  /** Called when a probe requests the conditions of this target. */
  readonly probed?: (target: string) => void;
  /** Called when a probe requests a target or tag set that a reload removed. */
  readonly removedProbed?: (probe: RemovedProbe) => void;
  /** When the scheduler last ticked; steady clock. */
  readonly lastTick: () => number;
  readonly metrics: MetricsReply;
  /** Absent: no path to probe targets that are not configured. */
  readonly probe?: (request: Request, query: string) => Promise<Reply>;
  /** Host and port at which Prometheus reaches this process. Absent: those of the request. */
  readonly externalAddress?: string | undefined;
  /** The listener uses TLS. */
  readonly isSecure?: boolean;
  /** Absent: this process watches all targets, and there is no path for shards. */
  readonly shards?: () => FleetShards;
  /** Which sources of discovery have not delivered their first list. Null: none is missing; undefined: no discovery. */
  readonly lists?: () => string | null | undefined;
  /** Whether state is written to stateDir. Absent: no stateDir. */
  readonly stateDir?: () => StateDirTally;
  /** Whether this process is overloaded. */
  readonly watched?: () => WatchdogState;
  /** Limits of the cache of replies, if not the defaults. */
  readonly replies?: RepliesOptions;
  /** Steady clock, seconds. */
  readonly now: () => number;
  readonly version: string;
}

export interface Request {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** The client address for rate limits: behind a trusted proxy, it is not the address of the connection. */
  readonly client: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly sender: Sender;
}
