// What metrics, API and page show about a validator at an instant. Observations that are too old are left out.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { Validator } from '../../protocol/platform.ts';
import { current } from '../../snapshot/observed.ts';
import type { StatusContext } from '../source.ts';
import type { AssessedReward, SetMembership, Uptime, ValidatorState } from './state.ts';

/** The instant, as in RenderContext and StatusContext. */
type At = Pick<StatusContext, 'now' | 'maxAge' | 'wallOffset'>;

/** The node as a validator of one L1. */
export interface L1 {
  readonly subnet: string;
  readonly weight?: number;
  /** Whether it has a balance for its fee. Without one it does not validate until its balance is increased. */
  readonly active?: boolean;
  /** In nAVAX. */
  readonly balance?: number;
  /** When the balance ends, at the fee of the time it was read. Seconds since the Unix epoch. */
  readonly balanceEnd?: number;
  /** How long the balance lasted when it was read, at that fee. */
  readonly balanceSeconds?: number;
}

export interface StakingPeriod {
  readonly subnet: string;
  readonly start: number;
  readonly end: number;
}

export interface Shown {
  readonly uptime?: Extract<Uptime, { readonly state: 'seen' }>;
  readonly reward?: AssessedReward;
  /** Whether it is in the validator set of the Primary Network. Absent if unknown. */
  readonly isValidator?: boolean;
  readonly isBootstrapping?: boolean;
  /** Whether the configuration expects it to be in that set. */
  readonly isExpected: boolean;
  /** Its record in the Primary Network. */
  readonly record?: Validator;
  /** Until the end of its staking period, as of when the record was read. */
  readonly remainingSeconds?: number;
  readonly periods: readonly StakingPeriod[];
  readonly l1s: readonly L1[];
  /** In nAVAX per second. */
  readonly feePrice?: number;
}

/** Maximum number of subnets that one poll asks for: each takes one request. */
export const subnetsPerPoll = 16;

/** Undefined if it is unknown or too old. With more subnets than that, each is asked for only in every second to fourth poll. */
export const membershipAt = (
  { memberships }: ValidatorState,
  subnet: string,
  { now, maxAge }: Omit<At, 'wallOffset'>,
): SetMembership | undefined => {
  const turns = subnet === primaryNetworkId ? 1 : Math.max(1, Math.ceil((memberships.size - 1) / subnetsPerPoll));
  const observed = memberships.get(subnet);
  return observed && current(observed, now, turns * maxAge);
};

export const shownAt = (validator: ValidatorState, { now, maxAge, wallOffset }: At): Shown => {
  const { uptime, reward, memberships, feePrice } = validator;
  const [seen, state, price] = [current(uptime, now, maxAge), current(reward, now, maxAge), current(feePrice, now, maxAge)];
  const records = Array.from(memberships, ([subnet, observed]) => {
    const membership = membershipAt(validator, subnet, { now, maxAge });
    const at = 'at' in observed ? observed.at + wallOffset : 0;
    return { subnet, at, state: membership?.state, ...(membership?.state === 'validator' && { record: membership.record }) };
  });
  const own = records.find(({ subnet }) => subnet === primaryNetworkId);
  return {
    ...(seen?.state === 'seen' && { uptime: seen }),
    ...(state && { reward: state }),
    ...((own?.state === 'validator' || own?.state === 'none') && { isValidator: own.state === 'validator' }),
    ...(own?.state === 'bootstrapping' && { isBootstrapping: true }),
    isExpected: validator.expected,
    ...(own?.record && { record: own.record }),
    ...(own?.record?.endTime !== undefined && { remainingSeconds: Math.max(0, own.record.endTime - own.at) }),
    periods: records.flatMap(({ subnet, record: { startTime: start, endTime: end } = {} }) =>
      start === undefined || end === undefined ? [] : [{ subnet, start, end }],
    ),
    l1s: records.flatMap(({ subnet, at, record }) =>
      record?.validationId === undefined ? [] : [l1Of(subnet, record, at, price)],
    ),
    ...(price !== undefined && { feePrice: price }),
  };
};

const l1Of = (subnet: string, { weight, balance }: Partial<Validator>, at: number, price: number | undefined): L1 => ({
  subnet,
  ...(weight !== undefined && { weight: Number(weight) }),
  ...(balance !== undefined && { active: balance > 0n, balance: Number(balance) }),
  ...(balance !== undefined && price !== undefined && price > 0 && lasting(Number(balance) / price, at)),
});

const lasting = (balanceSeconds: number, at: number) => ({ balanceEnd: at + balanceSeconds, balanceSeconds });
