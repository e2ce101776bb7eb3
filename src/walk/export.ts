// Exports an index to a file, one JSON object per line. Resumes an interrupted export.

import { lstat, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Failure } from '../client/outcome.ts';
import { hasCode, tidyReplaced, unlessMissing } from '../file-system.ts';
import { lockFile } from '../lock-file.ts';
import { type Asking, containerAt } from './asking.ts';
import { type Checkpoint, checkpointFile, isUntouched, readCheckpoint, removeCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { type ExportFile, FileTouched, openExportFile } from './export-file.ts';
import { lineOf } from './line.ts';
import type { WalkProgress } from './progress.ts';
import type { WalkStart } from './ranges.ts';
import { walk } from './walk.ts';

export interface LinesOptions extends WalkStart {
  readonly last?: bigint | undefined;
  readonly onProgress?: ((progress: WalkProgress) => void) | undefined;
}

export interface ExportOptions extends LinesOptions {
  readonly file: string;
  /** Consecutive gzip members, which every gzip reader treats as one file. */
  readonly gzip: boolean;
}

export type Exported =
  /** `next`: one past the last container in the file. */
  | { readonly kind: 'done'; readonly resumedAt?: bigint; readonly next: bigint }
  /** The index holds `size` containers, and none from `first` on. There is no file. */
  | { readonly kind: 'nothing'; readonly size: bigint }
  /** Stopped, or the node did not respond: the same export resumes at `next`. There is no file if that is `first`. */
  | { readonly kind: 'interrupted'; readonly next: bigint; readonly failure: Failure }
  /** An error of the operator. Nothing was written. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** An error of the file system. What was safe before is kept, and can be resumed. */
  | { readonly kind: 'unwritable'; readonly reason: string };

export const exportIndex = async (options: ExportOptions): Promise<Exported> => {
  try {
    return await exportTo(options);
  } catch (error) {
    // Only errors of the file system are the operator's. All others are bugs.
    if (error instanceof FileTouched) return { kind: 'unwritable', reason: error.message };
    if (error instanceof Error && 'syscall' in error)
      return { kind: 'unwritable', reason: whyUnwritable(dirname(options.file), error) };
    throw error;
  }
};

/** Leaves the path out of the message: the call may have been for a file that the operator did not name. */
const whyUnwritable = (folder: string, error: Error): string => {
  const why = error.message.replace(/, \w+(?: '.*')?$/s, '');
  if (hasCode(error, 'ENOTDIR')) return `${why}: name a file in a directory that exists`;
  if (['EACCES', 'EPERM', 'EROFS'].some((code) => hasCode(error, code)))
    return `${why}: let this user write to ${folder}, or name a file in another directory`;
  if (['ENOSPC', 'EDQUOT'].some((code) => hasCode(error, code))) return `${why}: make room in ${folder}, and run again to resume`;
  return why;
};

const exportTo = async (options: ExportOptions): Promise<Exported> => {
  const { file, asking } = options;
  const there = await lstat(file).catch(unlessMissing);
  // Checked first, so that no message asks the operator to remove /dev/null, or a folder of data.
  if (there?.isFile() === false) return refused(`${file} exists and is not a regular file: name another file, or - for stdout`);
  if ((await stat(dirname(file)).catch(unlessMissing)) === undefined)
    return refused(`the directory ${dirname(file)} does not exist: create it, or name another file`);
  let takenBy: string | undefined;
  const lost = (by: string): void => {
    takenBy ??= by;
  };
  const lock = await lockFile(`${file}.lock`, { signal: asking.signal, lost });
  if (lock.kind === 'taken')
    return refused(`${file} is being written by another export (${lock.by}): wait for its end, or name another file`);
  // Also throws if the lock is held again: another process has written the file in between.
  const keepOff = async (): Promise<void> => {
    if ((await lock.isHeld()) && takenBy === undefined) return;
    throw new FileTouched(`another export took it over (${takenBy ?? 'a process that is not known'}): wait for its end`);
  };
  try {
    // Stopped while it waited whether another process holds the lock: the file may belong to that process.
    if (asking.signal.aborted && !(await lock.isHeld())) return interrupted(options.first);
    return await exportLocked(options, keepOff);
  } finally {
    await lock.release();
  }
};

/** `keepOff`: throws if another process has taken over the file. Call it before each write. */
const exportLocked = async (options: ExportOptions, keepOff: () => Promise<void>): Promise<Exported> => {
  const start = await startOf(options);
  if (start.kind !== 'ready') return start;
  const { checkpoint, resumed, exists } = start;
  await keepOff();
  // The checkpoint is written first: a file without one does not belong to an export.
  if (!resumed) await writeCheckpoint(options.file, checkpoint);
  const file = await openExportFile(options.file, checkpoint, exists, keepOff);
  let end: Exported;
  try {
    end = await copy(options, checkpoint.next, file);
  } finally {
    await file.close();
  }
  if (end.kind === 'nothing' || (end.kind === 'interrupted' && end.next === options.first)) {
    await keepOff();
    // For the same reason the file is removed first.
    await rm(options.file, { force: true });
    await removeCheckpoint(options.file);
  }
  return end.kind === 'done' && resumed ? { ...end, resumedAt: checkpoint.next } : end;
};

/** Passes the lines to `write` as they arrive. Keeps nothing that could be resumed. */
export const exportLines = (options: LinesOptions, write: (lines: string) => Promise<void>): Promise<Exported> =>
  copy(options, options.first, { add: write, save: nothing, finish: nothing });

const nothing = async (): Promise<void> => undefined;

type Start =
  | { readonly kind: 'ready'; readonly checkpoint: Checkpoint; readonly resumed: boolean; readonly exists: boolean }
  | Exported;

const interrupted = (next: bigint): Exported => ({ kind: 'interrupted', next, failure: { kind: 'network', reason: 'aborted' } });

const refused = (reason: string): Extract<Exported, { readonly kind: 'refused' }> => ({ kind: 'refused', reason });

const startOf = async (options: ExportOptions): Promise<Start> => {
  const { asking, first, last, gzip, file } = options;
  const { index } = asking;
  const size = (await lstat(file).catch(unlessMissing))?.size;
  const exists = size !== undefined;
  const beside = checkpointFile(file);
  await tidyReplaced(beside);
  const read = await readCheckpoint(file);
  if (read.kind === 'newer')
    return refused(
      `${beside} was written by a newer snowgauge (format ${read.version}; this one reads up to ${read.reads}): use that version, or remove it and ${file}, and start again`,
    );
  if (read.kind === 'unreadable')
    return refused(`${beside} is not the progress of an export: remove it and ${file}, and start again`);
  if (read.kind === 'none' && exists)
    return refused(`${file} exists, and no export of it was interrupted: remove it, or name another file`);
  // Without data in the file there is nothing to resume, and any export may begin.
  if (read.kind === 'none' || read.checkpoint.bytes === 0) {
    return { kind: 'ready', resumed: false, exists, checkpoint: { index, first, last, gzip, next: first, bytes: 0 } };
  }
  const { checkpoint } = read;
  if (checkpoint.index !== index || checkpoint.first !== first || checkpoint.last !== last || checkpoint.gzip !== gzip)
    return refused(
      `${file} was started ${begunWith(checkpoint)} (see ${beside}): use the same options, remove both, or name another file`,
    );
  if (checkpoint.bytes > (size ?? 0)) return refused(`${file} is shorter than ${beside} says: remove both, and start again`);
  if (!(await isUntouched(file, checkpoint)))
    return refused(`${file} was changed after the export was interrupted: remove it and ${beside}, and start again`);
  return (await otherNetwork(asking, checkpoint, file)) ?? { kind: 'ready', checkpoint, resumed: true, exists };
};

const begunWith = ({ index, first, last }: Checkpoint): string =>
  `with ${index}, --from ${first} and ${last === undefined ? 'no --to' : `--to ${last}`}`;

/** Checks that the node has the last container of the file under the same number. */
const otherNetwork = async (asking: Asking, { next, lastId }: Checkpoint, file: string): Promise<Exported | undefined> => {
  if (lastId === undefined) return undefined;
  const number = next - 1n;
  const asked = await asking.ask(containerAt(number));
  if (asked.kind === 'failed') return { kind: 'interrupted', next, failure: asked.failure };
  if (asked.value.id === lastId) return undefined;
  return refused(
    `container ${number} of this node differs from the last one in ${file}: was that exported from another network?`,
  );
};

const copy = async (
  options: LinesOptions,
  first: bigint,
  file: Pick<ExportFile, 'add' | 'save' | 'finish'>,
): Promise<Exported> => {
  const { asking, onProgress } = options;
  let [next, end, size] = [first, first, 0n];
  for await (const step of walk({ ...options, first, strict: true })) {
    if (step.kind === 'head') {
      ({ end, size } = step);
      continue;
    }
    if (step.kind === 'failed') {
      await file.save();
      return { kind: 'interrupted', next, failure: step.failure };
    }
    next = step.end;
    await file.add(step.containers.map(lineOf).join(''), next, step.containers.at(-1)?.id);
    onProgress?.({ first: options.first, resumedAt: first, next, end });
  }
  if (asking.signal.aborted) {
    await file.save();
    return interrupted(next);
  }
  if (next === options.first) return { kind: 'nothing', size };
  await file.finish();
  return { kind: 'done', next };
};
