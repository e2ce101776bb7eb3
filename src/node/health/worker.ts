// Runs the registered checks and keeps the last result of each. A request runs nothing: it gets what is kept.

import { nanosecondsOf } from '../clock.ts';

/** What one run of a check says. An `error` means failed, even when it is empty. */
export interface CheckOutcome {
  /** Members in alphabetical order: to the real node they are a Go map. */
  readonly message?: unknown;
  readonly error?: string;
  /** Set where the message cannot be written as JSON (a VM's nonsense): Go's sentence on it. */
  readonly unencodable?: string;
}

export interface HealthCheck {
  readonly name: string;
  /** `application` makes it part of every answer; a subnet's id part of that subnet's. */
  readonly tags: readonly string[];
  readonly run: () => CheckOutcome | Promise<CheckOutcome>;
}

export interface CheckRun extends CheckOutcome {
  /** Nanoseconds since the Unix epoch; undefined: has not run yet. */
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

/** Counts as failing, but not as a failure. */
const notYetRun: CheckRun = { error: 'not yet run', endedAt: undefined, durationNanoseconds: 0, contiguousFailures: 0 };

/** `now`: seconds since the Unix epoch by the node's clock. `uptime`: seconds by one that is never set. */
export const createWorker = (now: () => number, uptime: () => number) => {
  const entries = new Map<string, { readonly check: HealthCheck; last: CheckRun }>();
  return {
    /** The check is "not yet run", and failing, until the next run. A name that is registered already keeps its check. */
    register: (check: HealthCheck): void => {
      if (!entries.has(check.name)) entries.set(check.name, { check, last: notYetRun });
    },
    unregister: (name: string): void => {
      entries.delete(name);
    },
    names: (): readonly string[] => [...entries.keys()],
    /** Runs all checks at the same time. Ends when all have ended: one that hangs holds up the run. */
    run: async (): Promise<void> => {
      const runs = [...entries.values()].map(async (entry) => {
        const startedAt = uptime();
        const outcome = await outcomeOf(entry.check);
        entry.last = resultOf(entry.last, outcome, uptime() - startedAt, now());
      });
      await Promise.all(runs);
    },
    /** The checks of any of the tags and those of the application; without tags, all. */
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

/** Count and time of the failures in a row start over after a success. */
const resultOf = (before: CheckRun, outcome: CheckOutcome, seconds: number, now: number): CheckRun => {
  // The digits below the microsecond, which a double cannot hold, are those of a stopwatch.
  const endedAt = nanosecondsOf(now) + BigInt(Math.floor(performance.now() * 1e6) % 1000);
  const run = { ...outcome, endedAt, durationNanoseconds: Math.max(0, Math.round(seconds * 1e9)) };
  if (outcome.error === undefined) return { ...run, contiguousFailures: 0 };
  return { ...run, contiguousFailures: before.contiguousFailures + 1, failedSince: before.failedSince ?? endedAt };
};

/** A start-up check: once passed, its outcome stays, whatever becomes of the node. */
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
