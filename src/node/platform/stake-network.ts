// The validators of the Primary Network and their observations of each other: a pure function of stakes and their periods, of
// outages, and of time. A year of it is a loop over instants.

import { type Interval, type Intervals, merged, secondsWithin, without } from './outages.ts';

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

/** Computed once per pair of keys. */
const keptByPair = (make: (one: string, other: string) => Intervals): ((one: string, other: string) => Intervals) => {
  const kept = new Map<string, Map<string, Intervals>>();
  return (one, other) => {
    const row = kept.get(one) ?? new Map<string, Intervals>();
    kept.set(one, row);
    const found = row.get(other) ?? make(one, other);
    row.set(other, found);
    return found;
  };
};

export const observationsOf = ({ outages }: { readonly outages: readonly Outage[] }) => {
  const own = new Map<string, Outage[]>();
  for (const outage of outages) {
    const known = own.get(outage.nodeId);
    if (known === undefined) own.set(outage.nodeId, [outage]);
    else known.push(outage);
  }
  /** Times when the process of `one` was down, or only its connection to `other`. */
  const away = (one: string, other: string): readonly Interval[] =>
    (own.get(one) ?? []).filter(({ hiddenFrom }) => hiddenFrom === undefined || hiddenFrom.has(other));
  const apart = keptByPair((one, other) => merged([...away(one, other), ...away(other, one)]));
  const down = keptByPair((nodeId) => merged((own.get(nodeId) ?? []).filter(({ hiddenFrom }) => hiddenFrom === undefined)));
  /** Times when the observer did not see the subject. Its own downtime does not count. */
  const unseen = keptByPair((observer, subject) => without(apart(observer, subject), down(observer, observer)));

  return {
    /** Ratio of the subject's period so far in which the observer saw it; 1 for itself. */
    seen: (observer: string, { nodeId, startTime, endTime }: Staker, at: number): number => {
      const elapsed = Math.min(at, endTime) - startTime;
      if (observer === nodeId || elapsed <= 0) return 1;
      return 1 - secondsWithin(unseen(observer, nodeId), startTime, startTime + elapsed) / elapsed;
    },
  };
};
