// Is the node ready for a tag set: a memory of how many rounds of the node's checks passed or failed in a row, and what
// follows from it.

import type { HealthReport } from '../protocol/health.ts';
import { skewOf } from '../snapshot/clock.ts';
import { newestRun, sameRun } from '../snapshot/health-run.ts';
import type { Observed } from '../snapshot/observed.ts';
import { rulesOf } from '../snapshot/rules.ts';
import { effectiveCadence, stallingOf, type TagSet, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { stallAt } from '../snapshot/stall.ts';
import { doubtfulTags } from '../snapshot/tag-knowledge.ts';
import { type Failures, failuresOf, namesOf, reasonsOf } from './failing.ts';
import { type Finding, finding } from './judgement.ts';
import { failureText, oneLine, span, unanswered } from './words.ts';

/** Rounds of the node, or failed polls, in a row. */
interface Counts {
  readonly passes: number;
  readonly fails: number;
}

export interface ReadyMemory extends Counts {
  readonly tags: readonly string[];
  readonly ready: boolean;
  /** Start of the newest round seen; node's clock. */
  readonly round?: number;
  /** The counts before that round: it may be looked at again, and say more then. Absent once it is not to be counted any more. */
  readonly before?: Counts;
}

export const unready = (tags: readonly string[]): ReadyMemory => ({ tags, ready: false, passes: 0, fails: 0 });

export interface Step {
  readonly memory: ReadyMemory;
  readonly finding: Finding;
}

/** Undefined while the tag set was not asked for. */
export const ready = (memory: ReadyMemory, tagSet: TagSet, target: TargetSnapshot, now: number): Step | undefined => {
  const observed: Observed<HealthReport> = target.health.get(tagSet.name) ?? { state: 'pending' };
  const { readiness } = rulesOf(target.options);
  switch (observed.state) {
    case 'pending':
      return undefined;
    case 'stale':
    case 'failed': {
      const { before: _, ...rest } = memory;
      const next = settled({ ...rest, passes: 0, fails: memory.fails + 1 }, readiness);
      const text = failureText(observed.failure);
      const held = finding('yes', `${text}; unready after ${readiness.failAfter} in a row, this is ${next.fails}`);
      return { memory: next, finding: next.ready ? held : unanswered(observed.failure) };
    }
    case 'fresh': {
      const failures = failuresOf(observed.value, tagSet, readiness);
      // A node that is unhealthy and names nothing that fails is unhealthy for a reason that cannot be ignored.
      const passes = failures.counting.length === 0 && (observed.value.healthy || failures.ignored.length > 0);
      const old = isOld(target, observed.value, now);
      const next = settled(counted(memory, observed.value, passes, old), readiness);
      const plain = said(next, passes, failures, readiness);
      // What cannot be believed is not a yes; a no for a check that fails stays one.
      const doubt = passes || plain.state === 'yes' ? doubtOf(tagSet, target, now, old && !next.ready) : undefined;
      return { memory: next, finding: doubt ?? plain };
    }
    default:
      return observed satisfies never;
  }
};

type Rules = ReturnType<typeof rulesOf>['readiness'];

const settled = (memory: ReadyMemory, { failAfter, passAfter }: Rules): ReadyMemory => {
  if (memory.fails >= failAfter) return { ...memory, ready: false };
  return memory.passes >= passAfter ? { ...memory, ready: true } : memory;
};

const counted = (memory: ReadyMemory, report: HealthReport, passes: boolean, old: boolean): ReadyMemory => {
  const round = newestRun(report)?.start;
  const again = round !== undefined && memory.round !== undefined && Math.abs(round - memory.round) <= sameRun;
  // The first round that is seen may have ended long ago: then one that follows has to show that the checks still run.
  const skipped = memory.round === undefined && old;
  const before = again ? memory.before : skipped ? undefined : { passes: memory.passes, fails: memory.fails };
  const known = { tags: memory.tags, ready: memory.ready, ...(round !== undefined && { round }), ...(before && { before }) };
  // A round that is not to be counted again still ends a row of the other kind.
  const one = before === undefined ? 0 : 1;
  const from = before ?? memory;
  return passes ? { ...known, passes: from.passes + one, fails: 0 } : { ...known, passes: 0, fails: from.fails + one };
};

const said = (memory: ReadyMemory, passes: boolean, { counting, ignored }: Failures, rules: Rules): Finding => {
  const fault = counting.length === 0 ? 'unhealthy, and the report names no check that fails' : namesOf(counting);
  const well = ignored.length === 0 ? 'every check passes' : `every check that counts passes; ignored: ${namesOf(ignored)}`;
  if (memory.ready) {
    if (passes) return finding('yes', well);
    return finding('yes', `${fault}; unready after ${rules.failAfter} rounds in a row, this is ${memory.fails}`);
  }
  if (passes) return finding('no', `${well}; ready after ${rules.passAfter} rounds in a row, so far ${memory.passes}`);
  return finding('no', fault, counting.length === 0 ? ['other'] : reasonsOf(counting));
};

/** Seconds since the last round of the node ended: more than `frozenAfter` cadences. False where the clocks cannot be compared. */
const isOld = (target: TargetSnapshot, report: HealthReport, now: number): boolean => {
  const round = newestRun(report);
  const skew = skewOf(target.clock);
  if (round === undefined || skew === undefined) return false;
  return now + skew - round.end > rulesOf(target.options).frozenAfter * effectiveCadence(target);
};

const doubtOf = (tagSet: TagSet, target: TargetSnapshot, now: number, waits: boolean): Finding | undefined => {
  const { unknown, undecided } = doubtfulTags(target, tagSet);
  if (unknown.length > 0)
    return finding(
      'unknown',
      `no check belongs to the tag ${oneLine(unknown.join(', '), 200)}: so it looks healthy whatever is wrong`,
    );
  if (undecided.length > 0)
    return finding('unknown', `not known yet whether any check belongs to the tag ${oneLine(undecided.join(', '), 200)}`);
  const stillness = stallAt(stallingOf(target), now);
  if (stillness?.frozen === true) {
    const suspect = stillness.suspect === undefined ? '' : `, perhaps for ${oneLine(stillness.suspect, 64)}`;
    return finding('unknown', `no check has run for ${span(now - stillness.since)}: the node's health worker hangs${suspect}`);
  }
  return waits ? finding('unknown', 'the checks last ran long ago: waiting for them to run again') : undefined;
};
