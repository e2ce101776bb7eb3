// A memory limit like that of a container, including pages of the program and kernel memory. Beyond it a process stalls or is
// killed. Requires root and cgroups v1 for memory: in v2, a cgroup with processes cannot have limited children.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Container {
  /**
   * The command to put before the arguments of Node.js. It runs a copy of the program in `folder`, because pages of a file that
   * another process has read first are not counted.
   */
  readonly enter: (folder: string) => readonly [command: string, ...args: string[]];
  /** Current usage in MiB without the page cache. */
  readonly usedMiB: () => number;
  /** Removes the cgroup after its process has exited. */
  readonly remove: () => void;
}

/** Below our own cgroup, whose limits apply too. */
const parent = ((): string | undefined => {
  if (!existsSync('/proc/self/cgroup')) return undefined;
  const [, own] = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  const folder = own === undefined ? '' : join('/sys/fs/cgroup/memory', own);
  return existsSync(join(folder, 'memory.limit_in_bytes')) ? folder : undefined;
})();

const isWritable = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

export const hasContainers = parent !== undefined && isWritable(join(parent, 'cgroup.procs'));

const enter = 'echo $$ > "$0" && cp "$1" "$2" && shift && exec "$@"';

export const makeContainer = (mebibytes: number): Container => {
  const folder = join(parent ?? '', `snowgauge-container-${process.pid}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'memory.limit_in_bytes'), `${mebibytes * 2 ** 20}`);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const cached = (): number => Number(/^cache (\d+)$/m.exec(read('memory.stat'))?.[1]);
  return {
    enter: (within) => ['sh', '-c', enter, join(folder, 'cgroup.procs'), process.execPath, join(within, 'node')],
    usedMiB: () => (Number(read('memory.usage_in_bytes')) - cached()) / 2 ** 20,
    remove: () => rmdirSync(folder),
  };
};
