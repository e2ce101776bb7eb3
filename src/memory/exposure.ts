// Is what an earlier run, an operator or another program has made under stateDir open to other users of the machine? What we make
// ourselves is not. Group bits are not judged: Kubernetes sets them for the fsGroup of a pod.

import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';

const others = { any: 0o007, write: 0o002, enter: 0o001 } as const;
const sticky = 0o1000;

export const warnIfOpen = async (stateDir: string, log: Log): Promise<void> => {
  // What cannot be read is said by whoever reads it.
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
  // Whatever the modes below are, nobody comes there.
  if ((top.mode & others.enter) === 0) return [];
  // A volume of a pod is open to all, and there only for those that mount it.
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
