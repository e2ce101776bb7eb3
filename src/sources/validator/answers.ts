// What an answer says: that a node is no validator, that its P-Chain bootstraps, or that it serves no such thing, are answers too.

import type { Answer } from '../../client/client.ts';
import type { Failure, Outcome, OutcomeKind } from '../../client/outcome.ts';
import type { ResultOf } from '../../protocol/methods.ts';
import { mapped } from '../source.ts';
import type { SetMembership, Uptime } from './state.ts';

const ok = <T>(value: T): Outcome<T> => ({ kind: 'ok', value });

/** Something else than a node has answered, as a proxy does. */
const foreign: ReadonlySet<OutcomeKind> = new Set(['host-forbidden', 'http-status', 'not-json', 'malformed']);

/** Of an API that was never on: whatever is no answer of it. */
const isNotServed = (failure: Failure, wasOn: boolean): boolean =>
  (failure.kind === 'http-status' && failure.status === 404) ||
  (failure.kind === 'rpc-error' && /can't find (?:method|service)/.test(failure.message)) ||
  (!wasOn && foreign.has(failure.kind));

/** `couldn't get node uptime: …` */
const isNoValidator = (failure: Failure): boolean => failure.kind === 'rpc-error' && /node uptime/.test(failure.message);

export const asUptime = (answer: Answer<ResultOf<'info.uptime'>>, before: Uptime | undefined): Answer<Uptime> =>
  mapped<ResultOf<'info.uptime'>, Uptime>(
    answer,
    ({ weightedAveragePercentage, rewardingStakePercentage }) => ({
      state: 'seen',
      weighted: weightedAveragePercentage / 100,
      rewarding: rewardingStakePercentage / 100,
    }),
    (failure) => {
      if (isNoValidator(failure)) return ok({ state: 'none' });
      return isNotServed(failure, before !== undefined && before.state !== 'off') ? ok({ state: 'off' }) : failure;
    },
  );

type Rows = ResultOf<'platform.getCurrentValidators'>;

export const asMembership = (answer: Answer<Rows>, nodeId: string, before: SetMembership | undefined): Answer<SetMembership> =>
  mapped<Rows, SetMembership>(
    answer,
    ({ validators }) => {
      const own = validators.filter((one) => one.nodeId === nodeId);
      // In the set of a subnet that was converted to an L1 it may stand as a permissioned validator too, and first: that one pays nothing.
      const record = own.find(({ validationId }) => validationId !== undefined) ?? own[0];
      return record === undefined ? { state: 'none' } : { state: 'validator', record };
    },
    (failure) => unlessServed(failure, before),
  );

/** Of one that the validator set of its L1 does not hold any more. */
export const asL1Membership = (
  answer: Answer<ResultOf<'platform.getL1Validator'>>,
  before: SetMembership | undefined,
): Answer<SetMembership> =>
  mapped<ResultOf<'platform.getL1Validator'>, SetMembership>(
    answer,
    (record) => ({ state: 'validator', record }),
    (failure) => unlessServed(failure, before),
  );

const unlessServed = (failure: Failure, before: SetMembership | undefined): Outcome<SetMembership> => {
  if (failure.kind === 'http-status' && failure.isBootstrapping === true) return ok({ state: 'bootstrapping' });
  if (failure.kind === 'rpc-error' && /not found/.test(failure.message)) return ok({ state: 'none' });
  return isNotServed(failure, before !== undefined && before.state !== 'off') ? ok({ state: 'off' }) : failure;
};
