// Runs the registered checks in rounds and keeps the last result of each. A question runs nothing: it gets what is kept.

/** What one run of a check says. An `error` means failed, even when it is empty. */
export interface CheckOutcome {
  readonly message?: unknown;
  readonly error?: string;
  /** Set where the message cannot be written as JSON (a VM's nonsense): Go's sentence on it. */
  readonly unencodable?: string;
}

export interface Check {
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

export interface Worker {
  /** The check stands there as "not yet run", and failing, until the next round. */
  readonly register: (check: Check) => void;
  readonly unregister: (name: string) => void;
  readonly has: (name: string) => boolean;
  /** Runs every check registered by now, at once, and ends when all have ended: one that hangs holds the round for ever. */
  readonly round: () => Promise<void>;
  /** The checks of any of the tags and those of the application; without tags, all. */
  readonly results: (tags: readonly string[]) => Results;
}

export interface WorkerDeps {
  /** Seconds since the Unix epoch, in the node's clock. */
  readonly now: () => number;
  /** Nanoseconds that only go forward, from any start. */
  readonly stopwatch: () => number;
}

export const applicationTag = 'application';

/** What a check's run is until there has been one. It counts as failing, but not as a failure. */
export const notYetRun: CheckRun = { error: 'not yet run', endedAt: undefined, durationNanoseconds: 0, contiguousFailures: 0 };

export const createWorker = (deps: WorkerDeps): Worker => {
  const checks = new Map<string, Check>();
  const runs = new Map<string, CheckRun>();

  const runOne = async (check: Check): Promise<void> => {
    const startedAt = deps.stopwatch();
    const outcome = await outcomeOf(check);
    // Taken out, or put in anew, while it ran: this run is nobody's result.
    if (checks.get(check.name) !== check) return;
    const ended = deps.stopwatch();
    const endedAt = nanosecondsOf(deps.now(), ended);
    runs.set(check.name, follow(runs.get(check.name) ?? notYetRun, outcome, endedAt, Math.max(0, Math.round(ended - startedAt))));
  };

  return {
    register: (check) => {
      checks.set(check.name, check);
      runs.set(check.name, notYetRun);
    },
    unregister: (name) => {
      checks.delete(name);
      runs.delete(name);
    },
    has: (name) => checks.has(name),
    round: async () => {
      await Promise.all([...checks.values()].map(runOne));
    },
    results: (tags) => {
      const wanted = [...checks.values()].filter(({ tags: own }) => isWanted(own, tags));
      const found = new Map(wanted.map(({ name }) => [name, runs.get(name) ?? notYetRun]));
      return { checks: found, healthy: [...found.values()].every(({ error }) => error === undefined) };
    },
  };
};

/** A double holds the time to a microsecond at best: the digits below it are the stopwatch's. */
const nanosecondsOf = (seconds: number, stopwatch: number): bigint =>
  BigInt(Math.round(seconds * 1e6)) * 1000n + BigInt(Math.floor(stopwatch) % 1000);

const isWanted = (own: readonly string[], tags: readonly string[]): boolean =>
  tags.length === 0 || tags.includes('all') || own.includes(applicationTag) || own.some((tag) => tags.includes(tag));

const outcomeOf = async (check: Check): Promise<CheckOutcome> => {
  try {
    return await check.run();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

/** Both the count and the time begin anew after a success. */
const follow = (before: CheckRun, outcome: CheckOutcome, endedAt: bigint, durationNanoseconds: number): CheckRun => {
  const run = { ...outcome, endedAt, durationNanoseconds };
  if (outcome.error === undefined) return { ...run, contiguousFailures: 0 };
  const failedSince = before.contiguousFailures > 0 ? before.failedSince : undefined;
  return { ...run, contiguousFailures: before.contiguousFailures + 1, failedSince: failedSince ?? endedAt };
};

/** A start-up check: once passed, what it said then is what it says, however the node fares. */
export const latching = (check: Check): Check => {
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
