// Decides whether a validator may be taken down now, for how long, and at what cost: a pure function of the state of the node and of the
// other validators of its subnets. If the state is unknown, the restart is not safe.

import type { SafeToRestart } from '../conditions/condition.ts';
import { allowedShare, findings, onTrackBudget, type Subnet } from './findings.ts';
import { othersOf, type SubnetGroups } from './groups.ts';
import type { WatchedNode } from './node.ts';
import { type RestartReason, type RestartResult, worstFirst, worstResult } from './reason.ts';

export interface JudgedRestart {
  readonly result: RestartResult;
  /** Worst result first. */
  readonly reasons: readonly RestartReason[];
  /** Maximum downtime that the reward allows. Undefined if there is no limit, or if it is unknown. */
  readonly allowedSeconds?: number;
  /** Ratio of `seconds` to the downtime left until the reward is lost. */
  readonly budgetShare?: number;
  readonly subnets: readonly {
    readonly subnet: string;
    readonly name: string;
    readonly others: number;
    readonly ready: number;
  }[];
}

/** Assumed downtime of a restart in seconds, if none is given. */
export const defaultDowntime = 300;

const subnetsOf = (node: WatchedNode, groups: SubnetGroups): readonly Subnet[] =>
  node.duties.map((duty) => ({ duty, others: othersOf(groups, node, duty.subnet) }));

/** `seconds`: expected downtime. `groups`: of all watched nodes, with or without this one. */
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

/** Only the result, and the first reason against a restart: to judge thousands per second. */
export const restartResult = (node: WatchedNode, groups: SubnetGroups, seconds: number): SafeToRestart => {
  const found = findings(node, subnetsOf(node, groups), seconds);
  const result = worstResult(found);
  const first = result === 'safe' ? undefined : found.find((one) => one.result === result);
  return { result, ...(first !== undefined && { message: first.say() }) };
};
