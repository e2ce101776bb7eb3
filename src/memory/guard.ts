// What is asked before anything under stateDir is written, and told of what must not be.

/** `undefined` in its place: nobody else is to be minded. */
export interface StateGuard {
  /** Whether the lock on stateDir is still ours; asks the disk. False: nothing is written. */
  readonly mayWrite: () => Promise<boolean>;
  /** The file is of a format that a newer snowgauge wrote, and stays as it is; undefined: no more. */
  readonly newer: (file: string, version: number | undefined) => void;
}
