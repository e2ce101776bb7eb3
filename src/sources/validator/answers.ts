// Interprets the responses about a validator. That a node is not a validator, is bootstrapping its P-Chain or does not serve an API is a
// result, not a failure.

import type { Answer } from '../../client/client.ts';
import type { Failure, Outcome } from '../../client/outcome.ts';
import type { ResultOf } from '../../protocol/methods.ts';
import { mapped, refusals } from '../source.ts';
import type { SetMembership, Uptime } from './state.ts';

const ok = <T>(value: T): Outcome<T> => ({ kind: 'ok', value });

/** If the API was never on, any response that it cannot have sent means that it is not served. */
const isNotServed = (failure: Failure, wasOn: boolean): boolean =>
  (failure.kind === 'http-status' && failure.status === 404) ||
  (failure.kind === 'rpc-error' && /can't find (?:method|service)/.test(failure.message)) ||
  (!wasOn && failure.kind !== 'rpc-error' && refusals.has(failure.kind));

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
      // The set of a converted subnet may also list the node as a permissioned validator, and first. That record has no fee.
      const record = own.find(({ validationId }) => validationId !== undefined) ?? own[0];
      return record === undefined ? { state: 'none' } : { state: 'validator', record };
    },
    (failure) => unlessServed(failure, before),
  );

/** For a validator that is no longer in the validator set of its L1. */
export const asL1Membership = (
  answer: Answer<ResultOf<'platform.getL1Validator'>>,
  validationId: string,
  before: SetMembership | undefined,
): Answer<SetMembership> =>
  mapped<ResultOf<'platform.getL1Validator'>, SetMembership>(
    answer,
    // A node need not repeat the id.
    (record) => ({ state: 'validator', record: { ...record, validationId } }),
    (failure) => unlessServed(failure, before),
  );

const unlessServed = (failure: Failure, before: SetMembership | undefined): Outcome<SetMembership> => {
  if (failure.kind === 'http-status' && failure.isBootstrapping === true) return ok({ state: 'bootstrapping' });
  if (failure.kind === 'rpc-error' && /not found/.test(failure.message)) return ok({ state: 'none' });
  return isNotServed(failure, before !== undefined && before.state !== 'off') ? ok({ state: 'off' }) : failure;
};
