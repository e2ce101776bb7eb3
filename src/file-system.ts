// Files and folders of our own: made with all folders above, for nobody else to read, replaced whole.

import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

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
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Whether what is there is a folder shows when it is used.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

/** A folder in one that the operator names: a link in its place is not followed, whoever put it there. */
export const makeOwnFolder = async (path: string): Promise<void> => {
  await makeFolder(path);
  if (await isLink(path)) throw new Error(`${path} is a symbolic link: put a folder in its place`);
};

export const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(unlessMissing))?.isSymbolicLink() === true;

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** What is not there is undefined; everything else is thrown. */
export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

interface ReplaceOptions {
  /** Whole after a power failure, too. */
  readonly sync?: boolean;
  /** Asked at the last moment: a disk may have taken minutes to take what is to be in its place. */
  readonly mayReplace?: () => Promise<boolean>;
}

/** In a folder that is there; whole at any moment, whoever else writes into it. False where it may not be replaced. */
export const replaceFile = async (
  file: string,
  text: string,
  { sync = false, mayReplace }: ReplaceOptions = {},
): Promise<boolean> => {
  // Nobody can have put a link there before: the name cannot be known, and what is there already is an error.
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

/** Takes away what a process left beside the file that was killed while it replaced it. */
export const tidyReplaced = async (file: string): Promise<void> => {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  const there = await readdir(folder).catch(() => []);
  const stale = there.filter((one) => one.startsWith(start) && /^[0-9a-z]+\.tmp$/.test(one.slice(start.length)));
  await Promise.allSettled(stale.map((one) => rm(join(folder, one), { force: true })));
};
