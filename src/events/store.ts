// The event history on disk: appended and synced in the background and in order, bounded, and never in the way of the exporter. A disk
// that is full or read-only is tried again until it takes what waits.

import type { Log } from '../log.ts';
import { within } from '../pause.ts';
import { codeOf } from '../text.ts';
import { createDiskShare } from './disk-share.ts';
import type { Draft } from './record.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { fileBounds } from './segments.ts';

const defaults = {
  /** Of all files. */
  maxBytes: fileBounds.bytes,
  /** The part of them that one target may write within an hour: with two that always do, the files hold half a day. */
  share: 1 / 32,
  /** After a write that failed. */
  retryMs: 10_000,
  /** How long the end may wait for the disk. */
  closeMs: 500,
  /** Most records that wait for the disk; then the oldest of them are given up. */
  maxWaiting: 5000,
};

/** `run`: of this run alone. */
export type StoreOptions = Readonly<{ folder: string; run: string } & Partial<typeof defaults>>;

export interface StoreDependencies {
  readonly now: () => number;
  readonly log: Log;
  /** False where the folder is another's: somebody else says so. */
  readonly mayWrite?: (() => Promise<boolean>) | undefined;
}

export interface StoreTally {
  /** Records that are on disk for certain. */
  readonly written: number;
  /** Writes that failed, each tried again. */
  readonly writeFailures: number;
  /** Records given up, because too many waited for a disk that did not take them. */
  readonly lost: number;
  /** Records beyond the share of their target, which are in memory only. */
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
  let failing = false;
  let working: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;

  const keep = (lines: readonly string[]): void => {
    waiting = lines.slice(-maxWaiting);
    const lost = lines.length - waiting.length;
    if (lost > 0) tally = { ...tally, lost: tally.lost + lost };
  };
  const say = (error: unknown): void => {
    const fields = { folder, error: codeOf(error) };
    if (!failing) log.error(fields, 'event history not written: kept in memory, retrying');
    failing = true;
  };
  const again = (batch: readonly string[]): void => {
    keep([...batch, ...waiting]);
    tally = { ...tally, writeFailures: tally.writeFailures + 1 };
    // Waits for nothing else: an exporter that ends does not stay for it.
    retry = setTimeout(work, retryMs).unref();
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      try {
        if (!(await writer.write(batch))) return again(batch);
      } catch (error) {
        say(error);
        return again(batch);
      }
      tally = { ...tally, written: tally.written + batch.length };
      if (failing) log.info({ folder }, 'event history written again');
      failing = false;
    }
  };
  const work = (): void => {
    clearTimeout(retry);
    retry = undefined;
    working ??= drain().finally(() => {
      working = undefined;
    });
  };

  return {
    /** Takes records with their lines at once and writes them in its own time. */
    append: (records: readonly { readonly record: Draft; readonly line: string }[]): void => {
      const taken = records.filter(({ record, line }) => isWithinShare(record, Buffer.byteLength(line)));
      const withheld = records.length - taken.length;
      if (withheld > 0) tally = { ...tally, withheld: tally.withheld + withheld };
      keep([...waiting, ...taken.map(({ line }) => line)]);
      // While the disk fails it is not asked at every transition.
      if (retry === undefined) work();
    },
    /** A new object when a number changed. */
    tally: (): StoreTally => tally,
    /** Resolves when everything taken is written, or the time is up. */
    close: async (): Promise<void> => {
      const last = async (): Promise<void> => {
        await working;
        if (waiting.length > 0) {
          work();
          await working;
        }
        clearTimeout(retry);
        await writer.close();
      };
      await within(last(), closeMs / 1000);
      if (waiting.length > 0) log.warn({ folder, records: waiting.length }, 'event history not fully written before exit');
    },
  };
};
