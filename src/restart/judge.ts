// May a validator be taken down now, for how long, and what does it cost: one pure function of what is known of it and of the others of
// its subnets. What is not known is not safe.

import type { SafeToRestart } from '../conditions/condition.ts';
import { allowedShare, findings, onTrackBudget, type Subnet } from './findings.ts';
import { othersOf, type SubnetGroups } from './groups.ts';
import type { WatchedNode } from './node.ts';
import { type RestartReason, type RestartResult, worstFirst, worstResult } from './reason.ts';

export interface JudgedRestart {
  readonly result: RestartResult;
  /** What speaks against it first. */
  readonly reasons: readonly RestartReason[];
  /** Longest downtime that the reward allows; absent where none limits it, or it is not known. */
  readonly allowedSeconds?: number;
  /** Share of the downtime left until the reward is lost. */
  readonly budgetShare?: number;
  readonly subnets: readonly {
    readonly subnet: string;
    readonly name: string;
    readonly others: number;
    readonly ready: number;
  }[];
}

/** Seconds of a restart, where nobody says how long it takes. */
export const defaultDowntime = 300;

const subnetsOf = (node: WatchedNode, groups: SubnetGroups): readonly Subnet[] =>
  node.duties.map((duty) => ({ duty, others: othersOf(groups, node, duty.subnet) }));

/** `seconds`: for how long it would be down. `groups`: of all watched nodes, this one among them or not. */
export const judgeRestart = (node: WatchedNode, groups: SubnetGroups, seconds: number): JudgedRestart => {
  const subnets = subnetsOf(node, groups);
  const found = findings(node, subnets, seconds);
  const budget = onTrackBudget(node);
  return {
    result: worstResult(found),
    reasons: worstFirst(found).map(({ type, result, say }) => ({ type, result, message: say() })),
    ...(budget !== undefined && { allowedSeconds: Math.max(0, Math.floor(budget * allowedShare)) }),
    ...(budget !== undefined && budget > 0 && { budgetShare: seconds / budget }),
    subnets: subnets.map(({ duty: { subnet, name }, others: { total, ready } }) => ({ subnet, name, others: total, ready })),
  };
};

/** The result, and what speaks against it first: for whoever judges thousands each second. */
export const restartResult = (node: WatchedNode, groups: SubnetGroups, seconds: number): SafeToRestart => {
  const found = findings(node, subnetsOf(node, groups), seconds);
  const result = worstResult(found);
  const first = result === 'safe' ? undefined : found.find((one) => one.result === result);
  return { result, ...(first !== undefined && { message: first.say() }) };
};
