// A node in simulated time: its check runs and the resulting reports, without sockets and real clocks, so that a day takes a
// moment. All times except timestamps are monotonic.

import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';

export interface SimulatedNode {
  /** Seconds between two ticks of its health worker. */
  readonly period: (tick: number) => number;
  /** The start of its first run. */
  readonly firstRun: number;
  /** The duration of each check in seconds, possibly by start time. */
  readonly durations: Readonly<Record<string, number | ((start: number) => number)>>;
  /** The duration field of the report in seconds; by default the real duration. */
  readonly claims?: (check: string, start: number) => number | undefined;
  /** Node clock minus monotonic clock, before any step. */
  readonly skew: number;
  /** Steps of its clock. */
  readonly steps?: readonly { readonly at: number; readonly by: number }[];
  /** The process exits and restarts after this many seconds. */
  readonly restarts?: readonly { readonly at: number; readonly down: number }[];
  /** Whether its API answers while the process runs; always by default. */
  readonly answers?: (at: number) => boolean;
  /** From this time on every result is a failure. */
  readonly failsFrom?: number;
  /** Responses have no Date header. */
  readonly undated?: boolean;
}

interface Result {
  readonly check: string;
  /** When the result was available. */
  readonly at: number;
  readonly result: CheckResult;
}

export interface Simulation {
  /** The node's clock. */
  readonly clock: (at: number) => number;
  /** False while no process runs. */
  readonly isUp: (at: number) => boolean;
  /** Times must not decrease between calls. */
  readonly reportAt: (at: number) => HealthReport;
  /** The time of the last result; undefined while the current process has none. */
  readonly lastResultAt: (at: number) => number | undefined;
  /** The time of the first failure that a report could show. */
  readonly firstFailureAt: () => number | undefined;
  /** The start of each run up to the last requested time. */
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
    // Like Go's ticker: a run longer than a tick is followed at once by one more, then by the next tick.
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
