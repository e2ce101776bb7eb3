// A tmpfs of 64 KiB that can be filled and made read-only.

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './events.ts';

export const noDisk = 'no file system can be mounted here';

/** Undefined if this user may not mount one. */
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
  // A process that another test spawns holds our open files until exec: until then deleted files occupy space, and files open for
  // writing block the remount.
  const remount = (how: 'ro' | 'rw'): Promise<void> =>
    vi.waitFor(() => void execFileSync('mount', ['-o', `remount,${how}`, folder]), { timeout: 60_000 });
  const used = async (): Promise<number> => {
    const { blocks, bfree, bsize } = await statfs(folder);
    return (blocks - bfree) * bsize;
  };
  const named = async (): Promise<number> => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    const sizes = await Promise.all(files.map(async (one) => (await stat(join(one.parentPath, one.name))).blocks * 512));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const freed = (): Promise<void> => expect.poll(async () => (await used()) - (await named()), { interval: 5 }).toBe(0);
  return {
    folder,
    /** Fills the rest, or this many bytes. */
    fill: async (bytes = 65_536): Promise<void> => {
      await freed();
      await writeFile(ballast, Buffer.alloc(bytes)).catch(() => undefined);
    },
    empty: async (): Promise<void> => {
      await rm(ballast, { force: true });
      await freed();
    },
    protect: () => remount('ro'),
    unprotect: () => remount('rw'),
  };
};
