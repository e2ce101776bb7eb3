// Who holds a lock, as the file of it says: a process of this machine and container is looked up, of another nothing but its name is known.

import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { parsedJson, printable } from './text.ts';

/** A number of a process is given again: with the time of its start it is of one process. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly start?: string | undefined;
  /** This boot of the machine, and the container: where `pid` means anything. Absent where there is no /proc. */
  readonly place?: string | undefined;
}

/** What a lock holds that is taken now, this one time. */
export const ownText = async (): Promise<string> =>
  `${JSON.stringify({ ...(await self()), id: randomBytes(8).toString('hex') })}\n`;

/** As in `nameOf`, of this process. */
export const ownName = async (): Promise<string> => nameOf(JSON.stringify(await self()));

/** Undefined where nobody here can know: it is of another container or machine. */
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

/** Ticks since the boot; the name of the program, in brackets, may hold anything. None of a dead one whose parent has not asked for it. */
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

/** As `pid 7 on validator-0`. */
export const nameOf = (text: string): string => {
  const { pid = 0, host = '' } = holderOf(text) ?? {};
  return pid > 0 ? `pid ${pid} on ${printable(host, 64)}` : 'a process that is not known';
};
