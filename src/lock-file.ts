// A lock that processes share through a file: it names who holds it, and is touched again and again for as long as that one lives. One
// that a killed process left is known at once on the same machine and in the same container, and elsewhere by its standing still.
// Not by proper-lockfile, which knows of no process, or by LevelDB's lock, which takes 7 MiB of memory in a sidecar.

import { lstat, lutimes } from 'node:fs/promises';
import { nameOf, ownText } from './lock-holder.ts';
import { acquire, create, giveUp, readLock, type TakeOptions } from './lock-taking.ts';
import { oneAtATime } from './pause.ts';

export interface LockOptions extends TakeOptions {
  /** Somebody else holds it now, who took this process for dead. Nothing that the lock is for may be written until `regained`. */
  readonly lost?: (by: string) => void;
  readonly regained?: () => void;
  /** What is in its place at the start can be neither read nor taken: until a later try has it, nobody who comes meanwhile is noticed. */
  readonly unusable?: (error: unknown) => void;
}

export interface HeldLock {
  /**
   * Asks the disk, for a process may be stopped at any moment, and be taken for dead meanwhile. To be asked before each write. Throws what
   * the file system says where the lock cannot be read. Once it is released it is nobody's: who asks then does not take it again.
   */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export type Lock =
  /** Also where the disk takes no file: then it is tried again, and whoever comes meanwhile is not noticed. */
  | ({ readonly kind: 'held' } & HeldLock)
  /** `by`: as `pid 7 on validator-0`. */
  | { readonly kind: 'taken'; readonly by: string };

/** Never throws. */
export const lockFile = async (path: string, options: LockOptions = {}): Promise<Lock> => {
  const text = await ownText();
  let isOnDisk = false;
  try {
    const by = await acquire(path, text, options);
    if (by !== undefined) return { kind: 'taken', by };
    isOnDisk = true;
  } catch (error) {
    if (options.signal?.aborted === true) return { kind: 'held', isHeld: async () => false, release: async () => undefined };
    // Where nothing is there, what the disk says to whoever writes into the folder says enough.
    if ((await lstat(path).catch(() => undefined)) !== undefined) options.unusable?.(error);
  }
  return { kind: 'held', ...keep(path, text, isOnDisk, options) };
};

/** A lock that was taken: gives signs of life, notices who took it away, and takes it again when that one is gone. */
const keep = (path: string, text: string, taken: boolean, options: LockOptions): HeldLock => {
  const { beatMs = 1000, lost, regained } = options;
  let isOnDisk = taken;
  const released = new AbortController();
  let state: 'own' | 'unknown' | 'other' = 'own';
  // Two of the same process would take each other for another one.
  const inTurn = oneAtATime();
  const lose = (by: string): void => {
    if (state !== 'other') lost?.(by);
    state = 'other';
  };
  const check = async (): Promise<boolean> => {
    if (state !== 'own' || released.signal.aborted) return false;
    const found = await readLock(path);
    if (found === undefined) {
      // Where the disk takes none, nobody else has one either.
      const created = await create(path, text, options).catch(() => undefined);
      isOnDisk ||= created === true;
      if (created !== false) return true;
    }
    if (found?.text === text) return true;
    state = 'unknown';
    // Not yet written where it is empty: the next tick has the name.
    if (found !== undefined && found.text !== '') lose(nameOf(found.text));
    return false;
  };
  const tick = async (): Promise<void> => {
    if (released.signal.aborted) return;
    if (state === 'own') {
      const seconds = (performance.timeOrigin + performance.now()) / 1000;
      if (await check()) await lutimes(path, seconds, seconds);
      return;
    }
    const by = await acquire(path, text, { ...options, signal: released.signal });
    if (by !== undefined) return lose(by);
    if (state === 'other') regained?.();
    state = 'own';
  };
  let beating = false;
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    void inTurn(tick)
      .catch(() => undefined)
      .finally(() => {
        beating = false;
      });
  }, beatMs).unref();
  return {
    isHeld: async () =>
      state === 'own' &&
      (await inTurn(check).catch((error: unknown) => {
        // What cannot be read any more may be anybody's; a lock that never was on this disk is no worse than before.
        if (isOnDisk) throw error;
        return true;
      })),
    release: async () => {
      clearInterval(timer);
      released.abort();
      await inTurn(() => giveUp(path, text, options)).catch(() => undefined);
    },
  };
};
