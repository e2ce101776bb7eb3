// The lock on a stateDir: two processes that write to one folder would overwrite each other's state. A process that loses the lock, because
// it was taken for dead, stops writing until it has the lock again.

import { join } from 'node:path';
import { makeFolder } from '../file-system.ts';
import { type LockOptions, lockFile } from '../lock-file.ts';
import { liveHolder } from '../lock-taking.ts';
import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { codeOf } from '../text.ts';

/** Seconds, so that a hanging disk does not block startup. */
const lockTimeout = 10;

/** Part of the second that shutdown may take, for a lock that is still being acquired. */
const releaseSeconds = 0.5;

const inUse = (stateDir: string, by: string): string => `${stateDir} is in use by another snowgauge (${by})`;
const remedy = 'stop that one, or give each its own stateDir';
/** With a rolling update of a Deployment, the new pod waits for the old one to end, and the old one for the new one to be ready. */
const refusal = (stateDir: string, by: string): string =>
  `${inUse(stateDir, by)}: ${remedy}; in Kubernetes a Deployment needs strategy Recreate, or make it a StatefulSet`;

/** Undefined if no other process uses it. Never throws. */
export const stateDirFault = async (stateDir: string, options: LockOptions): Promise<string | undefined> => {
  const by = await within(
    liveHolder(join(stateDir, 'lock'), options).catch(() => undefined),
    lockTimeout,
    options.signal,
  );
  return by === undefined ? undefined : refusal(stateDir, by);
};

export interface StateLock {
  readonly kind: 'held';
  readonly isHeld: () => Promise<boolean>;
  /** Why nothing is written; undefined: state is written. */
  readonly fault: () => string | undefined;
  readonly release: () => Promise<void>;
}

/** Never throws. */
export const lockStateDir = async (
  stateDir: string,
  log: Log,
  signal: AbortSignal,
): Promise<StateLock | { readonly kind: 'taken'; readonly message: string }> => {
  await within(
    makeFolder(stateDir).catch(() => undefined),
    lockTimeout,
    signal,
  );
  let fault: string | undefined;
  const lost = (by: string): void => {
    fault = `${inUse(stateDir, by)}: snowgauge no longer writes to it; ${remedy}`;
    log.error({ stateDir }, fault);
  };
  const regained = (): void => {
    fault = undefined;
    log.info({ stateDir }, 'stateDir is no longer in use by another snowgauge: writing again');
  };
  const file = join(stateDir, 'lock');
  const unusable = (error: unknown): void => {
    const message = `stateDir is not locked, another snowgauge on it would not be noticed: if there is none, remove ${file}; it must be a file that this user may read and replace`;
    log.error({ file, error: codeOf(error) }, message);
  };
  let isLate = false;
  const locking = lockFile(file, { signal, lost, regained, unusable, isLate: () => isLate });
  const lock = await within(locking, lockTimeout, signal);
  isLate = lock === undefined;
  if (lock?.kind === 'taken') return { kind: 'taken', message: refusal(stateDir, lock.by) };
  return {
    kind: 'held',
    isHeld: async () => {
      const known = lock ?? (await locking);
      return known.kind === 'held' && (await known.isHeld());
    },
    fault: () => fault,
    release: async () => {
      // If shutdown began while the lock was being acquired, its file may exist already.
      const known = lock ?? (await within(locking, releaseSeconds));
      if (known?.kind === 'held') await known.release();
    },
  };
};
