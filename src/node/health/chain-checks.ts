// A check for each chain that exists, and for each that could not be created. They belong to their subnet.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { ChainStatus } from '../network/live-chain.ts';
import { faultsOf, type PlannedChain, subnetIdOf } from '../scenario.ts';
import type { HealthOptions } from './application.ts';
import { chainOutcome, notCreated } from './chain-check.ts';
import type { Sources } from './sources.ts';
import type { Check } from './worker.ts';

export const chainChecks = (options: HealthOptions, sources: Sources): readonly Check[] => {
  const statuses = sources.chains();
  const existing = statuses.map(
    ({ name, subnetId }): Check => ({
      name,
      tags: [subnetId],
      run: () => {
        const status = sources.chains().find((chain) => chain.name === name);
        return status === undefined ? {} : chainOutcome({ ...circumstances(options, status), status, dialect: options.dialect });
      },
    }),
  );
  const missing = createdBy(statuses, options.planned).filter(({ vmMissing }) => vmMissing);
  const failing = missing.map(
    ({ name, subnetId, vmId = '' }): Check => ({ name, tags: [subnetId], run: () => notCreated(subnetId, vmId) }),
  );
  return [...existing, ...failing];
};

/** The P-Chain creates the others once it is bootstrapped. */
export const createdBy = (statuses: readonly ChainStatus[], planned: readonly PlannedChain[]): readonly PlannedChain[] => {
  const created = statuses.some(({ name, state }) => name === 'P' && state === 'running');
  const withoutP = planned.every(({ name }) => name !== 'P');
  return created || withoutP ? planned : [];
};

const circumstances = ({ faults, validators, scenario }: HealthOptions, { name, subnetId }: ChainStatus) => {
  // A fault may name the chain, or the subnet and mean all of its chains.
  const meant = ({ chain }: { readonly chain: string }): boolean => chain === name || subnetIdOf(scenario, chain) === subnetId;
  const percentConnected = faultsOf(faults(), 'stake-disconnects').find(meant)?.percentConnected ?? 1;
  return {
    plugin: subnetId !== primaryNetworkId,
    dead: faultsOf(faults(), 'chain-dead').some(meant),
    percentConnected,
    disconnectedValidators: percentConnected < 1 ? validators(Math.round(scenario.validators * percentConnected)) : [],
  };
};
