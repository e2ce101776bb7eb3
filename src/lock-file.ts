// A lock between processes. The lock file names the holder, and the holder touches it regularly as long as it runs. If the holder was
// killed, this is detected at once on the same machine and in the same container. Elsewhere, it is detected when the file is no longer
// touched. proper-lockfile does not identify processes, and LevelDB's lock needs 7 MiB of memory, so neither is used.

import { lstat, lutimes } from 'node:fs/promises';
import { nameOf, ownText } from './lock-holder.ts';
import { acquire, create, giveUp, readLock, type TakeOptions } from './lock-taking.ts';
import { oneAtATime } from './pause.ts';

export interface LockOptions extends TakeOptions {
  /** Called if another process took the lock, because this one seemed dead. Nothing that it protects may be written until `regained`. */
  readonly lost?: (by: string) => void;
  readonly regained?: () => void;
  /**
   * Called if the lock file of a dead process cannot be replaced at the start, or if the file cannot be read. Other processes are not
   * noticed until a later attempt succeeds.
   */
  readonly unusable?: (error: unknown) => void;
  /**
   * True: nobody waits for the result any more. If another process has the lock, it counts as lost, and is taken when that one has ended.
   */
  readonly isLate?: () => boolean;
}

export interface HeldLock {
  /**
   * Must be called before each write. It reads the file, because this process may have been stopped, and seemed dead to another one. Throws
   * the error of the file system if the file cannot be read. False after `release`, without taking the lock again.
   */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export type Lock =
  /** Also returned if the file cannot be written. Then the write is tried again, and other processes are not noticed until it succeeds. */
  | ({ readonly kind: 'held' } & HeldLock)
  /** `by`: such as `pid 7 on validator-0`. */
  | { readonly kind: 'taken'; readonly by: string };

/** Never throws. */
export const lockFile = async (path: string, options: LockOptions = {}): Promise<Lock> => {
  const text = await ownText();
  let isOnDisk = false;
  let by: string | undefined;
  /** What the file says that could not be replaced. */
  let former: string | undefined;
  try {
    by = await acquire(path, text, options);
    if (by !== undefined && options.isLate?.() !== true) return { kind: 'taken', by };
    isOnDisk = true;
  } catch (error) {
    if (options.signal?.aborted === true) return { kind: 'held', isHeld: async () => false, release: async () => undefined };
    // If there is no file, writes into the folder will fail with the same error, and report it.
    if ((await lstat(path).catch(() => undefined)) !== undefined) options.unusable?.(error);
    former = (await readLock(path).catch(() => undefined))?.text;
  }
  return { kind: 'held', ...keep(path, { own: text, former }, isOnDisk, options, by) };
};

interface Texts {
  readonly own: string;
  /** Of the file that could not be replaced at the start. */
  readonly former: string | undefined;
}

/**
 * Keeps a lock: touches it regularly, notices if another process takes it, and takes it again when that process has ended. `other`: a
 * process that has it already.
 */
const keep = (path: string, { own: text, former }: Texts, taken: boolean, options: LockOptions, other?: string): HeldLock => {
  const { beatMs = 1000, lost, regained } = options;
  let isOnDisk = taken;
  const released = new AbortController();
  let state: 'own' | 'unknown' | 'other' = 'own';
  // Concurrent operations of this process would interfere with each other.
  const inTurn = oneAtATime();
  const lose = (by: string): void => {
    if (state !== 'other') lost?.(by);
    state = 'other';
  };
  if (other !== undefined) lose(other);
  const check = async (): Promise<boolean> => {
    if (state !== 'own' || released.signal.aborted) return false;
    const found = await readLock(path);
    if (found === undefined) {
      // If the file cannot be written, no other process has the lock either.
      const created = await create(path, text, options).catch(() => undefined);
      isOnDisk ||= created === true;
      if (created !== false) return true;
    }
    if (found?.text === text) return true;
    state = 'unknown';
    // An empty file is not written yet: the next tick reads the name. If the file could not be replaced at the start, it may be that of a
    // dead process: the next tick finds out.
    if (found !== undefined && found.text !== '' && (isOnDisk || found.text !== former)) lose(nameOf(found.text));
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
    isOnDisk = true;
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
    isHeld: async () => {
      const isOwn =
        state === 'own' &&
        (await inTurn(check).catch((error: unknown) => {
          // A lock that can no longer be read may have been taken.
          if (isOnDisk) throw error;
          return true;
        }));
      if (isOwn || state !== 'unknown' || isOnDisk || released.signal.aborted) return isOwn;
      // One that was never written to this disk counts as held, until another process writes the file.
      const found = await readLock(path).catch(() => undefined);
      return found === undefined || found.text === former || found.text === text;
    },
    release: async () => {
      clearInterval(timer);
      released.abort();
      await inTurn(() => giveUp(path, text, options)).catch(() => undefined);
    },
  };
};
