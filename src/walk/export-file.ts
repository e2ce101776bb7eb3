// The file that an export writes, and how much of it is safely on disk.

import { constants, type FileHandle, lstat, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { unlessMissing } from '../file-system.ts';
import { type Checkpoint, removeCheckpoint, tailLength, writeCheckpoint } from './checkpoint.ts';

/** Another process writes the file, or has changed it: nothing more is written. */
export class FileTouched extends Error {}

export type ExportFile = Awaited<ReturnType<typeof openExportFile>>;

/** Bytes that are buffered before a write. With gzip, the content of one member. */
const batchLength = 2 ** 20;

/** Uncompressed bytes and seconds between two checkpoints: at most this much is fetched again after the process was killed. */
const checkpointLength = 2 ** 24;
const checkpointSeconds = 5;

/** Resumes at the checkpoint, and truncates the file there. While the caller waits for the disk, the node works on the next requests. */
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

  /** Data is lost without an error if the file was moved or removed, or if another process writes it too. So this checks for both. */
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

  /** Makes everything added so far safe: the export can resume from there. */
  const save = async (): Promise<void> => {
    await flush();
    unsavedLength = 0;
    savedAt = performance.now();
    if (written === savedBytes) return;
    savedBytes = written;
    // The containers must be on disk before the checkpoint that counts them.
    await handle.datasync();
    await writeCheckpoint(file, { ...from, next, bytes: written, lastId, tail: tail.toString('hex') });
  };

  return {
    /** `lines`: ASCII text with all further containers before `end`. */
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
    /** The export is complete: removes the checkpoint. */
    finish: async (): Promise<void> => {
      await flush();
      await handle.sync();
      // Each write checks the file before it; this checks it after the last one.
      await refuseTouched();
      await removeCheckpoint(file);
    },
    close: (): Promise<void> => handle.close(),
  };
};

/** A disk that is nearly full may write only a part. */
const writeAll = async (handle: FileHandle, data: Buffer, at: number): Promise<void> => {
  for (let written = 0; written < data.length; )
    written += (await handle.write(data, written, data.length - written, at + written)).bytesWritten;
};

const gzip = promisify(gzipCallback);

/** The lowest level: higher ones compress the hex of hashes and signatures hardly better. */
const gzipLevel = 1;
