// Which failures of work that is retried are logged. The first failure is not, because the next try may succeed. Each reason is logged once
// until the next success, and the success only if a failure was.

/** More reasons are neither remembered nor logged: a server may send a new one each time. */
const maxReasons = 1000;

export interface PartFault {
  /** Identifies the part of the work that fails, such as one of several files. */
  readonly part: string;
  /** One line, without secrets. */
  readonly reason: string;
  /** Equal for failures that are logged once, although their reasons differ. Absent: the reason. */
  readonly cause?: string | undefined;
  /** The part failed at the previous try, too; or the next try would not help. */
  readonly isRepeated: boolean;
}

export interface FailureLog {
  /**
   * Call it with all parts that fail. Returns the reasons to log: those of a cause that has not been logged since the last success, and that
   * some part has repeatedly. When a part has recovered, causes that no part has any more may be logged again.
   */
  readonly toLog: (faults: readonly PartFault[]) => readonly string[];
  /** Call it when no part fails. Returns whether a failure was logged since the last success. */
  readonly reset: () => boolean;
}

const causeOf = ({ cause, reason }: PartFault): string => cause ?? reason;

export const createFailureLog = (): FailureLog => {
  const logged = new Set<string>();
  let wasLogged = false;
  let failing: ReadonlySet<string> = new Set();
  return {
    toLog: (faults) => {
      const parts = new Set(faults.map(({ part }) => part));
      const causes = new Set(faults.map(causeOf));
      // Not before, so that reasons that alternate are logged once each.
      const hasRecovered = [...failing].some((part) => !parts.has(part));
      if (hasRecovered) for (const one of logged) if (!causes.has(one)) logged.delete(one);
      failing = parts;
      const fresh = new Set<string>();
      for (const one of faults) {
        const cause = causeOf(one);
        if (!one.isRepeated || logged.has(cause) || logged.size >= maxReasons) continue;
        logged.add(cause);
        fresh.add(cause);
      }
      wasLogged ||= fresh.size > 0;
      return faults.filter((one) => fresh.has(causeOf(one))).map(({ reason }) => reason);
    },
    reset: () => {
      const before = wasLogged;
      logged.clear();
      [wasLogged, failing] = [false, new Set()];
      return before;
    },
  };
};
