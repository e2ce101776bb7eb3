// Checks whether other users of the machine can access files under stateDir. They cannot access files that this process creates, but perhaps those
// of an earlier run, an operator or another program. Group bits are ignored: Kubernetes sets them for the fsGroup of a pod.

import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';

const others = { any: 0o007, write: 0o002, enter: 0o001 } as const;
const sticky = 0o1000;

export const warnIfOpen = async (stateDir: string, log: Log): Promise<void> => {
  // Errors are logged by the code that reads the files.
  const open = await openIn(stateDir).catch(() => []);
  const [first] = open;
  if (first === undefined) return;
  const message = `other users of this machine can access stateDir: run chmod -R o-rwx ${stateDir}`;
  log.warn({ path: first.path, mode: (first.mode & 0o7777).toString(8).padStart(4, '0'), paths: open.length }, message);
};

interface Found {
  readonly path: string;
  readonly mode: number;
}

const openIn = async (stateDir: string): Promise<readonly Found[]> => {
  const [top, above] = await Promise.all([stat(stateDir), stat(join(stateDir, '..'))]);
  // Others cannot enter the folder, so the modes of its files do not matter.
  if ((top.mode & others.enter) === 0) return [];
  // A volume of a pod may be world-writable, but only containers that mount it can access it.
  const isVolume = top.dev !== above.dev;
  const isOpen = (top.mode & others.write) !== 0 && (top.mode & sticky) === 0 && !isVolume;
  const names = (await readdir(stateDir)).filter((name) => name === 'events' || name === 'liveness' || name.endsWith('.json'));
  const found = await Promise.all(
    names.map(async (name) => ({ path: join(stateDir, name), ...modeOf(await lstat(join(stateDir, name))) })),
  );
  return [
    ...(isOpen ? [{ path: stateDir, ...modeOf(top) }] : []),
    ...found.filter((one) => !one.isLink && (one.mode & others.any) !== 0),
  ];
};

const modeOf = (known: Stats) => ({ mode: known.mode, isLink: known.isSymbolicLink() });
