// The state of a watched node that decides whether it, or another validator of its subnets, may be taken down.

import type { Target } from '../conditions/condition.ts';
import { frozenDoubt } from '../conditions/doubt.ts';
import { concerns, failingOf } from '../conditions/failing.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import type { HealthReport } from '../protocol/health.ts';
import { decodeId, primaryNetworkId } from '../protocol/id.ts';
import { current, lastValue } from '../snapshot/observed.ts';
import { type TargetOptions, untagged } from '../snapshot/options.ts';
import { sources } from '../sources/sources.ts';
import { maxAge, maxAgeOf, type TargetState } from '../sources/target-state.ts';
import { connectedStake } from '../sources/validator/connected.ts';
import type { Reward } from '../sources/validator/reward.ts';
import { membershipAt, shownAt } from '../sources/validator/shown.ts';
import type { SetMembership } from '../sources/validator/state.ts';

/** A subnet that the node validates, or may validate as far as is known. */
export interface Duty {
  /** Subnet ID. */
  readonly subnet: string;
  /** Name of its tag set, or 'Primary Network'. */
  readonly name: string;
  readonly isCertain: boolean;
  readonly isReady: boolean;
  readonly isBootstrapping: boolean;
}

export interface WatchedNode {
  /** Name of the target. */
  readonly name: string;
  /** Targets with the same key are one node. */
  readonly key: string;
  readonly network?: string;
  readonly duties: readonly Duty[];
  /** Why its known state is not reliable. */
  readonly doubt?: string;
  /** Why it is not the node that the configuration expects. The expected node is then missing from its subnets. */
  readonly unexpected?: string;
  /** Number of its checks with an unknown subnet. */
  readonly unplacedChecks: number;
  /** Set if not all subnets of the node are known. It may then validate any other subnet than these; `duties` covers these. */
  readonly mayValidateAllBut?: ReadonlySet<string>;
  /** Reward of the Primary Network. Undefined if stale or unknown. */
  readonly reward?: Reward;
  /** Connected share of the stake of the Primary Network. */
  readonly connected?: number;
  /** The open maintenance window. `isOwn`: an open window names this target. */
  readonly maintenance?: { readonly end: number; readonly reason: string; readonly isOwn: boolean };
}

/** `until`: time until which it is valid without another poll, inclusive. */
interface ExpiringNode {
  readonly node: WatchedNode;
  readonly until: number;
}

/** `now`: steady clock. A maintenance window is open as long as the target has it. */
export const watchedNode = (target: Target, now: number): ExpiringNode => {
  const { state, maintenance } = target;
  const { options } = state;
  const { validator, info, health, subnets } = state.sources;
  const conditions = conditionsAt(target.conditions, state, now);
  const report = current(health.reports.get(untagged(options).name) ?? { state: 'pending' }, now, maxAge(state));
  const network = lastValue(info.network);
  const healthy = conditions.healthy.get(untagged(options).name);
  const doubt = healthy?.status === 'Unknown' ? healthy.message : frozenDoubt(state, now)?.message;
  const { reward } = shownAt(validator, { now, maxAge: maxAgeOf(sources.validator, state), wallOffset: 0 });
  const connected = connectedStake(report);
  const unexpected = unexpectedOf(state, now);
  const unplacedChecks = subnets.isAuto ? (subnets.search?.open.length ?? 0) : 0;
  // The first report shows which subnets to look for.
  const isUnheard =
    subnets.isAuto && subnets.known.length === 0 && lastValue(health.reports.get(untagged(options).name)) === undefined;
  const node: WatchedNode = {
    name: options.name,
    key: options.nodeId ?? state.nodeId ?? validator.nodeId ?? `target ${options.name}`,
    ...(network !== undefined && { network }),
    duties: options.validator.enabled
      ? dutiesOf(
          state,
          report,
          (tagSet) => unexpected === undefined && conditions.ready.get(tagSet)?.status === 'True',
          now,
          unexpected !== undefined,
        )
      : [],
    ...(!options.validator.enabled
      ? { doubt: 'validator.enabled is false: unknown whether it is a validator' }
      : doubt !== undefined && { doubt }),
    ...(unexpected !== undefined && { unexpected }),
    unplacedChecks,
    ...(options.validator.enabled && (unplacedChecks > 0 || isUnheard) && { mayValidateAllBut: consideredSubnets(state) }),
    ...(reward && { reward }),
    ...(connected !== undefined && { connected }),
    ...(maintenance && {
      maintenance: { end: maintenance.end, reason: maintenance.reason, isOwn: maintenance.targets !== undefined },
    }),
  };
  return { node, until: conditions.trueUntil };
};

/** Detects a replaced or lost key: the node works, but is not the expected validator. */
const unexpectedOf = (state: TargetState, now: number): string | undefined => {
  const { nodeId: expected, validator } = state.options;
  const { nodeId = state.sources.validator.nodeId } = state;
  if (expected !== undefined && nodeId !== undefined && nodeId !== expected) return `its NodeID is ${nodeId}, not ${expected}`;
  return validator.expected && membershipOf(state, primaryNetworkId, now)?.state === 'none'
    ? 'it is expected to be a validator, but is not in the validator set of the Primary Network'
    : undefined;
};

/** A validator stays one until something else is known, even while it is down. */
const membershipOf = (state: TargetState, subnet: string, now: number): SetMembership | undefined => {
  const { validator } = state.sources;
  const last = lastValue(validator.memberships.get(subnet));
  return last?.state === 'validator'
    ? last
    : membershipAt(validator, subnet, { now, maxAge: maxAgeOf(sources.validator, state) });
};

/** Subnets for which the membership is or will be requested. */
const consideredSubnets = ({ options, sources: { validator } }: TargetState): ReadonlySet<string> =>
  new Set([
    primaryNetworkId,
    ...validator.memberships.keys(),
    ...options.tagSets.flatMap((set) => set.tags.filter((tag) => decodeId(tag) !== undefined)),
  ]);

/**
 * `isMissing`: the expected node is not at this address. It may validate all of these subnets. It certainly validates the Primary Network
 * if that is expected.
 */
const dutiesOf = (
  state: TargetState,
  report: HealthReport | undefined,
  isReady: (tagSet: string) => boolean,
  now: number,
  isMissing: boolean,
): readonly Duty[] => {
  const { options } = state;
  const membershipIn = (subnet: string): SetMembership | undefined => membershipOf(state, subnet, now);
  const isChain = membershipIn(primaryNetworkId)?.state === 'bootstrapping';
  const bootstrapped =
    report && failingOf(report).find(({ check, reason }) => check === 'bootstrapped' && reason === 'bootstrapping');
  return [...consideredSubnets(state)].flatMap((subnet): readonly Duty[] => {
    const membership = membershipIn(subnet);
    if (!isMissing && membership !== undefined && validates(membership) === 'no') return [];
    const isExpected = isMissing && options.validator.expected && subnet === primaryNetworkId;
    const tagSet = tagSetOf(options, subnet);
    return [
      {
        subnet,
        name: subnet === primaryNetworkId ? 'Primary Network' : tagSet.name,
        isCertain: isExpected || (membership !== undefined && validates(membership) === 'yes'),
        isReady: isReady(tagSet.name),
        isBootstrapping:
          isChain || (bootstrapped !== undefined && concerns({ tags: [subnet] }, 'bootstrapped', bootstrapped.result)),
      },
    ];
  });
};

/** An L1 validator without a balance does not validate. */
const validates = (membership: SetMembership): 'yes' | 'no' | 'unknown' => {
  if (membership.state === 'none') return 'no';
  if (membership.state !== 'validator') return 'unknown';
  return membership.record.balance === 0n ? 'no' : 'yes';
};

/** Prefers a tag set of only this subnet to one with other tags. */
const tagSetOf = (options: TargetOptions, subnet: string): TargetOptions['tagSets'][number] =>
  options.tagSets.find(({ tags }) => tags.length === 1 && tags[0] === subnet) ??
  options.tagSets.find(({ tags }) => tags.includes(subnet)) ??
  untagged(options);

/** Caches the node for each target object, which a poll replaces, until it expires. */
export const createWatchedNodes = (): ((target: Target, now: number) => WatchedNode) => {
  const kept = new WeakMap<Target, ExpiringNode>();
  return (target, now) => {
    const before = kept.get(target);
    if (before !== undefined && now <= before.until) return before.node;
    const entry = watchedNode(target, now);
    kept.set(target, entry);
    return entry.node;
  };
};
