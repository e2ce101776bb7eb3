// Is the node alive: `no` only where a restart can help. Whatever may be our own fault, or the network's, is `unknown`, which
// the probe answers as it does `yes`.

import type { Failure } from '../client/outcome.ts';
import { rulesOf } from '../snapshot/rules.ts';
import { stallingOf, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { measuredStall } from '../snapshot/stall.ts';
import { type Finding, finding } from './judgement.ts';
import { failureText, isSilence, span } from './words.ts';

export interface LiveMemory {
  /** The process that is asked has answered before. */
  readonly answered: boolean;
  /** Polls in a row in which every call only timed out. `since`: the first one's end; exporter's clock. */
  readonly timeouts?: { readonly since: number; readonly polls: number };
  /** When it was taken for dead because of them; exporter's clock. */
  readonly deadAt?: number;
}

export const neverAnswered: LiveMemory = { answered: false };

/**
 * Seconds for which a node that does not answer is called dead. Nothing tells the new process of a container from the old one
 * while both only time out: so the verdict ends by itself, after the probe had the time to act on it once (its threshold ×
 * period is above 5 min), and before it could act on it twice.
 */
export const deadFor = 600;

export interface Step {
  readonly memory: LiveMemory;
  readonly finding: Finding;
}

/** Undefined while nothing was asked. */
export const live = (memory: LiveMemory, target: TargetSnapshot, now: number): Step | undefined => {
  const { reports, failures } = lastPoll(target);
  const [failure] = failures;
  if (reports > 0) {
    const frozen = longFrozen(target, now);
    // A node that is called dead for being frozen has to move before its silence counts against it.
    const answered = frozen === undefined && !failures.some(isGone);
    return { memory: { answered }, finding: frozen ?? finding('yes', 'the node answers') };
  }
  if (failure === undefined) return undefined;
  const gone = failures.find(isGone);
  if (gone !== undefined) return { memory: neverAnswered, finding: unknown(`${failureText(gone)}: no process to be restarted`) };
  if (failures.every(({ kind }) => kind === 'timeout')) return silent(memory, target, failure, now);
  const other = failures.find((one) => !isSilence(one)) ?? failure;
  return { memory: { answered: memory.answered }, finding: unknown(`${failureText(other)}: a restart would not mend that`) };
};

/** Frozen for so long that only a restart will help; known from a cadence that was measured, and by looks as well as by the clock. */
const longFrozen = (target: TargetSnapshot, now: number): Finding | undefined => {
  const still = measuredStall(stallingOf(target), now);
  const { frozenAfter } = rulesOf(target.options).liveness;
  if (still === undefined || still.intervals <= frozenAfter || still.polls < frozenAfter) return undefined;
  return finding('no', `no check has run for ${span(now - still.since)}: the node's health worker hangs`);
};

const unknown = (because: string): Finding => finding('unknown', because);

/** Nothing listens, or the connection was cut: the process ends, or has ended, or another has begun. */
const isGone = ({ kind }: Failure): boolean => kind === 'refused' || kind === 'reset';

/** How the calls of the last round of polls ended: how many brought something, and what the others ended with. */
const lastPoll = ({ health, readiness, liveness, indexes }: TargetSnapshot) => {
  const all = [...health.values(), readiness, liveness, ...indexes.values()];
  return {
    reports: all.filter(({ state }) => state === 'fresh').length,
    failures: all.flatMap((one) => (one.state === 'stale' || one.state === 'failed' ? one.failure : [])),
  };
};

const silent = (memory: LiveMemory, target: TargetSnapshot, failure: Failure, now: number): Step => {
  const timeouts = { since: memory.timeouts?.since ?? now, polls: (memory.timeouts?.polls ?? 0) + 1 };
  const text = `${failureText(failure)}, ${timeouts.polls === 1 ? 'for the first time' : `for ${span(now - timeouts.since)}`}`;
  if (memory.deadAt !== undefined) {
    const { deadAt } = memory;
    if (now >= deadAt && now - deadAt <= deadFor) return { memory: { ...memory, timeouts }, finding: finding('no', text) };
    return { memory: { answered: false, timeouts }, finding: unknown(`${text}; was taken for dead, and has not answered since`) };
  }
  if (!memory.answered) return { memory: { answered: false, timeouts }, finding: unknown(`${text}; has not answered yet`) };
  const { inferred } = target.cadence;
  // Only the node's own rhythm will do: a configured one that is wrong must not end a node.
  if (inferred === undefined)
    return { memory: { answered: true, timeouts }, finding: unknown(`${text}; the node's cadence is not known`) };
  const { unresponsiveAfter } = rulesOf(target.options).liveness;
  const limit = unresponsiveAfter * inferred;
  // Polls are counted too: a clock that is set forward must not end a node.
  if (now - timeouts.since >= limit && timeouts.polls >= unresponsiveAfter)
    return { memory: { answered: false, timeouts, deadAt: now }, finding: finding('no', text) };
  return { memory: { answered: true, timeouts }, finding: unknown(`${text}; taken for dead after ${span(limit)}`) };
};
