// The source of validator data: the network's view of the node, its records in validator sets, and whether it will be rewarded and how long
// its L1 balances last. A node that serves none of it is not at fault.

import type { Answer } from '../../client/client.ts';
import { primaryNetworkId } from '../../protocol/id.ts';
import type { LogEntry, Ongoing } from '../../snapshot/log-entry.ts';
import { lastValue, type Observed, observe, observeAnswer, observedAt, pending } from '../../snapshot/observed.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import type { ReportsAsked } from '../health/state.ts';
import { maxUnanswered, type Source, silences } from '../source.ts';
import { maxSubnets } from '../subnets/known.ts';
import { askValidator, notAsked, validatedSubnets } from './ask.ts';
import { validatorFacts } from './facts.ts';
import { validatorFamilies } from './families.ts';
import type { SetMembership, ValidatorAsked, ValidatorState } from './state.ts';
import { type ValidatorStatus, validatorStatus } from './status.ts';

const nothing = (expected: boolean): ValidatorState => ({
  expected,
  uptime: pending,
  helicon: pending,
  memberships: new Map(),
  feePrice: pending,
  sightings: pending,
  reward: pending,
  unconnected: 0,
  unanswered: 0,
});

/** Consecutive polls that ask again for the connected stake, if only that is missing or old. After a start check P reports it within two. */
const maxUnconnected = 5;

export const validator: Source<ValidatorState, ValidatorAsked, ReportsAsked, ValidatorStatus> = {
  api: 'validator',
  every: 60,
  start: ({ validator: { enabled, expected } }, before) =>
    before === undefined || !enabled ? nothing(expected) : { ...before, expected },
  ask: (question) =>
    question.options.validator.enabled && question.before.unanswered < maxUnanswered
      ? askValidator(question)
      : Promise.resolve(notAsked),
  answers: everyAnswer,
  // The next process may be another version, which knows other upgrades.
  restarted: (before) => ({ ...before, helicon: pending, unconnected: 0 }),
  // As in the info source.
  replaced: ({ expected, unanswered }) => ({ ...nothing(expected), unanswered }),
  observe: (before, asked, { at, of }) => {
    const isSilent = everyAnswer(asked).some(({ outcome }) => silences.has(outcome.kind));
    const unanswered = isSilent && of.readiness?.outcome.kind === 'ok' ? before.unanswered + 1 : 0;
    if (asked.uptime === undefined) return { ...before, unanswered };
    const reward = rewardAfter(before.reward, asked, at);
    const judged = lastValue(reward)?.state ?? 'unknown';
    return {
      ...before,
      ...(asked.nodeId !== undefined && { nodeId: asked.nodeId }),
      uptime: observeAnswer(before.uptime, asked.uptime),
      helicon: observeAnswer(before.helicon, asked.helicon),
      memberships: observeAll(before.memberships, asked.memberships),
      feePrice: observeAnswer(before.feePrice, asked.feePrice),
      sightings: sightingsAfter(before.sightings, asked),
      reward,
      ...(judged !== 'unknown' && { lastJudged: judged }),
      unconnected: asked.isRunAssessed || asked.reward?.reason === 'ConnectedStakeUnknown' ? before.unconnected + 1 : 0,
      unanswered,
    };
  },
  // The connected stake changes, so it and the uptime must be from the same poll.
  isWhole: (state) => (state.unconnected === 0 || state.unconnected > maxUnconnected) && !hasMoreSubnets(state),
  fail: (before, failure, at) => ({ ...before, uptime: observe(before.uptime, failure, at) }),
  observedAt: ({ uptime, memberships, feePrice, reward }) => observedAt([uptime, ...memberships.values(), feePrice, reward]),
  ongoing: (_, options) => tooMany(options),
  changes: (before, after) => changesOf(before, after),
  families: validatorFamilies,
  status: validatorStatus,
  facts: ({ validator: status }) => validatorFacts(status),
};

/** An API that is off is not a response: without others the poll has failed. */
function everyAnswer({ uptime, helicon, memberships, feePrice, others }: ValidatorAsked): readonly Answer<unknown>[] {
  const own = [uptime, ...memberships.values()].filter((answer) => answer !== undefined);
  const isOff = own.some(({ outcome }) => outcome.kind === 'ok' && outcome.value.state === 'off');
  const rest = [helicon, feePrice, ...others].filter((answer) => answer !== undefined);
  return [
    ...own.filter(({ outcome }) => outcome.kind !== 'ok' || outcome.value.state !== 'off'),
    // A node that does not serve its uptime does not serve the upgrades either.
    ...(isOff ? rest.filter(({ outcome }) => outcome.kind === 'ok') : rest),
  ];
}

/** A failed request does not clear the reward, which stays until it is too old. */
const rewardAfter = (before: ValidatorState['reward'], asked: ValidatorAsked, at: number) => {
  const { reward, isRunAssessed, uptime, memberships } = asked;
  if (isRunAssessed) return before;
  if (reward !== undefined) return observe(before, { kind: 'ok', value: reward }, at);
  const isAnswered = [uptime, ...memberships.values()].every((answer) => answer === undefined || answer.outcome.kind === 'ok');
  return isAnswered ? pending : before;
};

/** Kept while the P-Chain does not respond. Cleared if the node is bootstrapping or disconnected. */
const sightingsAfter = (
  before: ValidatorState['sightings'],
  { memberships, sightings, isRunAssessed }: ValidatorAsked,
): ValidatorState['sightings'] => {
  const [own] = memberships.values();
  if (isRunAssessed || own?.outcome.kind !== 'ok') return before;
  return sightings === undefined ? pending : observe(before, { kind: 'ok', value: sightings }, own.endedAt);
};

/** There are subnets that no poll has asked for yet, and the P-Chain responds. */
export const hasMoreSubnets = ({ memberships }: ValidatorState): boolean =>
  memberships.get(primaryNetworkId)?.state === 'fresh' && [...memberships.values()].includes(pending);

const tooMany = (options: TargetOptions): readonly Ongoing[] => {
  const message = `only ${maxSubnets} subnets of a node are looked up on its P-Chain: remove tags that are not needed`;
  const left = options.validator.enabled ? validatedSubnets(options).slice(maxSubnets) : [];
  return left.map((name) => ({ level: 'warn', message, field: 'tags', name, value: 'not looked up' }));
};

/** The subnets of the node. Those that this poll did not ask for, and all while the P-Chain does not respond, keep their state. */
const observeAll = (
  before: ValidatorState['memberships'],
  asked: ValidatorAsked['memberships'],
): ReadonlyMap<string, Observed<SetMembership>> => {
  const [own] = asked.values();
  const isWhole = own?.outcome.kind === 'ok';
  const names = isWhole ? asked.keys() : new Set([...before.keys(), ...asked.keys()]);
  return new Map(Array.from(names, (subnet) => [subnet, observeAnswer(before.get(subnet) ?? pending, asked.get(subnet))]));
};

/** Logs a reward that is at risk or lost, and one that no longer is. */
const changesOf = ({ lastJudged: was }: ValidatorState, { lastJudged: is, reward }: ValidatorState): readonly LogEntry[] => {
  if (is === undefined || is === was) return [];
  const isBad = is === 'lost' || is === 'at-risk';
  const wasBad = was === 'lost' || was === 'at-risk';
  const fields = { state: is, reason: lastValue(reward)?.reason };
  return isBad || wasBad ? [{ level: isBad ? 'warn' : 'info', message: 'validator reward', fields }] : [];
};
