// Which failures of work that is retried are logged. The first failure is not, because the next try may succeed: callers pass reasons from the
// second one on. Each reason is logged once until the next success, and the success only if a failure was.

/** More reasons are neither remembered nor logged: a server may send a new one each time. */
const maxReasons = 1000;

export interface FailureLog {
  /** Whether one of the reasons has not been logged since the last success. They count as logged from now on. */
  readonly isNew: (reasons: readonly string[]) => boolean;
  /** Call it after a success. Returns whether a failure was logged before it. */
  readonly reset: () => boolean;
}

export const createFailureLog = (): FailureLog => {
  const logged = new Set<string>();
  return {
    isNew: (reasons) => {
      const before = logged.size;
      for (const reason of reasons) if (logged.size < maxReasons) logged.add(reason);
      return logged.size > before;
    },
    reset: () => {
      const wasLogged = logged.size > 0;
      logged.clear();
      return wasLogged;
    },
  };
};
