// A lock between processes in the same clone, kept as a file with the pid of its holder.

import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {string} [inFolder]
 * @returns {Promise<T>}
 */
export const withLock = async (name, work, inFolder = folder) => {
  const lock = join(inFolder, `.${name}.lock`);
  mkdirSync(inFolder, { recursive: true });
  let waiting = false;
  while (!take(lock)) {
    if (!waiting) console.error(`snowgauge: waiting for another process to finish: ${name}`);
    waiting = true;
    await sleep(200);
  }
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release); // in case the work calls process.exit
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
};

/**
 * Creating a link is atomic, so the file always contains a pid.
 * @param {string} lock
 * @returns {boolean} taken
 */
const take = (lock) => {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    // Without EEXIST no process has the lock, and waiting would not help.
    if (!hasCode(error, 'EEXIST'))
      throw new Error(`cannot create ${lock}: ${error}: its folder must be on a file system with hard links`);
    dropIfAbandoned(lock, mine);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
};

/**
 * The holder may have been killed. Renaming first ensures that only one of the processes that notice it removes the lock.
 * @param {string} lock
 * @param {string} mine
 */
const dropIfAbandoned = (lock, mine) => {
  if (!existsSync(lock) || isAlive(holder(lock))) return;
  const aside = `${mine}.aside`;
  try {
    renameSync(lock, aside);
    if (isAlive(holder(aside))) linkSync(aside, lock); // another process was faster; give its lock back
  } catch {
    // another process does the same
  } finally {
    rmSync(aside, { force: true });
  }
};

/** @param {string} lock */
const holder = (lock) => {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return Number.NaN;
  }
};

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/**
 * @param {unknown} error
 * @param {string} code
 */
const hasCode = (error, code) => error instanceof Error && 'code' in error && error.code === code;
