// Ports for processes that need a fixed port, or release it and listen on it again.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the ephemeral range (from 32768 on Linux): an ephemeral port may be taken by another process before it is listened on.
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

/** A file per port with the process that reserved it, because a node that is briefly down does not listen on its port. */
const reservations = join(tmpdir(), 'snowgauge-test-ports');

/** Reserves the port for this process until it exits. */
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

/** A file that is just being written has no pid yet. */
const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Checked by connecting: a listener of ours may outlive its close in a child process that another thread is spawning. */
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
