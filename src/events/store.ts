// The event history on disk. Records are appended and synced in the background, in order and within limits, and never block the exporter.
// If the disk is full or read-only, the write is retried until it succeeds.

import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { codeOf } from '../text.ts';
import { createDiskShare } from './disk-share.ts';
import type { Draft } from './record.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { fileBounds } from './segments.ts';

const defaults = {
  /** Total size of all files. */
  maxBytes: fileBounds.bytes,
  /** Fraction of `maxBytes` that one target may write per hour. Two targets at this limit leave a history of half a day. */
  share: 1 / 32,
  /** Delay after a failed write. */
  retryMs: 10_000,
  /** How long shutdown waits for the disk. */
  closeMs: 500,
  /** Size of the write queue, in records; if it is full, the oldest ones are dropped. */
  maxWaiting: 5000,
};

/** `run`: unique name of this run. */
export type StoreOptions = Readonly<{ folder: string; run: string } & Partial<typeof defaults>>;

export interface StoreDependencies {
  readonly now: () => number;
  readonly log: Log;
  /** False if another process uses the folder; state-lock.ts logs that. */
  readonly mayWrite?: (() => Promise<boolean>) | undefined;
}

export interface StoreTally {
  /** Records that are written and synced. */
  readonly written: number;
  /** Failed writes; each is retried. */
  readonly writeFailures: number;
  /** Records dropped because the write queue was full. */
  readonly lost: number;
  /** Records beyond the hourly limit of their target, kept in memory only. */
  readonly withheld: number;
}

export type EventStore = ReturnType<typeof openStore>;

const batchSize = 500;

export const openStore = (options: StoreOptions, { now, log, mayWrite }: StoreDependencies) => {
  const { folder, maxBytes, share, retryMs, closeMs, maxWaiting } = { ...defaults, ...options };
  let isStuck = false;
  const onStuck = (file: string, error: unknown): void => {
    const message = `event history: an old file cannot be deleted, newer ones are deleted in its place: remove ${file}, or let this user delete it`;
    if (!isStuck) log.error({ file, error: codeOf(error) }, message);
    isStuck = true;
  };
  const writer = createSegmentWriter({ ...options, maxBytes, now, mayWrite, onStuck });
  const isWithinShare = createDiskShare(share * maxBytes, { now, log });
  let tally: StoreTally = { written: 0, writeFailures: 0, lost: 0, withheld: 0 };
  let waiting: string[] = [];
  /** Number of records in the current write, which are no longer in `waiting`. */
  let inWrite = 0;
  /** Why the last write failed; undefined if it did not. */
  let fault: string | undefined;
  let writing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;

  const queue = (lines: readonly string[]): void => {
    waiting = lines.slice(-maxWaiting);
    const lost = lines.length - waiting.length;
    if (lost > 0) tally = { ...tally, lost: tally.lost + lost };
  };
  const logFailure = (error: unknown): void => {
    const code = codeOf(error);
    if (fault === undefined) log.error({ directory: folder, error: code }, 'event history not written: kept in memory, retrying');
    fault = `${folder} cannot be written (${code}): the event history is kept in memory, and lost with a restart`;
  };
  const retryLater = (batch: readonly string[]): void => {
    queue([...batch, ...waiting]);
    tally = { ...tally, writeFailures: tally.writeFailures + 1 };
    // Unreferenced: it must not keep a stopping process alive.
    retry = setTimeout(startWriting, retryMs).unref();
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      inWrite = batch.length;
      try {
        if (!(await writer.write(batch))) return retryLater(batch);
      } catch (error) {
        logFailure(error);
        return retryLater(batch);
      } finally {
        inWrite = 0;
      }
      tally = { ...tally, written: tally.written + batch.length };
      if (fault !== undefined) log.info({ directory: folder }, 'event history written again');
      fault = undefined;
    }
  };
  const startWriting = (): void => {
    clearTimeout(retry);
    retry = undefined;
    writing ??= drain().finally(() => {
      writing = undefined;
    });
  };

  return {
    /** Queues records with their lines, and writes them in the background. */
    append: (records: readonly { readonly record: Draft; readonly line: string }[]): void => {
      const taken = records.filter(({ record, line }) => isWithinShare(record, Buffer.byteLength(line)));
      const withheld = records.length - taken.length;
      if (withheld > 0) tally = { ...tally, withheld: tally.withheld + withheld };
      queue([...waiting, ...taken.map(({ line }) => line)]);
      // After a failure, wait for the retry instead of writing at every transition.
      if (retry === undefined) startWriting();
    },
    /** A new object whenever a number has changed. */
    tally: (): StoreTally => tally,
    fault: (): string | undefined => fault,
    /** Resolves when the queue is written, or after `closeMs`. */
    close: async (): Promise<void> => {
      const last = async (): Promise<void> => {
        await writing;
        if (waiting.length > 0) {
          startWriting();
          await writing;
        }
        clearTimeout(retry);
        await writer.close();
      };
      await within(last(), closeMs / 1000);
      const records = inWrite + waiting.length;
      if (records > 0) log.warn({ directory: folder, records }, 'event history not fully written before exit');
    },
  };
};
