// Applies a poll to the node's check interval: it shows a new run, the same run, or none.

import { type CheckInterval, firstGap, probeEvery, unknownInterval } from './check-interval.ts';
import type { Stamped } from './clock.ts';
import { type HealthRun, sameRun } from './health-run.ts';
import { believable, distanceOf, longestInterval, type RunDistance, shortestInterval } from './run-distance.ts';
import { areSubsecond, isSubsecond, isSubsecondSign, isWholeSeconds, mayBeSubsecond } from './subsecond.ts';

/** A poll that returned the untagged report. */
export interface RunObservation extends Pick<Stamped, 'sentAt' | 'endedAt'> {
  /** Newest run in the report. Undefined if nothing has run yet. */
  readonly run?: HealthRun;
  /** Check interval in seconds. */
  readonly configured: number;
}

export interface ObservedRun {
  readonly interval: CheckInterval;
  /** This poll is the first to show this run. */
  readonly isNew: boolean;
  /** This poll is the first to show all results of a run. */
  readonly completed: boolean;
  /** Number of runs between the last observed one and this one. */
  readonly missed: number;
}

const keep = 5;
const newest = (before: readonly number[], value: number): readonly number[] => [...before.slice(1 - keep), value];

const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const clamp = (seconds: number): number => Math.min(longestInterval, Math.max(shortestInterval, seconds));

export const observeRun = (before: CheckInterval, observation: RunObservation): ObservedRun => {
  const { run, sentAt } = observation;
  const { run: known, seenAt } = before;
  if (run === undefined) {
    const interval = { ...before, askedAt: sentAt, emptyPolls: before.emptyPolls + 1 };
    return { interval, isNew: false, completed: false, missed: 0 };
  }
  const seen = { ...observation, run };
  if (known === undefined || seenAt === undefined)
    return { interval: moved(before, seen), isNew: true, completed: false, missed: 0 };
  return Math.abs(run.start - known.start) <= sameRun ? again(before, known, seenAt, seen) : next(before, known, seenAt, seen);
};

type WithRun = RunObservation & { readonly run: HealthRun };

const moved = (before: CheckInterval, { run, sentAt, endedAt }: WithRun): CheckInterval => {
  const { quietAt: _, unseenAt: __, askedAt, ...rest } = before;
  return { ...rest, run, seenAt: endedAt, askedAt: sentAt, emptyPolls: 0, ...(askedAt !== undefined && { unseenAt: askedAt }) };
};

/** Applies a poll that shows the known run: some of its results may be new. */
const again = (before: CheckInterval, known: HealthRun, seenAt: number, { run, sentAt, configured }: WithRun): ObservedRun => {
  if (isSubsecond(before)) {
    const slower = { ...unknownInterval(configured), run: known, seenAt, quietAt: sentAt, askedAt: sentAt };
    return { interval: slower, isNew: false, completed: false, missed: 0 };
  }
  const grown = run.end > known.end || (run.complete && !known.complete);
  const completed = run.complete && !known.complete;
  // A probe polls between two runs, when nothing new is due.
  const isProbe = before.sinceProbe >= probeEvery;
  const interval = {
    ...before,
    run: { ...run, firstResult: Math.min(run.firstResult, known.firstResult) },
    quietAt: sentAt,
    askedAt: sentAt,
    emptyPolls: grown || isProbe ? 0 : before.emptyPolls + 1,
    sinceProbe: isProbe ? 0 : before.sinceProbe,
    ...(completed && { lengths: newest(before.lengths, run.end - run.start) }),
  };
  return { interval, isNew: false, completed, missed: 0 };
};

const next = (before: CheckInterval, known: HealthRun, seenAt: number, seen: WithRun): ObservedRun => {
  const { run } = seen;
  const { apart: _, ...last } = moved(before, seen);
  const distance = distanceOf({ ...before, run: known, seenAt }, seen);
  const interval: CheckInterval = {
    ...last,
    lengths: run.complete ? newest(before.lengths, run.end - run.start) : before.lengths,
    sinceProbe: before.sinceProbe + 1,
    ...(distance.atMost !== undefined && { apart: distance.atMost }),
  };
  if (isSubsecond(before))
    return { interval: doubted(before, interval, distance, seen), isNew: true, completed: run.complete, missed: 0 };
  if (isSubsecondSign(before.inferred, distance, before.sinceProbe >= probeEvery))
    return { interval: withSign(interval), isNew: true, completed: run.complete, missed: 0 };
  const found =
    before.learning || before.inferred === undefined
      ? { interval: inferOne(before, interval, distance, seen), missed: 0 }
      : follow(before, interval, before.inferred, distance, seenAt);
  return { isNew: true, completed: run.complete, ...found };
};

/** The first sign triggers a probe at once. */
const withSign = (interval: CheckInterval): CheckInterval => {
  const subsecondSigns = interval.subsecondSigns + 1;
  return isSubsecond({ subsecondSigns }) ? asSubsecond(interval) : { ...interval, subsecondSigns, sinceProbe: probeEvery };
};

const asSubsecond = ({ inferred: _, confirmed: __, candidate: ___, ...rest }: CheckInterval): CheckInterval => ({
  ...rest,
  subsecondSigns: 2,
  slowSigns: 0,
  // Probe soon: a node that only catches up is done in a moment.
  sinceProbe: probeEvery - keep,
  learning: false,
  measured: [],
  outliers: 0,
});

/** A node that catches up after a hung run looks subsecond, too: runs that are whole seconds apart show a longer interval. */
const doubted = (
  before: CheckInterval,
  interval: CheckInterval,
  distance: RunDistance,
  { configured }: WithRun,
): CheckInterval => {
  if (before.sinceProbe < probeEvery) return interval;
  if (!isWholeSeconds(distance)) return { ...interval, sinceProbe: 0, slowSigns: 0 };
  if (before.slowSigns === 0) return { ...interval, sinceProbe: probeEvery, slowSigns: 1 };
  return { ...interval, ...unknownInterval(configured) };
};

const inferring = (interval: CheckInterval, seconds: number, over: Partial<CheckInterval>): CheckInterval => {
  const inferred = clamp(seconds);
  return { ...interval, ...over, inferred, ...(!mayBeSubsecond(inferred) && { confirmed: inferred }) };
};

/** Applies a distance while the interval is known: it fits, or counts as an outlier. */
const follow = (
  before: CheckInterval,
  interval: CheckInterval,
  inferred: number,
  { apart, isPossible, atMost = apart }: RunDistance,
  seenAt: number,
): Pick<ObservedRun, 'interval' | 'missed'> => {
  const runs = Math.round(apart / inferred);
  const fits = isPossible && runs >= 1 && Math.abs(apart / runs - inferred) <= 0.1 * inferred;
  // A poll that found nothing when a run was due proves that the run was late, not missed.
  const late = before.quietAt !== undefined && before.quietAt - seenAt > inferred;
  if (fits && !(late && runs > 1)) {
    const measured = newest(before.measured, apart / runs);
    if (measured.length === keep && areSubsecond(measured)) return { interval: asSubsecond(interval), missed: 0 };
    // Check durations may inflate the distance: a run that does not fit into the time that passed was not missed.
    const missed = Math.max(0, Math.min(runs, Math.round(atMost / inferred)) - 1);
    const known = inferring(interval, median(measured) ?? inferred, { outliers: 0, measured });
    const isProbe = mayBeSubsecond(inferred) && before.sinceProbe >= probeEvery;
    if (!isProbe) return { interval: known, missed };
    const confirmed = areSubsecond(measured) ? {} : { confirmed: inferred };
    return { interval: { ...known, ...confirmed, sinceProbe: 0, subsecondSigns: 0 }, missed };
  }
  const outliers = before.outliers + 1;
  const isShort = isPossible && apart < 0.75 * inferred;
  // Runs every 0.45 s appear 0.9 s and 1.35 s apart in turn. With a longer interval, distances differ by a whole interval.
  const subsecondSigns = before.subsecondSigns + (isShort && mayBeSubsecond(inferred) ? 1 : 0);
  if (isSubsecond({ subsecondSigns })) return { interval: asSubsecond(interval), missed: 0 };
  const relearning = outliers >= 2 || isShort ? { outliers: 0, learning: true, gap: firstGap(inferred) } : { outliers };
  return { interval: { ...interval, subsecondSigns, ...relearning }, missed: 0 };
};

/** Applies a distance while learning: accepts it as the interval, keeps it as the candidate, or ignores it. */
const inferOne = (
  before: CheckInterval,
  interval: CheckInterval,
  distance: RunDistance,
  { configured }: WithRun,
): CheckInterval => {
  const { candidate, ...rest } = interval;
  const { apart, isSingle } = distance;
  if (!isSingle && before.gap > shortestInterval) return { ...rest, gap: Math.max(shortestInterval, before.gap / 2) };
  if (believable(distance, { configured, candidate, inferred: before.inferred })) {
    // A probe follows the next run: it shows whether a run was overlooked after all.
    return inferring(rest, apart, { learning: false, measured: [apart], sinceProbe: probeEvery - 1, outliers: 0 });
  }
  return distance.isPossible ? { ...rest, candidate: apart } : rest;
};
