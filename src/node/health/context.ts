// Inputs of the checks and methods: this server, the chains, the disk and the simulated network.

import type { Dialect } from '../dialect.ts';
import type { Chains } from '../network/chains.ts';
import type { Standing } from '../platform/standing.ts';
import type { Simulation } from '../play.ts';
import type { PlannedChain } from '../scenario.ts';
import type { Peers } from './peers.ts';

export interface CheckContext extends Simulation {
  readonly nodeId: () => string;
  readonly planned: readonly PlannedChain[];
  readonly dialect: Dialect;
  readonly chains: Chains;
  readonly peers: () => Peers;
  /** This node's place among the network's validators. */
  readonly standing: () => Standing;
  /** Requests in progress -> start time, in milliseconds of `performance.now`. */
  readonly requests: ReadonlyMap<object, number>;
  /** The disk check examines the file system of this folder. */
  readonly dataDir: string;
  /** Seconds since the Unix epoch by the node's own clock. */
  readonly now: () => number;
  /** Seconds by a clock that is never set, for durations. */
  readonly steadyNow: () => number;
}
