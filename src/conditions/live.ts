// The Live condition of a node. It is False only if a restart can help. Failures that the exporter or the network may have caused make it
// Unknown, and then the liveness probe passes as it does for True.

import type { Failure } from '../client/outcome.ts';
import { settledInterval } from '../snapshot/check-interval.ts';
import { measuredStallOf } from '../sources/stall.ts';
import type { TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { type Conclusion, conclude } from './condition.ts';
import { type LiveMemory, neverAnswered } from './memory.ts';
import { failureReason, failureText, isSilence } from './unanswered.ts';

/**
 * Seconds for which the condition stays False if all requests time out. After the kubelet restarts the container, the new process may time
 * out too, and if the listening process is unknown, or is a proxy, nothing distinguishes it from the old one. So the condition becomes
 * Unknown by itself: late enough for the liveness probe to restart the container once (failureThreshold × periodSeconds is above 5 min), and
 * too early to restart it twice.
 */
export const deadFor = 600;

export interface LiveStep {
  readonly memory: LiveMemory;
  readonly conclusion: Conclusion;
}

/** Undefined before the first poll. */
export const live = (before: LiveMemory, state: TargetState, now: number): LiveStep | undefined => {
  const { listener } = state;
  const isSame = before.listener === listener;
  const memory = isSame ? before : neverAnswered;
  const interval = intervalOf(memory, state);
  const step = evaluatePoll(memory, interval, state, now);
  if (step === undefined) return undefined;
  // If the listening process changed since the previous poll, the response may come from either of the two.
  const answered = isSame && step.memory.answered;
  const kept = { ...(listener !== undefined && { listener }), ...(answered && interval !== undefined && { interval }) };
  return { ...step, memory: { ...step.memory, answered, ...kept } };
};

/** The settled interval; until the exporter has measured one, the one that its previous run has saved. */
const intervalOf = (memory: LiveMemory, { interval }: TargetState): number | undefined =>
  settledInterval(interval) ?? (interval.measured.length < 2 ? memory.interval : undefined);

const evaluatePoll = (
  memory: LiveMemory,
  interval: number | undefined,
  state: TargetState,
  now: number,
): LiveStep | undefined => {
  const { lastPoll, process } = state;
  if (lastPoll === undefined) return undefined;
  if (process.state === 'gone') return processGone(process.failure);
  const { answered, failures } = lastPoll;
  if (answered) return responding(state, failures, now);
  const [first] = failures;
  if (first === undefined) return undefined;
  const gone = failures.find(isGone);
  if (gone !== undefined) return processGone(gone);
  const isOnlyTimeouts = failures.every(({ kind }) => kind === 'timeout');
  if (isOnlyTimeouts) return timedOut(memory, interval, state, first, now);
  const responded = failures.find((one) => !isSilence(one));
  return { memory: { answered: memory.answered }, conclusion: unknown(responded ?? first) };
};

/** Nothing listens, or the connection was cut: the process is ending, has ended, or was replaced. */
const isGone = ({ kind }: Failure): boolean => kind === 'refused' || kind === 'reset';

/** Forgets earlier responses, because the next process has not responded yet. */
const processGone = (failure: Failure): LiveStep => ({ memory: neverAnswered, conclusion: unknown(failure) });

const unknown = (failure: Failure): Conclusion => {
  // Timeouts are passed here only if a refused or cut connection came before them.
  const why = failure.kind === 'timeout' ? 'no response since the process ended' : 'a restart would not help';
  return conclude('Unknown', failureReason(failure), `${why}: ${failureText(failure)}`);
};

const responding = (state: TargetState, failures: readonly Failure[], now: number): LiveStep => {
  const frozen = longFrozen(state, now);
  // A node that is not live because it is frozen must make progress before timeouts count against it.
  const answered = frozen === undefined && !failures.some(isGone);
  return { memory: { answered }, conclusion: frozen ?? conclude('True', 'NodeResponding', 'the node responds') };
};

/** The health checks have been frozen for so long that only a restart helps, by a measured check interval, in time and in number of polls. */
const longFrozen = (state: TargetState, now: number): Conclusion | undefined => {
  const stall = measuredStallOf(state, now);
  const { frozenAfter } = state.options.liveness;
  if (stall === undefined || stall.intervals <= frozenAfter || stall.polls < frozenAfter) return undefined;
  return conclude('False', 'HealthFrozen', `no check has run for ${span(now - stall.since)}: the node's health worker hangs`);
};

/** Of a process that has responded, but whose responses do not count: its checks were frozen, or it cut its connections. */
const noProgress = 'this counts only after a response with running checks';

const timedOut = (
  memory: LiveMemory,
  interval: number | undefined,
  state: TargetState,
  failure: Failure,
  now: number,
): LiveStep => {
  const timeouts = { since: memory.timeouts?.since ?? now, polls: (memory.timeouts?.polls ?? 0) + 1 };
  const silence = timeouts.polls === 1 ? '' : `; all polls timed out for ${span(now - timeouts.since)}`;
  const message = `${failureText(failure)}${silence}`;
  const notLive = (kept: LiveMemory): LiveStep => ({ memory: kept, conclusion: conclude('False', 'Unresponsive', message) });
  const undecided = (answered: boolean, why: string): LiveStep => ({
    memory: { answered, timeouts },
    conclusion: conclude('Unknown', 'NoResponse', `${message}; ${why}`),
  });
  const { deadAt } = memory;
  if (deadAt !== undefined) {
    const isStillDead = now >= deadAt && now - deadAt <= deadFor;
    return isStillDead ? notLive({ ...memory, timeouts }) : undecided(false, 'not live before, and no response since');
  }
  if (!memory.answered)
    return undecided(false, state.process.state === 'reported' ? noProgress : 'no response from this node yet');
  // Only an interval measured of this process counts: a wrong one must not get a node killed.
  if (interval === undefined) return undecided(true, "the node's check interval is unknown");
  const { unresponsiveAfter } = state.options.liveness;
  const limit = unresponsiveAfter * interval;
  // Polls count too: a clock that is set forward must not get a node killed.
  const isOverLimit = now - timeouts.since >= limit && timeouts.polls >= unresponsiveAfter;
  return isOverLimit ? notLive({ answered: false, timeouts, deadAt: now }) : undecided(true, `not live after ${span(limit)}`);
};
