// The validators of the Primary Network and their observations of each other: a pure function of stakes and their periods, of
// outages, and of time.

import { type Interval, merged, secondsWithin } from './outages.ts';

/** One staking period. Weights in nAVAX, times in seconds since the Unix epoch. */
export interface Staker {
  readonly nodeId: string;
  readonly stake: bigint;
  readonly delegated: bigint;
  readonly startTime: number;
  readonly endTime: number;
}

export interface Outage extends Interval {
  readonly nodeId: string;
  /** Validators without a connection to it meanwhile. If absent, its process is down, and sees nobody either. */
  readonly hiddenFrom?: ReadonlySet<string>;
}

export const weightOf = ({ stake, delegated }: Staker): number => Number(stake + delegated);

export const isStakingAt = ({ startTime, endTime }: Staker, at: number): boolean => startTime <= at && at < endTime;

/** Ratio of its period that a validator must be seen for to be paid: 0.8, or 0.9 for periods from Helicon on. */
export const uptimeRequirementOf = ({ startTime }: Staker, { helicon }: { readonly helicon?: number | undefined }): number =>
  helicon !== undefined && startTime >= helicon ? 0.9 : 0.8;

type Between = (one: string, other: string) => readonly Interval[];

/** Computed once per pair of keys. */
const keptByPair = (make: Between): Between => {
  const kept = new Map<string, Map<string, readonly Interval[]>>();
  return (one, other) => {
    const row = kept.get(one) ?? new Map<string, readonly Interval[]>();
    kept.set(one, row);
    const found = row.get(other) ?? make(one, other);
    row.set(other, found);
    return found;
  };
};

export const observationsOf = (outages: readonly Outage[]) => {
  const own = new Map<string, Outage[]>();
  for (const outage of outages) {
    const known = own.get(outage.nodeId);
    if (known === undefined) own.set(outage.nodeId, [outage]);
    else known.push(outage);
  }
  /** Times when the process of `one` was down, or only its connection to `other`. */
  const away = (one: string, other: string): readonly Interval[] =>
    (own.get(one) ?? []).filter(({ hiddenFrom }) => hiddenFrom === undefined || hiddenFrom.has(other));
  /** Contains the downtime of both. */
  const apart = keptByPair((one, other) => merged([...away(one, other), ...away(other, one)]));
  const down = keptByPair((nodeId) => merged((own.get(nodeId) ?? []).filter(({ hiddenFrom }) => hiddenFrom === undefined)));

  return {
    /** Ratio of the subject's period so far in which the observer saw it; 1 for itself. */
    seen: (observer: string, { nodeId, startTime, endTime }: Staker, at: number): number => {
      const elapsed = Math.min(at, endTime) - startTime;
      if (observer === nodeId || elapsed <= 0) return 1;
      const lasted = (intervals: readonly Interval[]): number => secondsWithin(intervals, startTime, startTime + elapsed);
      // The observer's own downtime does not count.
      return 1 - (lasted(apart(observer, nodeId)) - lasted(down(observer, observer))) / elapsed;
    },
  };
};
