// The holder of a lock, read from the lock file. It can be checked whether a process of the same machine and container still runs. For
// other processes, only the name is known.

import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { parsedJson, printable } from './text.ts';

/** Pids are reused: only pid and start time together identify a process. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly start?: string | undefined;
  /** The boot id of the machine and the pid namespace, in which the pid is valid. Absent without /proc. */
  readonly place?: string | undefined;
}

/** The content of a new lock file. Its random id distinguishes two locks of one process. */
export const ownText = async (): Promise<string> =>
  `${JSON.stringify({ ...(await self()), id: randomBytes(8).toString('hex') })}\n`;

/** The name of this process, in the form of `nameOf`. */
export const ownName = async (): Promise<string> => nameOf(JSON.stringify(await self()));

/** Whether the holder still runs; undefined if it is in another container or machine. */
export const livesHere = async (text: string): Promise<boolean | undefined> => {
  const [holder, own] = [holderOf(text), await self()];
  return own.place !== undefined && holder?.place === own.place ? (await startOf(holder.pid)) === holder.start : undefined;
};

const self = async (): Promise<Holder> => {
  const [stat, boot, space] = await Promise.all([
    readFile('/proc/self/stat', 'utf8').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  const place = stat !== '' && boot !== '' && space !== '' ? `${boot.trim()} ${space}` : undefined;
  return { pid: Number.parseInt(stat, 10) || 0, host: hostname(), start: startIn(stat), place };
};

/** Start time in ticks since the boot; undefined for a zombie. The program name, in brackets, may contain anything, so it is skipped. */
const startIn = (stat: string): string | undefined => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
};

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

/** The name of the holder, such as `pid 7 on validator-0`. */
export const nameOf = (text: string): string => {
  const { pid = 0, host = '' } = holderOf(text) ?? {};
  return pid > 0 ? `pid ${pid} on ${printable(host, 64)}` : 'a process that is not known';
};
