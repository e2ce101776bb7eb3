// A disk that can be filled and made read-only: a file system in memory, of 64 KiB.

import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './events.ts';

export const noDisk = 'no file system can be mounted here';

/** Undefined where this user may not mount one. */
export const smallDisk = async () => {
  const folder = join(await temporaryFolder(), 'disk');
  await mkdir(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  const ballast = join(folder, 'ballast');
  const remount = (how: 'ro' | 'rw'): void => {
    execFileSync('mount', ['-o', `remount,${how}`, folder]);
  };
  return {
    folder,
    /** A file takes what is left. */
    fill: (): Promise<void> => writeFile(ballast, Buffer.alloc(65_536)).catch(() => undefined),
    empty: (): Promise<void> => rm(ballast, { force: true }),
    protect: () => remount('ro'),
    unprotect: () => remount('rw'),
  };
};
