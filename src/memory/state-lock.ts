// The lock on a stateDir: two that write into one folder overwrite what each other has kept.

import { join } from 'node:path';
import { makeFolder } from '../file-system.ts';
import { type Lock, type LockOptions, liveHolder, lockFile } from '../lock-file.ts';
import type { Log } from '../log.ts';
import { within } from '../pause.ts';

/** Seconds: a disk that does not answer must not keep the exporter from starting. */
const longest = 10;

const inUse = (stateDir: string, by: string): string =>
  `${stateDir} is in use by another snowgauge (${by}): stop that one, or give each a stateDir of its own`;

/** Undefined where nobody else uses it. Never throws. */
export const stateDirFault = async (stateDir: string, options: LockOptions): Promise<string | undefined> => {
  const by = await within(
    liveHolder(join(stateDir, 'lock'), options).catch(() => undefined),
    longest,
    options.signal,
  );
  return by === undefined ? undefined : inUse(stateDir, by);
};

type StateLock = Exclude<Lock, { readonly kind: 'taken' }> | { readonly kind: 'taken'; readonly message: string };

/** Never throws. */
export const lockStateDir = async (stateDir: string, log: Log, signal: AbortSignal): Promise<StateLock> => {
  await within(
    makeFolder(stateDir).catch(() => undefined),
    longest,
    signal,
  );
  const lost = (by: string): void => log.error({ stateDir }, inUse(stateDir, by));
  const lock = await within(lockFile(join(stateDir, 'lock'), { signal, lost }), longest, signal);
  if (lock === undefined) return { kind: 'held', release: async () => undefined };
  return lock.kind === 'held' ? lock : { kind: 'taken', message: inUse(stateDir, lock.by) };
};
