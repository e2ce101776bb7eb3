// Inputs of the checks: this server, the chains, the disk and the simulated network.

import type { Dialect } from '../dialect.ts';
import type { Chains } from '../network/chains.ts';
import type { Standing } from '../platform/standing.ts';
import type { ActiveFault, PlannedChain, Scenario } from '../scenario.ts';
import type { Peers } from './peers.ts';

export interface CheckContext {
  readonly scenario: Scenario;
  readonly planned: readonly PlannedChain[];
  readonly dialect: Dialect;
  readonly faults: () => readonly ActiveFault[];
  readonly chains: Pick<Chains, 'statuses' | 'checkDatabase'>;
  readonly peers: () => Peers;
  /** This node's place among the network's validators. */
  readonly standing: () => Standing;
  /** Requests in progress -> start time, in milliseconds of `performance.now`. */
  readonly requests: ReadonlyMap<object, number>;
  /** The disk check examines the file system of this folder. */
  readonly dataDir: string;
  /** Seconds since the start. */
  readonly uptime: () => number;
  /** Seconds since the Unix epoch by the node's own clock. */
  readonly now: () => number;
  /** Seconds by a clock that is never set, for durations. */
  readonly steadyNow: () => number;
  /** The same by a correct clock. `epoch`: first start of the node on its store. */
  readonly networkNow: () => number;
  readonly epoch: number;
}
