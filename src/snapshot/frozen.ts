// Whether the node's health worker still runs its checks. A round waits for all of them, and without a limit: one that hangs
// freezes every result, and the report goes on to say what was true once.

import type { HealthReport } from '../protocol/health.ts';
import type { Cadence } from './cadence.ts';
import { newestRound, sameRound } from './node-round.ts';
import type { Observed } from './observed.ts';

/** What was seen of the movement of the checks' timestamps, since the node's start or ours. */
export interface Movement {
  /** End of the look that first showed the newest result; exporter's clock. */
  readonly movedAt?: number;
  /** Seconds between the last two rounds seen: the node's period, or a multiple. Absent until a timestamp has advanced once. */
  readonly apart?: number;
  /** Looks since then, each answered, that showed nothing new. */
  readonly quietLooks: number;
}

/** One more look at the untagged report; `known` is what the last one showed of the same process. */
export const followMovement = (
  before: Movement,
  known: HealthReport | undefined,
  report: HealthReport,
  endedAt: number,
): Movement => {
  if (known === undefined) return { movedAt: endedAt, quietLooks: 0 };
  if (!hasMoved(known, report)) return { ...before, movedAt: before.movedAt ?? endedAt, quietLooks: before.quietLooks + 1 };
  const from = newestRound(known)?.start;
  const to = newestRound(report)?.start;
  const apart = from !== undefined && to !== undefined && to - from > sameRound ? to - from : before.apart;
  return { movedAt: endedAt, quietLooks: 0, ...(apart !== undefined && { apart }) };
};

/** Some check has another timestamp: an earlier one too, where the node's clock was set back. */
const hasMoved = (known: HealthReport, report: HealthReport): boolean =>
  [...report.checks].some(
    ([name, { timestamp }]) => typeof timestamp === 'number' && known.checks.get(name)?.timestamp !== timestamp,
  );

export interface Stillness {
  /** For more than `frozenAfter` cadences. */
  readonly frozen: boolean;
  /** Since when no timestamp has moved; exporter's clock. */
  readonly since: number;
  /** The check with the oldest timestamp: where a round hangs, that of the check it waits for. */
  readonly suspect?: string;
}

/** What it is read from. */
export interface StallSubject {
  /** The untagged report. */
  readonly report: Observed<HealthReport>;
  readonly movement: Movement;
  readonly cadence: Cadence;
  /** In check intervals. */
  readonly frozenAfter: number;
}

/** Undefined where it cannot be told: no timestamp has advanced yet, or the API does not answer. */
export const stillnessAt = (subject: StallSubject, now: number): Stillness | undefined => {
  const { report } = subject;
  const limit = frozenLimit(subject);
  const { movedAt } = subject.movement;
  if (report.state !== 'fresh' || limit === undefined || movedAt === undefined) return undefined;
  // A look speaks for one cadence: of what comes after it an exporter that was held up knows nothing.
  const frozen = Math.min(now, report.at + limit.cadence) > movedAt + limit.seconds;
  const suspect = suspectOf(report.value);
  return { frozen, since: movedAt, ...(suspect !== undefined && { suspect }) };
};

/** The instant up to which (inclusive) a node that is not frozen at `now` stays so without another look. */
export const movingUntil = (subject: StallSubject, now: number): number => {
  const stillness = stillnessAt(subject, now);
  const limit = frozenLimit(subject);
  if (stillness === undefined || stillness.frozen || limit === undefined) return Number.POSITIVE_INFINITY;
  return stillness.since + limit.seconds;
};

interface Limit {
  readonly cadence: number;
  readonly seconds: number;
}

/**
 * Never the configured cadence, which may be wrong by any factor. While the real one is still being learnt, the distance of the
 * last two rounds stands for it: it may be too long, and then the verdict comes late, but never too short.
 */
const frozenLimit = ({ cadence, movement, frozenAfter }: StallSubject): Limit | undefined => {
  const { apart } = movement;
  if (apart === undefined) return undefined;
  const learnt = cadence.learning ? Math.max(apart, cadence.inferred ?? 0) : (cadence.inferred ?? apart);
  return { cadence: learnt, seconds: frozenAfter * learnt };
};

/** Seconds for which no timestamp has moved, in cadences that were measured, and the looks that say so. */
export const measuredStillness = (
  subject: StallSubject,
  now: number,
): { readonly since: number; readonly cadences: number; readonly looks: number } | undefined => {
  const stillness = stillnessAt(subject, now);
  const { learning, inferred } = subject.cadence;
  if (stillness === undefined || learning || inferred === undefined) return undefined;
  return { since: stillness.since, cadences: (now - stillness.since) / inferred, looks: subject.movement.quietLooks };
};

/** A check that lags behind the newest round, the oldest first; else one that has never run; else the oldest of the round. */
const suspectOf = (report: HealthReport): string | undefined => {
  const newest = newestRound(report)?.start;
  let oldest: { readonly name: string; readonly at: number } | undefined;
  let never: string | undefined;
  let lags = false;
  for (const [name, { timestamp, duration = 0 }] of report.checks) {
    if (timestamp === 'never') never ??= name;
    if (typeof timestamp !== 'number') continue;
    if (newest !== undefined && timestamp - duration <= newest - sameRound) lags = true;
    if (oldest === undefined || timestamp < oldest.at) oldest = { name, at: timestamp };
  }
  return lags ? oldest?.name : (never ?? oldest?.name);
};
