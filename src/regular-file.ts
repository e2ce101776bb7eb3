// Reads a file in whose place somebody else may have put anything: a device that never ends, a pipe that nobody writes to. Only what is a
// regular file is read, within a bound that its size cannot lift, and no thread waits for whoever might write.

import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { pause } from './pause.ts';

/** `followed` for what the operator names, or Kubernetes mounts: there, files are links. `refused` for our own. */
export type Links = 'followed' | 'refused';

/** A pipe is opened at once, whether anybody writes to it or not. */
const atOnce = constants.O_RDONLY | constants.O_NONBLOCK;

/** Throws what the file system says, and of what is no regular file a sentence without a code. */
export const openRegular = async (file: string, links: Links): Promise<FileHandle> => {
  const handle = await open(file, links === 'followed' ? atOnce : atOnce | constants.O_NOFOLLOW);
  try {
    refuseOthers(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** At most so many bytes, as UTF-8. */
export const readStart = async (file: string, maxBytes: number, links: Links = 'refused'): Promise<string> => {
  const handle = await openRegular(file, links);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** All of it; a sentence without a code where that is more than so many bytes. */
export const readWhole = async (file: string, maxBytes: number, links: Links = 'followed'): Promise<Buffer> => {
  const handle = await openRegular(file, links);
  try {
    const all = gather(maxBytes, await handle.stat());
    for (;;) {
      const room = all.room();
      if (!all.take(room, (await handle.read(room, 0, room.length)).bytesRead)) return all.bytes();
    }
  } finally {
    await handle.close();
  }
};

/** As `readWhole`, for small files of a local or in-memory file system. */
export const readWholeSync = (file: string, maxBytes: number): Buffer => {
  const descriptor = openSync(file, atOnce);
  try {
    const stats = fstatSync(descriptor);
    refuseOthers(stats);
    const all = gather(maxBytes, stats);
    for (;;) {
      const room = all.room();
      if (!all.take(room, readSync(descriptor, room))) return all.bytes();
    }
  } finally {
    closeSync(descriptor);
  }
};

/** What is written to a pipe until its last writer has gone. A sentence without a code where the signal comes before. */
export const readPipe = async (file: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> => {
  const handle = await open(file, atOnce);
  try {
    if (!(await handle.stat()).isFIFO()) throw new Error('it is not a pipe any more');
    const all = gather(maxBytes);
    for (;;) {
      if (signal.aborted) throw new Error('the writer had not finished when this process was stopped');
      const room = all.room();
      const bytesRead = await handle.read(room, 0, room.length).then((read) => read.bytesRead, unlessAwaited);
      if (bytesRead === undefined) await pause(betweenLooks, signal);
      else if (!all.take(room, bytesRead)) return all.bytes();
    }
  } finally {
    await handle.close();
  }
};

/** Seconds. A socket would be told, but not of a writer that had gone before the pipe was opened. */
const betweenLooks = 0.02;

/** Undefined: somebody has it open to write, and has written nothing more yet. */
const unlessAwaited = (error: unknown): undefined => {
  if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
};

/** Of a folder the file system itself says that it is one. */
const refuseOthers = (stats: Stats): void => {
  if (!stats.isFile() && !stats.isDirectory())
    throw new Error('it is not a regular file: put one, or a link to one, in its place');
};

/** Whatever the size says, as many as one byte more than may be: that shows what is larger. */
const gather = (maxBytes: number, stats?: Stats) => {
  const size = stats?.isFile() === true ? stats.size : 0;
  const refuse = (): never => {
    throw new Error(`it is larger than ${maxBytes} bytes: make it smaller`);
  };
  if (size > maxBytes) refuse();
  const parts: Buffer[] = [];
  let length = 0;
  return {
    room: (): Buffer => Buffer.alloc(Math.min(maxBytes + 1 - length, Math.max(size + 1 - length, 4096))),
    /** False at the end. */
    take: (room: Buffer, bytesRead: number): boolean => {
      parts.push(room.subarray(0, bytesRead));
      length += bytesRead;
      if (length > maxBytes) refuse();
      return bytesRead > 0;
    },
    bytes: (): Buffer => Buffer.concat(parts, length),
  };
};
