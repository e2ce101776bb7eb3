// The memory of a container: a process that may take so much, pages of its program and what the kernel holds for it included. Where that is
// not enough it stands still, or is killed. Takes root and memory cgroups of version 1: of version 2, one with processes has no limited ones
// below it.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Container {
  /**
   * What is put before the arguments of Node.js. It runs a copy of its program in `folder`: pages of a file that others have read before
   * are not counted.
   */
  readonly enter: (folder: string) => readonly [command: string, ...args: string[]];
  /** MiB: now, without what is kept of files. */
  readonly usedMiB: () => number;
  /** When its process has ended. */
  readonly remove: () => void;
}

/** Below our own cgroup, with all that bounds us. */
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
