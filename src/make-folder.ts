// A folder, made with all that are above it.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Throws what the file system says. Node's own `recursive` never ends where a folder cannot be made though the one above it is
 * there, as in /proc: it goes on making that one.
 */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if (!hasCode(error, 'ENOENT') || above === path) throw error;
    await makeFolder(above);
    await makeOne(path);
  }
};

const makeOne = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    // Whether what is there is a folder shows when it is used.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
