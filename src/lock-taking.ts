// Takes a lock by creating its file, after deleting the file of a process that has ended. If several processes try at once, in any order of
// their steps, and even if some are killed, exactly one of them gets it.

import { constants, open, rm } from 'node:fs/promises';
import { hasCode, unlessMissing } from './file-system.ts';
import { livesHere, nameOf, ownText } from './lock-holder.ts';
import { pause } from './pause.ts';

export interface TakeOptions {
  /** Milliseconds between two touches of the file by its holder. */
  readonly beatMs?: number;
  /** Milliseconds in which a holder in another container or machine must touch the file. */
  readonly watchMs?: number;
  /** If aborted, the wait for a touch ends, and the lock is not taken. */
  readonly signal?: AbortSignal;
  /** Awaited before each step that can race with other processes; for tests. */
  readonly step?: (name: 'create' | 'judge' | 'turn' | 'clear' | 'release') => Promise<void>;
}

const maxBytes = 1024;

export const giveUp = async (path: string, text: string, { step }: TakeOptions): Promise<void> => {
  if ((await readLock(path))?.text !== text) return;
  await step?.('release');
  await rm(path, { force: true });
};

/** The running holder; undefined if this process has the lock now. Throws errors of the file system, and if the signal is aborted. */
export const acquire = async (path: string, text: string, options: TakeOptions): Promise<string | undefined> => {
  while (!(await create(path, text, options))) {
    const by = await liveHolder(path, options);
    if (by !== undefined) return by;
  }
  return undefined;
};

/** The running holder; else undefined, after deleting the file of one that has ended. Throws errors of the file system. */
export const liveHolder = async (path: string, options: TakeOptions = {}): Promise<string | undefined> => {
  const found = await readLock(path);
  if (found === undefined) return undefined;
  await options.step?.('judge');
  if (await isAlive(path, found, options)) return nameOf((await readLock(path))?.text ?? found.text);
  await clear(path, found, options);
  return undefined;
};

/**
 * Deletes the lock file of a dead holder. This is done under a second lock, and only if the file is still the same one. Otherwise, if
 * several processes have found the holder dead, one of them could delete the lock that another has just taken. If a process is killed while
 * it has the second lock, the others detect that, too.
 */
const clear = async (path: string, dead: Found, options: TakeOptions): Promise<void> => {
  const [turn, text] = [`${path}.turn`, await ownText()];
  await options.step?.('turn');
  if ((await acquire(turn, text, options)) !== undefined) {
    await pause(turnSeconds, options.signal);
    options.signal?.throwIfAborted();
    return;
  }
  try {
    const found = await readLock(path);
    await options.step?.('clear');
    if (found?.text === dead.text && found.mtimeMs === dead.mtimeMs && found.ino === dead.ino) await rm(path, { force: true });
  } finally {
    await giveUp(turn, text, options);
  }
};

/** Seconds to wait while another process has the second lock, which it needs for a few writes only. */
const turnSeconds = 0.02;

const isAlive = async (path: string, found: Found, { beatMs = 1000, watchMs = 3000, signal }: TakeOptions): Promise<boolean> => {
  const known = await livesHere(found.text);
  if (known !== undefined) return known;
  for (let waited = 0; waited < watchMs; waited += beatMs / 2) {
    await pause(beatMs / 2000, signal);
    signal?.throwIfAborted();
    const now = await readLock(path);
    if (now === undefined) return false;
    if (now.text !== found.text || now.mtimeMs !== found.mtimeMs) return true;
  }
  return false;
};

interface Found {
  readonly text: string;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** Opens the file, so that a network file system asks its server. Does not follow links, and does not block on a pipe. */
export const readLock = async (path: string): Promise<Found | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unlessMissing);
  if (handle === undefined) return undefined;
  try {
    const { mtimeMs, ino } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), mtimeMs, ino };
  } finally {
    await handle.close();
  }
};

/** False if the file exists already. */
export const create = async (path: string, text: string, { step }: TakeOptions): Promise<boolean> => {
  await step?.('create');
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(text);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
};
