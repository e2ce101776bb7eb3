// Appends lines to the files of this run and syncs them: either all lines of a write, or none.

import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { hasCode, makeOwnFolder } from '../file-system.ts';
import { fileBounds, makeRoom, segmentPath } from './segments.ts';

interface Open {
  readonly path: string;
  readonly handle: FileHandle;
  /** Size of the synced lines. */
  readonly bytes: number;
}

export interface SegmentWriterOptions {
  readonly folder: string;
  readonly run: string;
  /** Total size of all files. */
  readonly maxBytes: number;
  readonly now: () => number;
  /** Called before each write: false if another process uses the folder. */
  readonly mayWrite?: (() => Promise<boolean>) | undefined;
  /** Called with a file that should be deleted, but cannot, whenever old files are deleted. */
  readonly onStuck: (path: string, error: unknown) => void;
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
    if (stuck !== undefined) onStuck(stuck.path, stuck.error);
    // Later than all others, even if the clock was set back: files are read in the order of their names.
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
  /** Removes what a failed write has left: the next line would be appended to half a line. */
  const undo = async ({ handle, path, bytes }: Open): Promise<void> => {
    try {
      if (bytes === 0) {
        await close();
        await unlink(path);
      } else await handle.truncate(bytes);
    } catch {
      // If that fails too, leave the file, and do not append to it.
      await close().catch(() => undefined);
    }
  };

  return {
    /** Returns false if `mayWrite` forbids it. Throws if the lines may not be on disk. */
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

/** Another run on this folder may have deleted it as the oldest file. */
const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};
