// How a lock is taken: by whoever makes its file, after that of a dead one was taken away. Whatever comes between the steps, and wherever
// one of several is killed, one of them has it.

import { constants, open, rm } from 'node:fs/promises';
import { hasCode, unlessMissing } from './file-system.ts';
import { livesHere, nameOf, ownText } from './lock-holder.ts';
import { pause } from './pause.ts';

export interface TakeOptions {
  /** Between two signs of life. */
  readonly beatMs?: number;
  /** How long one of another container or machine has to give one. */
  readonly watchMs?: number;
  /** Aborted: nobody waits for a sign of life any more, and there is no lock. */
  readonly signal?: AbortSignal;
  /** Awaited before each step that others may come between. */
  readonly step?: (name: 'create' | 'judge' | 'turn' | 'clear' | 'release') => Promise<void>;
}

const maxBytes = 1024;

export const giveUp = async (path: string, text: string, { step }: TakeOptions): Promise<void> => {
  if ((await readLock(path))?.text !== text) return;
  await step?.('release');
  await rm(path, { force: true });
};

/** Who holds it and lives; undefined where it is ours from now on. Throws what the file system says, and where nobody is to wait. */
export const acquire = async (path: string, text: string, options: TakeOptions): Promise<string | undefined> => {
  while (!(await create(path, text, options))) {
    const by = await liveHolder(path, options);
    if (by !== undefined) return by;
  }
  return undefined;
};

/** Who holds it and lives; else undefined, and what a dead one left is gone. Throws what the file system says. */
export const liveHolder = async (path: string, options: TakeOptions = {}): Promise<string | undefined> => {
  const found = await readLock(path);
  if (found === undefined) return undefined;
  await options.step?.('judge');
  if (await isAlive(path, found, options)) return nameOf((await readLock(path))?.text ?? found.text);
  await clear(path, found, options);
  return undefined;
};

/**
 * Of several who found it dead one has its turn, which is a lock as well; who comes after finds another file, or none. So nobody takes
 * away what another of them has just taken, and one that is killed in its turn holds nobody up.
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

/** Between two looks at whether another's turn is over, which takes a few writes. */
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

/** Opened, so that a network's file system asks its server. No link is followed, and no pipe waited for. */
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

/** False where it is there. */
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
