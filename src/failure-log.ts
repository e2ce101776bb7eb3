// Which failures of work that is retried are logged. The first failure is not, because the next try may succeed. Each reason is logged once
// until the next success, and the success only if a failure was.

/** More reasons are neither remembered nor logged: a server may send a new one each time. */
const maxReasons = 1000;

/** Seconds without a reason after which it is logged again: parts that fail now and then may never succeed all together. */
const forgottenAfter = 600;

export interface PartFault {
  /** One line, without secrets. */
  readonly reason: string;
  /** Equal for failures that are logged once, although their reasons differ. Absent: the reason. */
  readonly cause?: string | undefined;
  /** The part of the work failed at the previous try, too; or the next try would not help. */
  readonly isRepeated: boolean;
}

export interface FailureLog {
  /**
   * Call it with all parts that fail, such as one of several files. Returns the reasons to log: those of a cause that some part has
   * repeatedly, and that has neither been logged since the last success nor occurred in the last ten minutes.
   */
  readonly toLog: (faults: readonly PartFault[]) => readonly string[];
  /** Call it when no part fails. Returns whether a failure was logged since the last success. */
  readonly reset: () => boolean;
}

const causeOf = ({ cause, reason }: PartFault): string => cause ?? reason;

/** `now`: seconds, steady clock. */
export const createFailureLog = (now: () => number): FailureLog => {
  /** Logged causes, and since when each has not occurred; undefined if it occurred at the last try. */
  const logged = new Map<string, number | undefined>();
  let wasLogged = false;
  return {
    toLog: (faults) => {
      const at = now();
      const causes = new Set(faults.map(causeOf));
      for (const [cause, absentSince] of logged) {
        if (absentSince !== undefined && at - absentSince >= forgottenAfter) logged.delete(cause);
        else logged.set(cause, causes.has(cause) ? undefined : (absentSince ?? at));
      }
      const fresh = new Set<string>();
      for (const one of faults) {
        const cause = causeOf(one);
        if (!one.isRepeated || logged.has(cause) || logged.size >= maxReasons) continue;
        logged.set(cause, undefined);
        fresh.add(cause);
      }
      wasLogged ||= fresh.size > 0;
      return faults.filter((one) => fresh.has(causeOf(one))).map(({ reason }) => reason);
    },
    reset: () => {
      const before = wasLogged;
      logged.clear();
      wasLogged = false;
      return before;
    },
  };
};
