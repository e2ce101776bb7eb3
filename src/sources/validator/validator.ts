// Will this node be paid, and how long can its L1 validators pay: what the network says of it as a validator, its own record, and what
// follows. A node that serves none of it has nothing wrong with it.

import type { Answer } from '../../client/client.ts';
import type { LogEntry } from '../../snapshot/log-entry.ts';
import { lastValue, type Observed, observe, observeAnswer, observedAt, pending } from '../../snapshot/observed.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import { maxUnanswered, type Source, silences } from '../source.ts';
import { askValidator, type Needs, notAsked } from './ask.ts';
import { validatorFacts } from './facts.ts';
import { validatorFamilies } from './families.ts';
import type { SetMembership, ValidatorAsked, ValidatorState } from './state.ts';
import { type ValidatorStatus, validatorStatus } from './status.ts';

const nothing = (options: TargetOptions): ValidatorState => ({
  expected: options.validator.expected,
  uptime: pending,
  helicon: pending,
  memberships: new Map(),
  feePrice: pending,
  sightings: pending,
  reward: pending,
  unconnected: 0,
  unanswered: 0,
});

/** Polls in a row in which a reward that only wants the connected stake is asked for: after a start its check comes within two. */
const maxUnconnected = 5;

export const validator: Source<ValidatorState, ValidatorAsked, Needs, ValidatorStatus> = {
  api: 'validator',
  every: 60,
  start: (options, before) =>
    before === undefined || !options.validator.enabled ? nothing(options) : { ...before, expected: options.validator.expected },
  ask: (question) =>
    question.options.validator.enabled && question.before.unanswered < maxUnanswered
      ? askValidator(question)
      : Promise.resolve(notAsked),
  answers: everyAnswer,
  // Another version knows of other upgrades.
  restarted: (before) => ({ ...before, helicon: pending, unconnected: 0 }),
  observe: (before, asked, { options, at, of }) => {
    const isOther = asked.nodeId !== undefined && before.nodeId !== undefined && asked.nodeId !== before.nodeId;
    const known = isOther ? nothing(options) : before;
    const isSilent = everyAnswer(asked).some(({ outcome }) => silences.has(outcome.kind));
    const unanswered = isSilent && of.readiness?.outcome.kind === 'ok' ? before.unanswered + 1 : 0;
    if (asked.uptime === undefined) return { ...known, unanswered };
    const reward = rewardAfter(known.reward, asked, at);
    const judged = lastValue(reward)?.state ?? 'unknown';
    return {
      ...known,
      ...(asked.nodeId !== undefined && { nodeId: asked.nodeId }),
      uptime: observeAnswer(known.uptime, asked.uptime),
      helicon: observeAnswer(known.helicon, asked.helicon),
      memberships: observeAll(known.memberships, asked.memberships),
      feePrice: observeAnswer(known.feePrice, asked.feePrice),
      sightings: sightingsAfter(known.sightings, asked),
      reward,
      ...(judged !== 'unknown' && { lastJudged: judged }),
      unconnected: asked.reward?.reason === 'ConnectedStakeUnknown' ? known.unconnected + 1 : 0,
      unanswered,
    };
  },
  // The stake that is connected changes, so both are of the same poll.
  isWhole: ({ unconnected }) => unconnected === 0 || unconnected > maxUnconnected,
  fail: (before, failure, at) => ({ ...before, uptime: observe(before.uptime, failure, at) }),
  observedAt: ({ uptime, memberships, feePrice, reward }) => observedAt([uptime, ...memberships.values(), feePrice, reward]),
  ongoing: () => [],
  changes: (before, after) => changesOf(before, after),
  families: validatorFamilies,
  status: validatorStatus,
  facts: ({ validator: status }) => validatorFacts(status),
};

/** An API that is off answered nothing: without the others' answers it would be a poll that failed. */
function everyAnswer({ uptime, helicon, memberships, feePrice, others }: ValidatorAsked): readonly Answer<unknown>[] {
  const own = [uptime, ...memberships.values()].filter((answer) => answer !== undefined);
  const isOff = own.some(({ outcome }) => outcome.kind === 'ok' && outcome.value.state === 'off');
  const rest = [helicon, feePrice, ...others].filter((answer) => answer !== undefined);
  return [
    ...own.filter(({ outcome }) => outcome.kind !== 'ok' || outcome.value.state !== 'off'),
    // What does not serve its uptime does not serve the upgrades either.
    ...(isOff ? rest.filter(({ outcome }) => outcome.kind === 'ok') : rest),
  ];
}

/** A request that failed takes nothing away until what was known is too old. */
const rewardAfter = (before: ValidatorState['reward'], { reward, uptime, memberships }: ValidatorAsked, at: number) => {
  if (reward !== undefined) return observe(before, { kind: 'ok', value: reward }, at);
  const isAnswered = [uptime, ...memberships.values()].every((answer) => answer === undefined || answer.outcome.kind === 'ok');
  return isAnswered ? pending : before;
};

/** While the P-Chain is silent those from before; none of one that is bootstrapping, or that is cut off. */
const sightingsAfter = (
  before: ValidatorState['sightings'],
  { memberships, sightings }: ValidatorAsked,
): ValidatorState['sightings'] => {
  const [own] = memberships.values();
  if (own?.outcome.kind !== 'ok') return before;
  return sightings === undefined ? pending : observe(before, { kind: 'ok', value: sightings }, own.endedAt);
};

/** Those that were asked, and while the P-Chain is silent those from before. */
const observeAll = (
  before: ValidatorState['memberships'],
  asked: ValidatorAsked['memberships'],
): ReadonlyMap<string, Observed<SetMembership>> => {
  const [own] = asked.values();
  const isWhole = own?.outcome.kind === 'ok';
  const names = isWhole ? asked.keys() : new Set([...before.keys(), ...asked.keys()]);
  return new Map(Array.from(names, (subnet) => [subnet, observeAnswer(before.get(subnet) ?? pending, asked.get(subnet))]));
};

/** A reward that comes into danger, and one that is out of it. */
const changesOf = ({ lastJudged: was }: ValidatorState, { lastJudged: is, reward }: ValidatorState): readonly LogEntry[] => {
  if (is === undefined || is === was) return [];
  const isBad = is === 'lost' || is === 'at-risk';
  const wasBad = was === 'lost' || was === 'at-risk';
  const fields = { state: is, reason: lastValue(reward)?.reason };
  return isBad || wasBad ? [{ level: isBad ? 'warn' : 'info', message: 'validator reward', fields }] : [];
};
