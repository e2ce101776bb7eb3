// The node's own rhythm, read off its reports: how far apart its rounds of checks are, and when the next is due.
//
// How it is learnt. A report only shows the newest round, so two rounds seen one after the other are a whole number of
// periods apart, and nobody knows which number, unless at most one round can have happened between two looks. A look that
// shows nothing new proves that the period is longer than the time since the last round; a next look within that time can
// therefore find at most one more. So the looks start close together and double their distance while nothing is new: about
// log2(period) of them give the period exactly, whatever was configured.

import { type NodeRound, sameRound } from './node-round.ts';

export interface Cadence {
  /** Seconds between two rounds of the node's checks; absent until known. */
  readonly inferred?: number;
  /** True while looks are spent on learning the period, the first time or anew. */
  readonly learning: boolean;
  /** While learning: seconds from a new round to the first look after it. */
  readonly gap: number;
  /** The newest round seen. */
  readonly round?: NodeRound;
  /** End of the first look that showed it; exporter's clock. */
  readonly seenAt?: number;
  /** Start of the last look that showed nothing newer; exporter's clock. */
  readonly quietAt?: number;
  /** Start of the last look, whatever it showed; exporter's clock. */
  readonly askedAt?: number;
  /** Looks in a row that came when something new was due and found nothing. */
  readonly emptyLooks: number;
  /** The last periods measured, newest last, seconds. */
  readonly periods: readonly number[];
  /** How long the last rounds took, newest last, seconds. */
  readonly lengths: readonly number[];
  /** Rounds seen since the last look between two rounds. */
  readonly sinceProbe: number;
  /** Rounds in a row that did not come a whole number of periods after the one before. */
  readonly misfits: number;
}

/** Shortest and longest period that is polled; the configuration has the same limits. */
export const shortestCadence = 1;
export const longestCadence = 3600;

/** Every so many rounds one look is placed between two rounds: a node that checks more often than we believe shows there. */
export const probeEvery = 20;

const firstGap = (configured: number): number => Math.min(5, Math.max(shortestCadence, configured / 8));

export const unknownCadence = (configured: number): Cadence => ({
  learning: true,
  gap: firstGap(configured),
  emptyLooks: 0,
  periods: [],
  lengths: [],
  sinceProbe: 0,
  misfits: 0,
});

/** A look at the untagged report. Times are seconds in the exporter's clock. */
export interface Look {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly round: NodeRound;
}

export interface Seen {
  readonly cadence: Cadence;
  /** This look is the first to show this round. */
  readonly isNew: boolean;
  /** This look is the first to show all results of a round that followed another. */
  readonly completed: boolean;
  /** Rounds between this one and the one seen before that no look saw. */
  readonly missed: number;
}

const keep = 5;
const newest = (before: readonly number[], value: number): readonly number[] => [...before.slice(1 - keep), value];

const median = (values: readonly number[]): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

const clamp = (period: number): number => Math.min(longestCadence, Math.max(shortestCadence, period));

/** What one more look tells. */
export const look = (before: Cadence, seen: Look): Seen => {
  const { round } = before;
  if (round === undefined || before.seenAt === undefined)
    return { cadence: first(before, seen), isNew: true, completed: false, missed: 0 };
  if (Math.abs(seen.round.start - round.start) <= sameRound) return again(before, round, seen);
  return next(before, round, before.seenAt, seen);
};

const first = (before: Cadence, { round, sentAt, endedAt }: Look): Cadence => {
  const { quietAt: _, ...rest } = before;
  return { ...rest, round, seenAt: endedAt, askedAt: sentAt, emptyLooks: 0 };
};

/** The round that we knew: some of its results may be new. */
const again = (before: Cadence, known: NodeRound, { round, sentAt }: Look): Seen => {
  const grown = round.end > known.end || (round.complete && !known.complete);
  const completed = round.complete && !known.complete;
  const cadence = {
    ...before,
    round: { ...round, firstResult: Math.min(round.firstResult, known.firstResult) },
    quietAt: sentAt,
    askedAt: sentAt,
    emptyLooks: grown ? 0 : before.emptyLooks + 1,
    sinceProbe: before.sinceProbe >= probeEvery ? 0 : before.sinceProbe,
    ...(completed && { lengths: newest(before.lengths, round.end - round.start) }),
  };
  return { cadence, isNew: false, completed, missed: 0 };
};

const next = (before: Cadence, known: NodeRound, seenAt: number, seen: Look): Seen => {
  const { round } = seen;
  const apart = round.start - known.start;
  const lengths = round.complete ? newest(before.lengths, round.end - round.start) : before.lengths;
  const moved = { ...first(before, seen), lengths, sinceProbe: before.sinceProbe + 1 };
  const completed = round.complete;
  // The node's clock was set back: nothing can be read off the distance.
  if (apart < 0) return { cadence: { ...moved, learning: true }, isNew: true, completed, missed: 0 };
  if (before.learning || before.inferred === undefined)
    return { cadence: learn(before, moved, seenAt, seen, apart), isNew: true, completed, missed: 0 };
  const periods = Math.round(apart / before.inferred);
  const fits = periods >= 1 && Math.abs(apart / periods - before.inferred) <= 0.1 * before.inferred;
  // A look that found nothing when a round was due proves that the round was late, not unseen.
  const late = before.quietAt !== undefined && before.quietAt - seenAt > before.inferred;
  if (!fits || (late && periods > 1)) {
    const misfits = before.misfits + 1;
    const relearn = misfits >= 2 || apart < 0.75 * before.inferred;
    const cadence = relearn ? { ...moved, misfits: 0, learning: true, gap: firstGap(before.inferred) } : { ...moved, misfits };
    return { cadence, isNew: true, completed, missed: 0 };
  }
  const measured = newest(before.periods, apart / periods);
  const cadence = { ...moved, misfits: 0, periods: measured, inferred: clamp(median(measured) ?? before.inferred) };
  return { cadence, isNew: true, completed, missed: periods - 1 };
};

const learn = (before: Cadence, moved: Cadence, seenAt: number, seen: Look, apart: number): Cadence => {
  const exact = before.quietAt !== undefined && seen.endedAt - before.quietAt <= before.quietAt - seenAt;
  if (exact || before.gap <= shortestCadence) {
    return { ...moved, learning: false, inferred: clamp(apart), periods: [apart], sinceProbe: 0, misfits: 0 };
  }
  return { ...moved, gap: Math.max(shortestCadence, before.gap / 2) };
};

/** Seconds that a round of the node's checks takes, as far as the last ones tell. */
export const typicalLength = (cadence: Cadence): number => Math.max(0, ...cadence.lengths);
