// The file that an export writes: what is in it, and how far that is safe.

import { constants, type FileHandle, lstat, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { unlessMissing } from '../file-system.ts';
import { type Checkpoint, removeCheckpoint, tailLength, writeCheckpoint } from './checkpoint.ts';

/** Somebody else writes the file, or has done something to it: nothing more is written. */
export class FileTouched extends Error {}

export type ExportFile = Awaited<ReturnType<typeof openExportFile>>;

/** Bytes that are held before they are written; of gzip, what one member holds. */
const batchLength = 2 ** 20;

/** Bytes, not compressed, and seconds between two checkpoints: no more than either is fetched again after the process was killed. */
const checkpointLength = 2 ** 24;
const checkpointSeconds = 5;

/** Goes on where the checkpoint says, and cuts off what lies beyond. The node is asked for more while the caller waits for the disk. */
export const openExportFile = async (
  file: string,
  from: Checkpoint,
  exists: boolean,
  beforeWrite: () => Promise<void> = async () => undefined,
) => {
  const handle = await open(file, exists ? constants.O_RDWR | constants.O_NOFOLLOW : 'wx');
  await handle.truncate(from.bytes);
  let savedBytes = from.bytes;
  let written = from.bytes;
  let held: string[] = [];
  let heldLength = 0;
  let unsavedLength = 0;
  let savedAt = performance.now();
  let { next, lastId } = from;
  let tail = Buffer.from(from.tail ?? '', 'hex');

  /** What goes into a file that nobody finds under its name, or on which another one writes too, is lost, and no system call says so. */
  const refuseTouched = async (): Promise<void> => {
    const [own, named] = await Promise.all([handle.stat(), lstat(file).catch(unlessMissing)]);
    if (named?.ino === own.ino && own.size === written) return;
    throw new FileTouched(
      'another process has changed, moved or removed it meanwhile: remove it and its .progress, and start again',
    );
  };

  const flush = async (): Promise<void> => {
    const lines = Buffer.from(held.join(''), 'latin1');
    held = [];
    heldLength = 0;
    const bytes = from.gzip && lines.length > 0 ? await gzip(lines, { level: gzipLevel }) : lines;
    await beforeWrite();
    await refuseTouched();
    await writeAll(handle, bytes, written);
    written += bytes.length;
    tail = Buffer.concat([tail, bytes.subarray(-tailLength)]).subarray(-tailLength);
  };

  /** Everything that was added is safe, and the export can go on from there. */
  const save = async (): Promise<void> => {
    await flush();
    unsavedLength = 0;
    savedAt = performance.now();
    if (written === savedBytes) return;
    savedBytes = written;
    // First the containers, then the word that they are there.
    await handle.datasync();
    await writeCheckpoint(file, { ...from, next, bytes: written, lastId, tail: tail.toString('hex') });
  };

  return {
    /** `lines`, in ASCII, holds all containers from the ones before it up to `end`, which it does not hold. */
    add: async (lines: string, end: bigint, id: string | undefined): Promise<void> => {
      held.push(lines);
      heldLength += lines.length;
      unsavedLength += lines.length;
      next = end;
      lastId = id ?? lastId;
      if (heldLength >= batchLength) await flush();
      const seconds = (performance.now() - savedAt) / 1000;
      if (unsavedLength >= checkpointLength || seconds >= checkpointSeconds) await save();
    },
    save,
    /** Everything is there: the checkpoint goes. */
    finish: async (): Promise<void> => {
      await flush();
      await handle.sync();
      // Each write was checked before it: nothing follows the last one.
      await refuseTouched();
      await removeCheckpoint(file);
    },
    close: (): Promise<void> => handle.close(),
  };
};

/** A disk that is nearly full may take a part, and not the rest. */
const writeAll = async (handle: FileHandle, data: Buffer, at: number): Promise<void> => {
  for (let written = 0; written < data.length; )
    written += (await handle.write(data, written, data.length - written, at + written)).bytesWritten;
};

const gzip = promisify(gzipCallback);

/** The lowest: hex of hashes and signatures does not get much smaller by trying. */
const gzipLevel = 1;
