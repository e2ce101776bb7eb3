// Appends lines to the files of this run, synced: whole lines, or nothing of them.

import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { hasCode, makeOwnFolder } from '../file-system.ts';
import { fileBounds, makeRoom, segmentPath } from './segments.ts';

interface Open {
  readonly path: string;
  readonly handle: FileHandle;
  /** Of whole lines, synced. */
  readonly bytes: number;
}

export interface SegmentWriterOptions {
  readonly folder: string;
  readonly run: string;
  /** Of all files. */
  readonly maxBytes: number;
  readonly now: () => number;
  /** Asked before each write: false where the folder is another's. */
  readonly mayWrite?: (() => Promise<boolean>) | undefined;
  /** Told of a file that is in the way and cannot be deleted, each time that room is made. */
  readonly onStuck?: ((path: string, error: unknown) => void) | undefined;
}

export const createSegmentWriter = ({ folder, run, maxBytes, now, mayWrite, onStuck }: SegmentWriterOptions) => {
  let file: Open | undefined;

  const close = async (): Promise<void> => {
    const { handle } = file ?? {};
    file = undefined;
    await handle?.close();
  };
  const next = async (): Promise<Open> => {
    await makeOwnFolder(folder);
    const { segments, stuck } = await makeRoom(folder, maxBytes);
    if (stuck !== undefined) onStuck?.(stuck.path, stuck.error);
    // Later than every other, whatever the clock says: the order of the names is the order of reading.
    let createdMs = Math.max(Math.floor(now() * 1000), (segments.at(-1)?.createdMs ?? 0) + 1);
    for (;;) {
      const path = segmentPath(folder, createdMs, run);
      try {
        return { path, handle: await open(path, 'ax', 0o600), bytes: 0 };
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
        createdMs += 1;
      }
    }
  };
  /** Nothing of a write that failed stays: what is half a line would be glued to the next. */
  const undo = async ({ handle, path, bytes }: Open): Promise<void> => {
    try {
      if (bytes === 0) {
        await close();
        await unlink(path);
      } else await handle.truncate(bytes);
    } catch {
      // A file that cannot be mended is left as it is, and not appended to.
      await close().catch(() => undefined);
    }
  };

  return {
    /** False where they may not be written; throws where the lines are not on disk for certain. */
    write: async (lines: readonly string[]): Promise<boolean> => {
      if ((await mayWrite?.()) === false) return false;
      const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      if (file !== undefined && (file.bytes + text.length > maxBytes / fileBounds.segments || !(await isThere(file.path)))) {
        await close();
      }
      file ??= await next();
      const open = file;
      try {
        await open.handle.appendFile(text);
        await open.handle.datasync();
      } catch (error) {
        await undo(open);
        throw error;
      }
      file = { ...open, bytes: open.bytes + text.length };
      return true;
    },
    close,
  };
};

/** Another run on this folder may have taken away what it found the oldest. */
const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};
