// Creates and replaces the exporter's own files and folders: with their parent folders, readable only by the owner, and atomically.

import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Throws the error of the file system. The option `recursive` of Node.js loops forever if a folder cannot be created although its parent
 * exists, as in /proc.
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
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // If it exists and is not a folder, using it will fail.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

/** Creates a folder inside one that the operator names. A symbolic link in its place is refused. */
export const makeOwnFolder = async (path: string): Promise<void> => {
  await makeFolder(path);
  if (await isLink(path)) throw new Error(`${path} is a symbolic link: put a directory in its place`);
};

export const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(unlessMissing))?.isSymbolicLink() === true;

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** For `catch`: undefined if the file does not exist; rethrows other errors. */
export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

interface ReplaceOptions {
  /** Sync to disk, so that the file is complete even after a power failure. */
  readonly sync?: boolean;
  /** Called right before the file is replaced, because a slow disk may need minutes for the write before that. */
  readonly mayReplace?: () => Promise<boolean>;
}

/** Replaces a file in an existing folder atomically, even if others write there. False if `mayReplace` forbids it. */
export const replaceFile = async (
  file: string,
  text: string,
  { sync = false, mayReplace }: ReplaceOptions = {},
): Promise<boolean> => {
  // It cannot be a symbolic link, because the name is random, and an existing file is an error.
  const next = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeFile(next, text, { mode: 0o600, flag: 'wx', flush: sync });
    const isOurs = (await mayReplace?.()) !== false;
    await (isOurs ? rename(next, file) : rm(next, { force: true }));
    return isOurs;
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw error;
  }
};

/** Deletes the temporary files of processes that were killed while they replaced the file. */
export const tidyReplaced = async (file: string): Promise<void> => {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  const there = await readdir(folder).catch(() => []);
  const stale = there.filter((one) => one.startsWith(start) && /^[0-9a-z]+\.tmp$/.test(one.slice(start.length)));
  await Promise.allSettled(stale.map((one) => rm(join(folder, one), { force: true })));
};
