// Plays the scenario: which faults are active, and what follows for chains, checks and port.

import type { IndexName } from '../protocol/paths.ts';
import type { ChainFaults } from './network/faults.ts';
import { inTurn } from './network/rounds.ts';
import { type ActiveFault, type Fault, faultsAt, faultsOf, type Scenario, subnetIdOf } from './scenario.ts';

type WithoutTime<F> = F extends Fault ? Omit<F, 'at' | 'for' | 'every'> : never;

/** A fault that begins now and lasts until it is taken away. Durations are in seconds. */
export type FaultNow = WithoutTime<Fault>;

export interface Stage {
  readonly setChainFaults: (faults: ChainFaults) => void;
  readonly syncChecks: () => void;
  readonly shut: () => Promise<void>;
  readonly reopen: () => Promise<void>;
  /** Comes up anew, with the port still closed. */
  readonly restart: () => Promise<void>;
}

export interface Play {
  readonly faults: () => readonly ActiveFault[];
  readonly override: (faults: readonly FaultNow[] | undefined) => void;
  /** A function that brings the stage to what is wanted at its call. Calls take turns. */
  readonly settling: (stage: Stage) => () => Promise<void>;
}

/** `uptime` in seconds since the start. */
export const createPlay = (scenario: Scenario, uptime: () => number): Play => {
  let overriding: readonly ActiveFault[] | undefined;
  const faults = (): readonly ActiveFault[] => overriding ?? faultsAt(scenario, uptime());
  return {
    faults,
    override: (now) => {
      const since = uptime();
      overriding = now?.map((fault): ActiveFault => ({ ...fault, at: since, since }));
    },
    settling: (stage) => {
      let isShut = false;
      let isDown = false;
      const settle = async (): Promise<void> => {
        const active = faults();
        stage.setChainFaults(chainFaults(active, scenario));
        stage.syncChecks();
        const down = faultsOf(active, 'node-restarts').length > 0;
        const shut = down || faultsOf(active, 'api-refuses').length > 0;
        if (shut && !isShut) await stage.shut();
        if (isDown && !down) await stage.restart();
        if (!shut && isShut) await stage.reopen();
        isDown = down;
        isShut = shut;
      };
      const turn = inTurn(settle);
      return () => turn(uptime());
    },
  };
};

const chainFaults = (active: readonly ActiveFault[], scenario: Scenario): ChainFaults => ({
  bootstrapForever: faultsOf(active, 'subnet-bootstraps').map(({ subnet }) => subnetIdOf(scenario, subnet)),
  stallChain: faultsOf(active, 'chain-stuck').map(({ chain }) => subnetIdOf(scenario, chain)),
  stallIndex: faultsOf(active, 'index-stalls').map(({ index }): IndexName => index),
  loseContainer: faultsOf(active, 'index-loses-container').map(({ index }): IndexName => index),
});
