// An index into a file, one JSON object a line. A file half written is taken up where it stands.

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
  /** Members of gzip one after the other, which every reader of gzip takes for one file. */
  readonly gzip: boolean;
}

export type Exported =
  /** `next`: one past the last that is in the file. */
  | { readonly kind: 'done'; readonly resumedAt?: bigint; readonly next: bigint }
  /** The index, which holds so many, has nothing from `first` on: there is no file. */
  | { readonly kind: 'nothing'; readonly size: bigint }
  /** Asked to stop, or the node could not be asked: the same export goes on at `next`. There is no file where that is `first`. */
  | { readonly kind: 'interrupted'; readonly next: bigint; readonly failure: Failure }
  /** The operator's: nothing was written. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The file system's: what was safe before is kept, and gone on from. */
  | { readonly kind: 'unwritable'; readonly reason: string };

export const exportIndex = async (options: ExportOptions): Promise<Exported> => {
  try {
    return await exportTo(options);
  } catch (error) {
    // Only what the file system says no to is the operator's; everything else is a fault of ours.
    if (error instanceof FileTouched) return { kind: 'unwritable', reason: error.message };
    if (error instanceof Error && 'syscall' in error)
      return { kind: 'unwritable', reason: whyUnwritable(dirname(options.file), error) };
    throw error;
  }
};

/** Without the file that the call was for: of what stands beside the one that was named, the operator knows nothing. */
const whyUnwritable = (folder: string, error: Error): string => {
  const why = error.message.replace(/, \w+(?: '.*')?$/s, '');
  if (hasCode(error, 'ENOTDIR')) return `${why}: name a file in a folder that exists`;
  if (['EACCES', 'EPERM', 'EROFS'].some((code) => hasCode(error, code)))
    return `${why}: let this user write to ${folder}, or name a file in another folder`;
  if (['ENOSPC', 'EDQUOT'].some((code) => hasCode(error, code))) return `${why}: make room in ${folder}, and run again to resume`;
  return why;
};

const exportTo = async (options: ExportOptions): Promise<Exported> => {
  const { file, asking } = options;
  const there = await lstat(file).catch(unlessMissing);
  // Nobody is to be told to remove /dev/null, or a folder of data.
  if (there?.isFile() === false) return refused(`${file} exists and is not a regular file: name another file, or - for stdout`);
  if ((await stat(dirname(file)).catch(unlessMissing)) === undefined)
    return refused(`the folder ${dirname(file)} does not exist: create it, or name another file`);
  let takenBy: string | undefined;
  const lost = (by: string): void => {
    takenBy ??= by;
  };
  const lock = await lockFile(`${file}.lock`, { signal: asking.signal, lost });
  if (lock.kind === 'taken')
    return refused(`${file} is being written by another export (${lock.by}): wait for its end, or name another file`);
  // Also where it has the lock again: the file has gone on without it.
  const keepOff = async (): Promise<void> => {
    if ((await lock.isHeld()) && takenBy === undefined) return;
    throw new FileTouched(`another export took it over (${takenBy ?? 'a process that is not known'}): wait for its end`);
  };
  try {
    // Stopped while it waited for a sign of life of another one: the file may be that one's.
    if (asking.signal.aborted && !(await lock.isHeld())) return interrupted(options.first);
    return await exportLocked(options, keepOff);
  } finally {
    await lock.release();
  }
};

/** `keepOff`: throws where the file is not ours any more; to be called before each write. */
const exportLocked = async (options: ExportOptions, keepOff: () => Promise<void>): Promise<Exported> => {
  const start = await startOf(options);
  if (start.kind !== 'ready') return start;
  const { checkpoint, resumed, exists } = start;
  await keepOff();
  // The checkpoint first: a file without one is never ours.
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
    // The file first, again.
    await rm(options.file, { force: true });
    await removeCheckpoint(options.file);
  }
  return end.kind === 'done' && resumed ? { ...end, resumedAt: checkpoint.next } : end;
};

/** The lines as they come, to whoever takes them: nothing is kept for another try. */
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
  await tidyReplaced(checkpointFile(file));
  const read = await readCheckpoint(file);
  const beside = checkpointFile(file);
  if (read.kind === 'newer')
    return refused(
      `${beside} was written by a newer snowgauge (format ${read.version}; this one reads up to ${read.reads}): use that version, or remove it and ${file}, and start again`,
    );
  if (read.kind === 'unreadable')
    return refused(`${beside} is not the progress of an export: remove it and ${file}, and start again`);
  if (read.kind === 'none' && exists)
    return refused(`${file} exists, and no export of it was interrupted: remove it, or name another file`);
  // Where nothing is safe yet there is nothing to go on with, and any export may begin.
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

/** The last container in the file must be the one that the node has under its number. */
const otherNetwork = async (asking: Asking, { next, lastId }: Checkpoint, file: string): Promise<Exported | undefined> => {
  if (lastId === undefined) return undefined;
  const number = next - 1n;
  const asked = await asking.ask(containerAt(number));
  if (asked.kind === 'failed') return { kind: 'interrupted', next, failure: asked.failure };
  if (asked.value.id === lastId) return undefined;
  const reason = `container ${number} of this node differs from the last one in ${file}: was that exported from another network?`;
  return { kind: 'refused', reason };
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
