// A node in simulated time: what its health worker did and when, and the reports that it leaves. No socket and no clock, so that
// a day of it takes a moment. All times but timestamps are steady: what really passed.

import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';

export interface SimulatedNode {
  /** Seconds from one tick of its worker to the next. */
  readonly period: (tick: number) => number;
  /** When its first run started. */
  readonly firstRun: number;
  /** Seconds that each check takes in the run that starts at a time. */
  readonly durations: Readonly<Record<string, number | ((start: number) => number)>>;
  /** What the duration field says instead, seconds; undefined: the madeOf. */
  readonly claims?: (check: string, start: number) => number | undefined;
  /** Node's clock − the steady one, before any step. */
  readonly skew: number;
  /** Its clock is set. */
  readonly steps?: readonly { readonly at: number; readonly by: number }[];
  /** The process ends, and another begins so many seconds later. */
  readonly restarts?: readonly { readonly at: number; readonly down: number }[];
  /** Does its API answer? Where a process runs; absent: yes. */
  readonly answers?: (at: number) => boolean;
  /** Since when every result is a failure. */
  readonly failsFrom?: number;
  /** Its answers have no Date header. */
  readonly undated?: boolean;
}

interface Result {
  readonly check: string;
  /** When it was there. */
  readonly at: number;
  readonly result: CheckResult;
}

export interface Simulation {
  /** What its clock says. */
  readonly clock: (at: number) => number;
  /** False while no process runs. */
  readonly isUp: (at: number) => boolean;
  /** Must not be asked for a time before one that it was asked for. */
  readonly reportAt: (at: number) => HealthReport;
  /** When the last result was there; undefined while the process that runs has none. */
  readonly lastResultAt: (at: number) => number | undefined;
  /** When the first failure was there, of those that a report could show. */
  readonly firstFailureAt: () => number | undefined;
  /** When each run began that has begun by the last time that was asked for. */
  readonly starts: readonly number[];
}

const notYetRun: CheckResult = { contiguousFailures: 0, error: 'not yet run', timestamp: 'never', duration: 0 };

export const simulate = (node: SimulatedNode): Simulation => {
  const { steps = [], restarts = [], skew, durations, claims } = node;
  const clock = (at: number): number => at + skew + steps.reduce((sum, step) => (step.at <= at ? sum + step.by : sum), 0);
  const isUp = (at: number): boolean => !restarts.some((restart) => restart.at <= at && at < restart.at + restart.down);
  const starts: number[] = [];
  let shown = new Map<string, Result>();
  let coming: readonly Result[] = [];
  let tick = node.firstRun;
  let start = node.firstRun;
  let firstFailure: number | undefined;
  let waiting = [...restarts].sort((one, other) => one.at - other.at);

  const run = (): void => {
    starts.push(start);
    const ran = Object.entries(durations).map(([check, given]): Result => {
      const duration = typeof given === 'number' ? given : given(start);
      const at = start + duration;
      const failure = node.failsFrom !== undefined && at >= node.failsFrom ? { error: 'fails' } : {};
      return {
        check,
        at,
        result: { contiguousFailures: 0, timestamp: clock(at), duration: claims?.(check, start) ?? duration, ...failure },
      };
    });
    coming = [...coming, ...ran].sort((one, other) => one.at - other.at);
    // As Go's ticker: a run that takes longer than a tick is followed at once by one more, and then by the tick after it.
    const end = ran.reduce((latest, { at }) => Math.max(latest, at), start);
    tick += node.period(tick);
    start = Math.max(tick, end);
    while (tick + node.period(tick) <= end) tick += node.period(tick);
  };

  const advance = (to: number): void => {
    for (;;) {
      const [restart] = waiting;
      const until = Math.min(to, restart?.at ?? to);
      while (start <= until) run();
      for (const one of coming) {
        if (one.at > until) continue;
        shown.set(one.check, one);
        if (one.result.error !== undefined) firstFailure ??= one.at;
      }
      coming = coming.filter(({ at }) => at > until);
      if (restart === undefined || restart.at > to) return;
      waiting = waiting.slice(1);
      [shown, coming] = [new Map(), []];
      start = restart.at + restart.down;
      tick = start;
    }
  };

  return {
    clock,
    isUp,
    starts,
    firstFailureAt: () => firstFailure,
    reportAt: (at) => {
      advance(at);
      const results = Object.keys(durations).map((check) => [check, shown.get(check)?.result ?? notYetRun] as const);
      return { checks: new Map(results), healthy: results.every(([, { error }]) => error === undefined) };
    },
    lastResultAt: (at) => {
      advance(at);
      return [...shown.values()].reduce<number | undefined>((latest, one) => Math.max(latest ?? one.at, one.at), undefined);
    },
  };
};
