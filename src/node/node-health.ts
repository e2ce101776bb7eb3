// The node's checks over its restarts, and what they look at.

import { tmpdir } from 'node:os';
import type { Dialect } from './dialect.ts';
import { createHealth, type Health } from './health/health.ts';
import { simulatePeers } from './health/peers.ts';
import { diskOf, type Requests, type Sources } from './health/sources.ts';
import { validatorIds } from './identity.ts';
import type { Chains } from './network/chains.ts';
import type { Play } from './play.ts';
import type { PlannedChain, Scenario } from './scenario.ts';

export interface NodeHealth {
  readonly current: () => Health;
  /** The checks that were there when the node last came up have run. */
  readonly firstRound: () => Promise<void>;
  /** Runs the checks that there are. */
  readonly begin: () => void;
  /** Forgets every result first, as a node does that comes up again. */
  readonly reset: () => void;
}

export interface NodeHealthOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly planned: readonly PlannedChain[];
  readonly dialect: Dialect;
  /** The file system of this folder, or else of the temporary one, is what the disk check looks at. */
  readonly dataDir: string | undefined;
  readonly play: Play;
  readonly uptime: () => number;
  /** Seconds since the Unix epoch, as the node believes. */
  readonly now: () => number;
}

/** `requests`: undefined while the port is not open. */
export const createNodeHealth = (
  options: NodeHealthOptions,
  chains: () => Chains,
  requests: () => Requests | undefined,
): NodeHealth => {
  const { scenario, seed, planned, dialect, dataDir = tmpdir(), play, uptime, now } = options;
  const { faults } = play;
  const sources: Sources = {
    disk: () => diskOf(dataDir),
    database: () => chains().checkDatabase(),
    requests: () => requests() ?? { outstanding: 0, longestSeconds: 0 },
    chains: () => chains().statuses(),
    peers: simulatePeers(scenario, seed, faults, uptime),
    uptime,
  };
  const validators = validatorIds(seed, scenario.validators);
  const create = (): Health =>
    createHealth({ scenario, planned, dialect, validators, faults }, sources, {
      now,
      stopwatch: () => performance.now() * 1e6,
    });
  let health = create();
  let firstRound = Promise.resolve();
  const begin = (): void => {
    firstRound = health.round();
  };
  return {
    current: () => health,
    firstRound: () => firstRound,
    begin,
    reset: () => {
      health = create();
      begin();
    },
  };
};
