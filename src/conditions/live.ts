// Is the node alive: False only where a restart can help. Whatever may be our own fault, or the network's, is Unknown, which
// the probe answers as it does True.

import type { Failure } from '../client/outcome.ts';
import { settledInterval } from '../snapshot/check-interval.ts';
import { measuredStallOf } from '../sources/stall.ts';
import type { TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { type Conclusion, conclude } from './condition.ts';
import { type LiveMemory, neverAnswered } from './memory.ts';
import { failureReason, failureText, isSilence } from './unanswered.ts';

/**
 * Seconds for which a node that does not answer is called dead. Where nobody knows who listens, or a proxy listens in the node's place,
 * nothing tells the new process of a container from the old one while both only time out: so the condition ends by itself, after the
 * probe had the time to act on it once (its threshold × period is above 5 min), and before it could act on it twice.
 */
export const deadFor = 600;

export interface LiveStep {
  readonly memory: LiveMemory;
  readonly conclusion: Conclusion;
}

/** Undefined while nothing was asked. */
export const live = (before: LiveMemory, state: TargetState, now: number): LiveStep | undefined => {
  const { listener } = state;
  const isSame = before.listener === listener;
  const memory = isSame ? before : neverAnswered;
  const interval = intervalOf(memory, state);
  const step = judged(memory, interval, state, now);
  if (step === undefined) return undefined;
  // Where another one listens than after the poll before, nobody knows which of the two has answered.
  const answered = isSame && step.memory.answered;
  const kept = { ...(listener !== undefined && { listener }), ...(answered && interval !== undefined && { interval }) };
  return { ...step, memory: { ...step.memory, answered, ...kept } };
};

/** The settled one, or, while this exporter has just begun to measure, what it remembers of an earlier run. */
const intervalOf = (memory: LiveMemory, { interval }: TargetState): number | undefined =>
  settledInterval(interval) ?? (interval.measured.length < 2 ? memory.interval : undefined);

const judged = (memory: LiveMemory, interval: number | undefined, state: TargetState, now: number): LiveStep | undefined => {
  const { lastPoll, process } = state;
  if (lastPoll === undefined) return undefined;
  if (process.state === 'gone') return noProcess(process.failure);
  const { answered, failures } = lastPoll;
  const [failure] = failures;
  if (answered) {
    const frozen = longFrozen(state, now);
    // A node that is called dead for being frozen has to move before its silence counts against it.
    const responds = frozen === undefined && !failures.some(isGone);
    return { memory: { answered: responds }, conclusion: frozen ?? conclude('True', 'NodeResponding', 'the node responds') };
  }
  if (failure === undefined) return undefined;
  const gone = failures.find(isGone);
  if (gone !== undefined) return noProcess(gone);
  if (failures.every(({ kind }) => kind === 'timeout')) return silent(memory, interval, state, failure, now);
  const other = failures.find((one) => !isSilence(one)) ?? failure;
  return { memory: { answered: memory.answered }, conclusion: unknown(other) };
};

/** Frozen for so long that only a restart will help; known from an interval that was measured, by polls as well as by the clock. */
const longFrozen = (state: TargetState, now: number): Conclusion | undefined => {
  const stall = measuredStallOf(state, now);
  const { frozenAfter } = state.options.liveness;
  if (stall === undefined || stall.intervals <= frozenAfter || stall.polls < frozenAfter) return undefined;
  return conclude('False', 'HealthFrozen', `no check has run for ${span(now - stall.since)}: the node's health worker hangs`);
};

const unknown = (failure: Failure): Conclusion => {
  const also = isSilence(failure) ? 'there is no process to restart' : 'a restart would not fix this';
  return conclude('Unknown', failureReason(failure), `${failureText(failure)}; ${also}`);
};

/** Or none that has answered. */
const noProcess = (failure: Failure): LiveStep => ({ memory: neverAnswered, conclusion: unknown(failure) });

/** Nothing listens, or the connection was cut: the process ends, or has ended, or another has begun. */
const isGone = ({ kind }: Failure): boolean => kind === 'refused' || kind === 'reset';

const silent = (
  memory: LiveMemory,
  interval: number | undefined,
  state: TargetState,
  failure: Failure,
  now: number,
): LiveStep => {
  const timeouts = { since: memory.timeouts?.since ?? now, polls: (memory.timeouts?.polls ?? 0) + 1 };
  const text = `${failureText(failure)}, ${timeouts.polls === 1 ? 'for the first time' : `for ${span(now - timeouts.since)}`}`;
  const unsure = (also: string): Conclusion => conclude('Unknown', 'NoResponse', `${text}; ${also}`);
  const dead = conclude('False', 'Unresponsive', text);
  if (memory.deadAt !== undefined) {
    const { deadAt } = memory;
    if (now >= deadAt && now - deadAt <= deadFor) return { memory: { ...memory, timeouts }, conclusion: dead };
    return { memory: { answered: false, timeouts }, conclusion: unsure('not live before, and no response since') };
  }
  if (!memory.answered) return { memory: { answered: false, timeouts }, conclusion: unsure('the process has not responded yet') };
  // Only an interval that was measured of this process will do: one that is wrong must not end a node.
  if (interval === undefined)
    return { memory: { answered: true, timeouts }, conclusion: unsure("the node's check interval is unknown") };
  const { unresponsiveAfter } = state.options.liveness;
  const limit = unresponsiveAfter * interval;
  // Polls are counted too: a clock that is set forward must not end a node.
  if (now - timeouts.since >= limit && timeouts.polls >= unresponsiveAfter)
    return { memory: { answered: false, timeouts, deadAt: now }, conclusion: dead };
  return { memory: { answered: true, timeouts }, conclusion: unsure(`not live after ${span(limit)}`) };
};
