// Reads regular files safely. Someone else may have replaced the file, for example with an endless device, or with a pipe without a writer.
// So other kinds of files are refused, the number of bytes is limited whatever size the file claims, and no thread blocks.

import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { pause } from './pause.ts';

/** `followed`: for files that the operator names or Kubernetes mounts, which may be links. `refused`: for the exporter's own files. */
export type Links = 'followed' | 'refused';

/** Opening a pipe without a writer does not block. */
const atOnce = constants.O_RDONLY | constants.O_NONBLOCK;

/** Throws the error of the file system; or, if it is not a regular file, an error with a message and without a code. */
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

/** The beginning of the file, up to this many bytes, as UTF-8. */
export const readStart = async (file: string, maxBytes: number, links: Links = 'refused'): Promise<string> => {
  const handle = await openRegular(file, links);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** The whole file. If it is larger than the limit, throws an error with a message and without a code. */
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

/** Like `readWhole`, for small files of a local or in-memory file system. */
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

/**
 * Reads everything that is written to a pipe, until it has no writer. Throws an error with a message and without a code if the signal is
 * aborted first, or if it is larger than the limit.
 */
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

/** Seconds between two reads. Events of a socket would not show that a writer closed the pipe before it was opened here. */
const betweenLooks = 0.02;

/** Undefined if the pipe has a writer that has written nothing more yet. */
const unlessAwaited = (error: unknown): undefined => {
  if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
};

/** Throws if it is not a regular file, except for folders: the file system itself returns an error when they are read. */
const refuseOthers = (stats: Stats): void => {
  if (!stats.isFile() && !stats.isDirectory())
    throw new Error('it is not a regular file: put one, or a link to one, in its place');
};

/** Reads up to one byte above the limit, whatever size the file claims, to detect files that are too large. */
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
    /** False at the end of the file. */
    take: (room: Buffer, bytesRead: number): boolean => {
      parts.push(room.subarray(0, bytesRead));
      length += bytesRead;
      if (length > maxBytes) refuse();
      return bytesRead > 0;
    },
    bytes: (): Buffer => Buffer.concat(parts, length),
  };
};
