// Runs the registered checks and keeps the last result of each. Requests run no checks: they get kept results.

import { nanosecondsOf } from '../clock.ts';

/** Outcome of one check run. An `error` means failed, even when it is empty. */
export interface CheckOutcome {
  /** Members in alphabetical order: a Go map in the real node. */
  readonly message?: unknown;
  readonly error?: string;
  /** Go's error if the message cannot be encoded as JSON (a VM's nonsense). */
  readonly unencodable?: string;
}

export interface HealthCheck {
  readonly name: string;
  /** `application` includes it in every report; a subnet's id in that subnet's. */
  readonly tags: readonly string[];
  readonly run: () => CheckOutcome | Promise<CheckOutcome>;
}

export interface CheckRun extends CheckOutcome {
  /** Nanoseconds since the Unix epoch. Undefined if it has not run yet. */
  readonly endedAt: bigint | undefined;
  readonly durationNanoseconds: number;
  readonly contiguousFailures: number;
  readonly failedSince?: bigint;
}

export interface Results {
  readonly checks: ReadonlyMap<string, CheckRun>;
  readonly healthy: boolean;
}

export type Worker = ReturnType<typeof createWorker>;

export const applicationTag = 'application';

/** Unhealthy, but not counted as a failure. */
const notYetRun: CheckRun = { error: 'not yet run', endedAt: undefined, durationNanoseconds: 0, contiguousFailures: 0 };

/** `now`: seconds since the Unix epoch by the node's clock. `steadyNow`: seconds by a clock that is never set. */
export const createWorker = (now: () => number, steadyNow: () => number) => {
  const entries = new Map<string, { readonly check: HealthCheck; last: CheckRun }>();
  return {
    /** Until the next run the check is "not yet run" and failing. A registered name keeps its check. */
    register: (check: HealthCheck): void => {
      if (!entries.has(check.name)) entries.set(check.name, { check, last: notYetRun });
    },
    unregister: (name: string): void => {
      entries.delete(name);
    },
    names: (): readonly string[] => [...entries.keys()],
    /** Runs all checks concurrently and waits for all: a hanging check blocks the run. */
    run: async (): Promise<void> => {
      const runs = [...entries.values()].map(async (entry) => {
        const startedAt = steadyNow();
        const outcome = await outcomeOf(entry.check);
        entry.last = resultOf(entry.last, outcome, steadyNow() - startedAt, now());
      });
      await Promise.all(runs);
    },
    /** Results of checks with any of the tags and of application checks; without tags, of all. */
    results: (tags: readonly string[]): Results => {
      const wanted = [...entries.values()].filter(({ check }) => isWanted(check.tags, tags));
      return {
        checks: new Map(wanted.map(({ check, last }) => [check.name, last])),
        healthy: wanted.every(({ last }) => last.error === undefined),
      };
    },
  };
};

const isWanted = (own: readonly string[], tags: readonly string[]): boolean =>
  tags.length === 0 || tags.includes('all') || own.includes(applicationTag) || own.some((tag) => tags.includes(tag));

const outcomeOf = async (check: HealthCheck): Promise<CheckOutcome> => {
  try {
    return await check.run();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

/** Count and start of contiguous failures are reset by a success. */
const resultOf = (before: CheckRun, outcome: CheckOutcome, seconds: number, now: number): CheckRun => {
  // The digits below the microsecond, which a double cannot hold, come from a monotonic clock.
  const endedAt = nanosecondsOf(now) + BigInt(Math.floor(performance.now() * 1e6) % 1000);
  const run = { ...outcome, endedAt, durationNanoseconds: Math.max(0, Math.round(seconds * 1e9)) };
  if (outcome.error === undefined) return { ...run, contiguousFailures: 0 };
  return { ...run, contiguousFailures: before.contiguousFailures + 1, failedSince: before.failedSince ?? endedAt };
};

/** A start-up check: once passed, it keeps its outcome. */
export const latching = (check: HealthCheck): HealthCheck => {
  let passed: CheckOutcome | undefined;
  return {
    ...check,
    run: async () => {
      if (passed !== undefined) return passed;
      const outcome = await check.run();
      if (outcome.error === undefined) passed = outcome;
      return outcome;
    },
  };
};
