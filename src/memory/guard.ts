// Decides whether anything may be written to stateDir, and collects files that must not be replaced.

/** Undefined instead of a guard: no other process needs to be considered. */
export interface StateGuard {
  /** Whether this process still has the lock on stateDir; reads the disk. False: nothing may be written. */
  readonly mayWrite: () => Promise<boolean>;
  /** Reports a file with the format of a newer snowgauge, which is not replaced. Undefined: it no longer is one. */
  readonly newer: (file: string, version: number | undefined) => void;
}
