// Plays the scenario: active faults, their effects on the chains, and what the simulated network depends on.

import type { IndexName } from '../protocol/paths.ts';
import type { ChainFaults } from './network/faults.ts';
import { type ActiveFault, type Fault, faultsAt, faultsOf, type Scenario, subnetIdOf } from './scenario.ts';

type WithoutTime<F> = F extends Fault ? Omit<F, 'at' | 'for' | 'every'> : never;

/** A fault that starts now and lasts until it is removed. Durations are in seconds. */
export type FaultNow = WithoutTime<Fault>;

export type Play = ReturnType<typeof createPlay>;

export interface Simulation {
  readonly scenario: Scenario;
  readonly seed: number;
  /** First start of the node on its store, in seconds since the Unix epoch. */
  readonly epoch: number;
  readonly faults: () => readonly ActiveFault[];
  /** Seconds since the start. */
  readonly uptime: () => number;
  /** Seconds since the Unix epoch by a correct clock. */
  readonly networkNow: () => number;
}

/** `now` in seconds; this call is the start. */
export const createPlay = (scenario: Scenario, now: () => number) => {
  const startedAt = now();
  /** Seconds since the start. */
  const uptime = (): number => now() - startedAt;
  let overriding: readonly ActiveFault[] | undefined;
  return {
    faults: (): readonly ActiveFault[] => overriding ?? faultsAt(scenario, uptime()),
    /** Replaces the scenario's faults; undefined restores them. */
    override: (faults: readonly FaultNow[] | undefined): void => {
      const since = uptime();
      overriding = faults?.map((fault): ActiveFault => ({ ...fault, at: since, since }));
    },
    uptime,
  };
};

export const chainFaults = (active: readonly ActiveFault[], scenario: Scenario): ChainFaults => ({
  bootstrapForever: faultsOf(active, 'subnet-bootstraps').map(({ subnet }) => subnetIdOf(scenario, subnet)),
  stallChain: faultsOf(active, 'chain-stuck').map(({ chain }) => subnetIdOf(scenario, chain)),
  stallIndex: faultsOf(active, 'index-stalls').map(({ index }): IndexName => index),
  loseContainer: faultsOf(active, 'index-loses-container').map(({ index }): IndexName => index),
});
