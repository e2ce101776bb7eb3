// Ports for what must be told one before it listens, or gives it up and takes it again.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the range from which systems give a port to whoever asks for any (Linux: from 32768): one of those may be somebody
 * else's by the time it is listened on.
 */
const range = [20_000, 32_768] as const;
const tries = 100;

export const freePort = async (): Promise<number> => {
  for (let nth = 0; nth < tries; nth += 1) {
    const port = randomInt(...range);
    if (reserve(port) && (await isFree(port))) return port;
  }
  throw new Error(`${tries} ports between ${range[0]} and ${range[1]} are all taken`);
};

/** A file for each port, with the process that has it: a node that is shut for a while has a port that listens to nobody. */
const reservations = join(tmpdir(), 'snowgauge-test-ports');

/** This process's until it ends, and nobody else's of those who ask here. */
export const reserve = (port: number): boolean => {
  mkdirSync(reservations, { recursive: true });
  const file = join(reservations, `${port}`);
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    if (isRunning(Number(readFileSync(file, 'utf8')))) return false;
    writeFileSync(file, `${process.pid}`);
    return true;
  }
};

/** One that is just being written says no number yet. */
const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Asked by connecting: a listener of our own may outlive its close in a child that another thread is just about to begin. */
const isFree = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
};
