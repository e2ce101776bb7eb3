// The node's check interval, inferred from its reports: how far apart its health check runs are.
//
// How it is inferred. A report only shows the newest run, so two runs seen one after the other are a whole number of intervals
// apart, and nobody knows which number, unless at most one run can have happened between two polls. A poll that shows nothing
// new proves that the interval is longer than the time since the last run; a next poll within that time can therefore find at
// most one more. So the polls start close together and double their distance while nothing is new: about log2(interval) of
// them give the interval, whatever was configured.
//
// What a node cannot steer. All of that is counted on our own clock. The distance that the node's timestamps give is only
// believed where it can have passed on our clock too: see run-distance.ts.

import { type HealthRun, sameRun } from './health-run.ts';
import { believable, distanceOf, longestInterval, type RunDistance, shortestInterval } from './run-distance.ts';
import { areSubsecond, isSubsecond, isSubsecondSign, mayBeSubsecond } from './subsecond.ts';

export interface CheckInterval {
  /** Seconds between two runs of the node's health checks; absent until known. */
  readonly inferred?: number;
  /** The last one inferred that is not several shorter ones: below two seconds, a poll between two runs has to show that. */
  readonly confirmed?: number;
  /** True while polls are spent on inferring the interval, the first time or again. */
  readonly learning: boolean;
  /** While learning: seconds from a new run to the first poll after it. */
  readonly gap: number;
  /** The newest run seen. */
  readonly run?: HealthRun;
  /** End of the first poll that showed it; steady clock. */
  readonly seenAt?: number;
  /** Start of the last poll of the same process that did not show it yet; absent where the first poll did. */
  readonly unseenAt?: number;
  /** Start of the last poll that showed nothing newer; steady clock. */
  readonly quietAt?: number;
  /** Start of the last poll, whatever it showed; steady clock. */
  readonly askedAt?: number;
  /** The last two runs seen came no further apart than that, seconds; by our own clock, absent where it has no bound. */
  readonly apart?: number;
  /** A distance that is only believed when the next one agrees. */
  readonly candidate?: number;
  /** Polls in a row that came when something new was due and found nothing. */
  readonly emptyPolls: number;
  /** The last intervals measured, newest last, seconds. */
  readonly measured: readonly number[];
  /** How long the last runs took, newest last, seconds. */
  readonly lengths: readonly number[];
  /** Runs seen since the last poll between two runs. */
  readonly sinceProbe: number;
  /** Runs in a row that did not come a whole number of intervals after the one before. */
  readonly outliers: number;
  /** Runs that came less than a second apart, or between two whole seconds: two of them, and nobody can tell the interval. */
  readonly subsecondSigns: number;
}

/** After so many runs one poll is placed between two runs: a node that checks more often than we believe shows there. */
export const probeEvery = 20;

const firstGap = (configured: number): number => Math.min(5, Math.max(shortestInterval, configured / 8));

export const unknownInterval = (configured: number): CheckInterval => ({
  learning: true,
  gap: firstGap(configured),
  emptyPolls: 0,
  measured: [],
  lengths: [],
  sinceProbe: 0,
  outliers: 0,
  subsecondSigns: 0,
});

/** Another process may check at another interval: what was inferred is only where to start from. */
export const resetInterval = ({ inferred, confirmed }: CheckInterval, configured: number): CheckInterval => ({
  ...unknownInterval(configured),
  ...(inferred !== undefined && { inferred }),
  ...(confirmed !== undefined && { confirmed }),
});

/** One poll that brought the untagged report. */
export interface RunObservation {
  /** Steady clock. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** The newest run in it; absent while nothing has run. */
  readonly run?: HealthRun;
  /** Seconds. */
  readonly configured: number;
}

export interface ObservedRun {
  readonly interval: CheckInterval;
  /** This poll is the first to show this run. */
  readonly isNew: boolean;
  /** This poll is the first to show all results of a run. */
  readonly completed: boolean;
  /** Runs between this one and the one seen before that no poll saw. */
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

/** The run that we knew: some of its results may be new. */
const again = (before: CheckInterval, known: HealthRun, seenAt: number, { run, sentAt, configured }: WithRun): ObservedRun => {
  if (isSubsecond(before)) {
    const slower = { ...unknownInterval(configured), run: known, seenAt, quietAt: sentAt, askedAt: sentAt };
    return { interval: slower, isNew: false, completed: false, missed: 0 };
  }
  const grown = run.end > known.end || (run.complete && !known.complete);
  const completed = run.complete && !known.complete;
  // Between two runs nothing new is due.
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
  if (isSubsecond(before)) return { interval, isNew: true, completed: run.complete, missed: 0 };
  if (isSubsecondSign(before.inferred, distance, before.sinceProbe >= probeEvery))
    return { interval: withSign(interval), isNew: true, completed: run.complete, missed: 0 };
  const found =
    before.learning || before.inferred === undefined
      ? { interval: learn(before, interval, distance, seen), missed: 0 }
      : follow(before, interval, before.inferred, distance, seenAt);
  return { isNew: true, completed: run.complete, ...found };
};

/** The first is asked about again at once. */
const withSign = (interval: CheckInterval): CheckInterval => {
  const subsecondSigns = interval.subsecondSigns + 1;
  return isSubsecond({ subsecondSigns }) ? asSubsecond(interval) : { ...interval, subsecondSigns, sinceProbe: probeEvery };
};

const asSubsecond = ({ inferred: _, confirmed: __, candidate: ___, ...rest }: CheckInterval): CheckInterval => ({
  ...rest,
  subsecondSigns: 2,
  learning: false,
  measured: [],
  outliers: 0,
});

const inferring = (interval: CheckInterval, seconds: number, over: Partial<CheckInterval>): CheckInterval => {
  const inferred = clamp(seconds);
  return { ...interval, ...over, inferred, ...(!mayBeSubsecond(inferred) && { confirmed: inferred }) };
};

/** One more distance while the interval is known: it fits, or it counts against what is known. */
const follow = (
  before: CheckInterval,
  interval: CheckInterval,
  inferred: number,
  { apart, isPossible, atMost = apart }: RunDistance,
  seenAt: number,
): Pick<ObservedRun, 'interval' | 'missed'> => {
  const runs = Math.round(apart / inferred);
  const fits = isPossible && runs >= 1 && Math.abs(apart / runs - inferred) <= 0.1 * inferred;
  // A poll that found nothing when a run was due proves that the run was late, not unseen.
  const late = before.quietAt !== undefined && before.quietAt - seenAt > inferred;
  if (fits && !(late && runs > 1)) {
    const measured = newest(before.measured, apart / runs);
    if (measured.length === keep && areSubsecond(measured)) return { interval: asSubsecond(interval), missed: 0 };
    // Durations may make a distance longer than our clock saw: no run is missed that had no time to be.
    const missed = Math.max(0, Math.min(runs, Math.round(atMost / inferred)) - 1);
    const known = inferring(interval, median(measured) ?? inferred, { outliers: 0, measured });
    const isProbe = mayBeSubsecond(inferred) && before.sinceProbe >= probeEvery;
    if (!isProbe) return { interval: known, missed };
    const confirmed = areSubsecond(measured) ? {} : { confirmed: inferred };
    return { interval: { ...known, ...confirmed, sinceProbe: 0, subsecondSigns: 0 }, missed };
  }
  const outliers = before.outliers + 1;
  const isShort = isPossible && apart < 0.75 * inferred;
  // Runs every 0.45 s come 0.9 s and 1.35 s apart by turns: of those of a longer interval two distances differ by all of it.
  const subsecondSigns = before.subsecondSigns + (isShort && mayBeSubsecond(inferred) ? 1 : 0);
  if (isSubsecond({ subsecondSigns })) return { interval: asSubsecond(interval), missed: 0 };
  const relearning = outliers >= 2 || isShort ? { outliers: 0, learning: true, gap: firstGap(inferred) } : { outliers };
  return { interval: { ...interval, subsecondSigns, ...relearning }, missed: 0 };
};

/** One more distance while learning: taken for the interval, kept for the next to confirm, or of no use. */
const learn = (before: CheckInterval, interval: CheckInterval, distance: RunDistance, { configured }: WithRun): CheckInterval => {
  const { candidate, ...rest } = interval;
  const { apart, isSingle } = distance;
  if (!isSingle && before.gap > shortestInterval) return { ...rest, gap: Math.max(shortestInterval, before.gap / 2) };
  if (believable(distance, { configured, candidate, inferred: before.inferred })) {
    // The next poll between two runs comes soon: it shows whether a run was overlooked after all.
    return inferring(rest, apart, { learning: false, measured: [apart], sinceProbe: probeEvery - 1, outliers: 0 });
  }
  return distance.isPossible ? { ...rest, candidate: apart } : rest;
};

/**
 * The inferred interval once it is settled: two distances gave it. One alone may be too short, where the node's clock was set in
 * between, or where the node was restarted and nobody saw it.
 */
export const settledInterval = ({ learning, measured, inferred }: CheckInterval): number | undefined =>
  learning || measured.length < 2 ? undefined : inferred;
