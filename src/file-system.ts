// Files and folders of our own: made with all folders above, read within a bound, replaced whole.

import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
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

/** What is not there is undefined; everything else is thrown. */
export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

/** At most so many bytes, as UTF-8. */
export const readStart = async (file: string, maxBytes: number): Promise<string> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** At any moment the file is whole, whoever else writes into the folder. `run`: of this process alone. */
export const replaceFile = async (file: string, run: string, text: string): Promise<void> => {
  const next = `${file}.${run}.tmp`;
  try {
    await makeFolder(dirname(file));
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw error;
  }
};
