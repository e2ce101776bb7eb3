// A lock that processes share through a file: it names who holds it, and is touched again and again for as long as that one lives. One
// that a killed process left is known at once on the same machine and in the same container, and elsewhere by its standing still.
// Not by proper-lockfile, which knows of no process, or by LevelDB's lock, which takes 7 MiB of memory in a sidecar.

import { randomBytes } from 'node:crypto';
import { constants, lutimes, open, readFile, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { hasCode, unlessMissing } from './file-system.ts';
import { pause } from './pause.ts';
import { parsedJson, printable } from './text.ts';

export interface LockOptions {
  /** Between two signs of life. */
  readonly beatMs?: number;
  /** How long one of another container or machine has to give one. */
  readonly watchMs?: number;
  /** Aborted: nobody waits for a sign of life any more, and there is no lock. */
  readonly signal?: AbortSignal;
  /** Somebody else holds it now, who took this process for dead. */
  readonly lost?: (by: string) => void;
}

export type Lock =
  /** Also where the disk takes no file: then it is tried again, and whoever comes meanwhile is not noticed. */
  | { readonly kind: 'held'; readonly release: () => Promise<void> }
  /** `by`: as `pid 7 on validator-0`. */
  | { readonly kind: 'taken'; readonly by: string };

const maxBytes = 1024;

/** Never throws. */
export const lockFile = async (path: string, options: LockOptions = {}): Promise<Lock> => {
  const { beatMs = 1000, signal, lost } = options;
  const text = `${JSON.stringify({ ...(await self()), id: randomBytes(8).toString('hex') })}\n`;
  try {
    while (!(await create(path, text))) {
      const by = await liveHolder(path, options);
      if (by !== undefined) return { kind: 'taken', by };
    }
  } catch {
    // What the disk says to whoever writes into the folder says enough.
    if (signal?.aborted === true) return { kind: 'held', release: async () => undefined };
  }
  let working: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    const found = await look(path);
    const seconds = (performance.timeOrigin + performance.now()) / 1000;
    if (found === undefined) await create(path, text);
    else if (found.text === text) await lutimes(path, seconds, seconds);
    // Not yet written where it is empty.
    else if (found.text !== '') {
      clearInterval(timer);
      lost?.(nameOf(found.text));
    }
  };
  const timer = setInterval(() => {
    working ??= beat()
      .catch(() => undefined)
      .finally(() => {
        working = undefined;
      });
  }, beatMs).unref();
  return {
    kind: 'held',
    release: async () => {
      clearInterval(timer);
      await working;
      const found = await look(path).catch(() => undefined);
      if (found?.text === text) await rm(path, { force: true }).catch(() => undefined);
    },
  };
};

/** Who holds it and lives; else undefined, and what a dead one left is gone. Throws what the file system says. */
export const liveHolder = async (path: string, options: LockOptions = {}): Promise<string | undefined> => {
  const found = await look(path);
  if (found === undefined) return undefined;
  if (await isAlive(path, found, options)) return nameOf((await look(path))?.text ?? found.text);
  if ((await look(path))?.text === found.text) await rm(path, { force: true });
  return undefined;
};

const isAlive = async (path: string, found: Found, { beatMs = 1000, watchMs = 3000, signal }: LockOptions): Promise<boolean> => {
  const [holder, own] = [holderOf(found.text), await self()];
  if (own.place !== undefined && holder?.place === own.place) return (await startOf(holder.pid)) === holder.start;
  for (let waited = 0; waited < watchMs; waited += beatMs / 2) {
    await pause(beatMs / 2000, signal);
    signal?.throwIfAborted();
    const now = await look(path);
    if (now === undefined) return false;
    if (now.text !== found.text || now.mtimeMs !== found.mtimeMs) return true;
  }
  return false;
};

interface Found {
  readonly text: string;
  readonly mtimeMs: number;
}

/** Opened, so that a network's file system asks its server. No link is followed, and no pipe waited for. */
const look = async (path: string): Promise<Found | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unlessMissing);
  if (handle === undefined) return undefined;
  try {
    const { mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), mtimeMs };
  } finally {
    await handle.close();
  }
};

/** False where it is there. */
const create = async (path: string, text: string): Promise<boolean> => {
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

/** A number of a process is given again: with the time of its start it is of one process. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly start?: string | undefined;
  /** This boot of the machine, and the container: where `pid` means anything. Absent where there is no /proc. */
  readonly place?: string | undefined;
}

/** As in `Lock.by`, of this process. */
export const ownName = async (): Promise<string> => nameOf(JSON.stringify(await self()));

const self = async (): Promise<Holder> => {
  const [stat, boot, space] = await Promise.all([
    readFile('/proc/self/stat', 'utf8').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  const place = stat !== '' && boot !== '' && space !== '' ? `${boot.trim()} ${space}` : undefined;
  return { pid: Number.parseInt(stat, 10) || 0, host: hostname(), start: startIn(stat), place };
};

/** Ticks since the boot; the name of the program, in brackets, may hold anything. */
const startIn = (stat: string): string | undefined => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];

const startOf = async (pid: number): Promise<string | undefined> =>
  startIn(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) ?? 'none';

const holderOf = (text: string): Holder | undefined => {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, host, start, place }: Partial<Record<keyof Holder, unknown>> = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || typeof host !== 'string') return undefined;
  return { pid, host, start: textOf(start), place: textOf(place) };
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const nameOf = (text: string): string => {
  const { pid = 0, host = '' } = holderOf(text) ?? {};
  return pid > 0 ? `pid ${pid} on ${printable(host, 64)}` : 'a process that is not known';
};
