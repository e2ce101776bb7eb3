// One check for each chain that exists or could not be created, tagged with its subnet.

import { formatGoSeconds } from '../../protocol/duration.ts';
import { primaryNetworkId } from '../../protocol/id.ts';
import type { ChainStatus } from '../network/live-chain.ts';
import { vmIdOf } from '../platform/blockchains.ts';
import { faultsOf, type PlannedChain, subnetIdOf } from '../scenario.ts';
import type { CheckContext } from './context.ts';
import type { CheckOutcome, HealthCheck } from './worker.ts';

export const chainChecks = (context: CheckContext): readonly HealthCheck[] => {
  const existing = context.chains.statuses().map(
    ({ name, subnetId }): HealthCheck => ({
      name,
      tags: [subnetId],
      run: () => {
        const status = context.chains.statuses().find((chain) => chain.name === name);
        return status === undefined ? {} : outcomeOf(context, status);
      },
    }),
  );
  const missing = chainsWithoutVm(context).map(
    ({ name, subnetId, vmId }): HealthCheck => ({
      name,
      tags: [subnetId],
      run: () => ({
        error: `failed to create chain on subnet ${subnetId}: error while getting vmFactory: "${vmIdOf(vmId ?? name)}" was not found`,
      }),
    }),
  );
  return [...existing, ...missing];
};

/** Chains that the P-Chain, which creates the others once it is bootstrapped, could not create. */
export const chainsWithoutVm = ({ chains, planned }: CheckContext): readonly PlannedChain[] => {
  const isPRunning = chains.statuses().some(({ name, state }) => name === 'P' && state === 'running');
  const hasP = planned.some(({ name }) => name === 'P');
  return isPRunning || !hasP ? planned.filter(({ vmMissing }) => vmMissing) : [];
};

const outcomeOf = ({ faults, scenario, standing, dialect }: CheckContext, status: ChainStatus): CheckOutcome => {
  if (status.state === 'initializing') return { error: 'missing engine Initializing state running ENGINE_TYPE_CHAIN' };
  // A fault names the chain, or the subnet to affect all of its chains.
  const isMeant = ({ chain }: { readonly chain: string }): boolean =>
    chain === status.name || subnetIdOf(scenario, chain) === status.subnetId;
  const percentConnected = faultsOf(faults(), 'stake-disconnects').find(isMeant)?.percentConnected ?? 1;
  const isDead = faultsOf(faults(), 'chain-dead').some(isMeant);
  // Built-in chains have no plugin, and the message of their VM is null.
  const hasPlugin = status.subnetId !== primaryNetworkId;
  const validators = percentConnected < 1 ? standing().others : [];
  // Sorted, as Go writes a set.
  const disconnectedValidators = validators.slice(Math.round(validators.length * percentConnected)).toSorted();
  const message = {
    engine: { consensus: consensusOf(status), vm: hasPlugin && !isDead ? { database: null, health: 200 } : null },
    networking: { ...(dialect === 'avalanchego' && { disconnectedValidators }), percentConnected },
  };
  const error = combined(isDead ? deadPlugin : consensusError(status), networkingError(percentConnected));
  return error === undefined ? { message } : { message, error };
};

const consensusOf = (status: ChainStatus): object =>
  status.state === 'running'
    ? {
        lastAcceptedHeight: status.lastAcceptedHeight,
        lastAcceptedID: status.lastAcceptedId,
        longestProcessingBlock: formatGoSeconds(status.longestProcessingSeconds),
        processingBlocks: status.processingBlocks,
      }
    : {};

const deadPlugin =
  'health check failed: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:41363: connect: connection refused"';

const minConnected = 0.8;
const maxProcessingSeconds = 30;
const maxProcessingBlocks = 256;

const consensusError = ({ processingBlocks: blocks, longestProcessingSeconds: longest }: ChainStatus): string | undefined => {
  const reasons = [
    blocks > maxProcessingBlocks && `too many processing blocks: ${blocks} > ${maxProcessingBlocks}`,
    longest > maxProcessingSeconds &&
      `block processing too long: ${formatGoSeconds(longest)} > ${formatGoSeconds(maxProcessingSeconds)}`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0 ? undefined : reasons.join('\n');
};

const percent = (share: number): string => `${(share * 100).toFixed(6)}%`;

const networkingError = (connected: number): string | undefined =>
  connected < minConnected
    ? `not connected to enough stake: connected to ${percent(connected)}; required at least ${percent(minConnected)}`
    : undefined;

/** A single error is unnamed; two are named. */
const combined = (engine: string | undefined, networking: string | undefined): string | undefined =>
  engine !== undefined && networking !== undefined ? `engine: ${engine}; networking: ${networking}` : (engine ?? networking);
