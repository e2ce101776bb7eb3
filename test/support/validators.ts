// Validators after a poll: their identity, validator sets and state.

import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { Observed } from '../../src/snapshot/observed.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import type { Reward } from '../../src/sources/validator/reward.ts';
import type { SetMembership } from '../../src/sources/validator/state.ts';
import { fresh, judged, type Known, noon, passing, report, targetKnowing, targetOptions } from './snapshot.ts';

export const l1 = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
export const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
/** Checks of a node that is connected to 90 % of the stake. */
export const connected = { P: passing({ message: { networking: { percentConnected: 0.9 } } }) };

export const validates = (balance?: bigint): Observed<SetMembership> =>
  fresh({ state: 'validator', record: { nodeId, weight: 1n, ...(balance !== undefined && { balance }) } });
export const validatesNot: Observed<SetMembership> = fresh({ state: 'none' });

export interface KnownValidator extends Known {
  readonly options?: Partial<TargetOptions>;
  readonly primary?: Observed<SetMembership>;
  readonly ofL1?: Observed<SetMembership>;
  readonly reward?: Reward;
}

export const sets = [
  { name: 'all', tags: [] },
  { name: 'my-l1', tags: [l1] },
];

/** A Fuji validator with the conditions after one poll at noon. */
export const validatorTarget = ({ options = {}, primary, ofL1, reward, ...known }: KnownValidator = {}) => {
  const { sources } = newTarget(targetOptions());
  const memberships = [...(primary ? [[primaryNetworkId, primary] as const] : []), ...(ofL1 ? [[l1, ofL1] as const] : [])];
  return judged(
    targetKnowing(targetOptions({ readiness: { ...targetOptions().readiness, passAfter: 1, failAfter: 1 }, ...options }), {
      health: { all: fresh(report(connected)), ...(options.tagSets && { 'my-l1': fresh(report(connected)) }) },
      tags: { adds: new Map([[l1, true]]), toAsk: 0, open: [] },
      info: { ...sources.info, network: fresh('fuji') },
      validator: { ...sources.validator, nodeId, memberships: new Map(memberships), ...(reward && { reward: fresh(reward) }) },
      lastPoll: { at: noon - 5, answered: true, failures: [] },
      nodeId,
      ...known,
    }),
  );
};

/** With this many seconds of downtime left. */
export const onTrack = (budgetSeconds: number): Reward => ({
  state: 'on-track',
  reason: 'RequirementMet',
  outlook: { lengthSeconds: 1e7, elapsedSeconds: 1e6, remainingSeconds: 9e6, budgetSeconds, bestPossible: 1 },
});
