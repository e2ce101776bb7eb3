// Watches a configuration file, and reports when its content has changed.
//
// It watches the folder and compares the content, because a mounted ConfigMap is updated by renaming the link `..data`: the file's inode and its
// entry in the folder stay the same. If there are no events (no inotify watches left, some network file systems), the file is read every few
// seconds.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import { codeOf } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { ConfigText } from './load.ts';

export interface WatchOptions {
  readonly file: string;
  readonly readFile: (file: string) => Promise<ConfigText>;
  /** The content when the file was last loaded. */
  readonly loaded: ConfigText;
  /**
   * Called with the new content. Resolves to false if it cannot be used: then it is called again after each read, because a file of secrets
   * that the configuration names may be created later.
   */
  readonly changed: (read: ConfigText) => Promise<boolean>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pace?: Partial<WatchPace>;
}

export interface WatchPace {
  /** Time between two reads without an event. */
  readonly everyMs: number;
  /** The content must stay the same for this time, because an editor empties a file before it writes. */
  readonly settleMs: number;
  /** After this number of reads, a file that keeps changing is used as it is. */
  readonly maxReads: number;
}

const defaultPace: WatchPace = { everyMs: 5000, settleMs: 100, maxReads: 20 };

export interface Watching {
  /** Loads the file, even if it has not changed. */
  readonly loadNow: () => void;
  /** Resolves after the signal, when the current read has ended. Rejects if `changed` or `readFile` throws, which is a bug. */
  readonly finished: Promise<void>;
}

const same = (a: ConfigText, b: ConfigText): boolean =>
  a.kind === 'ok' ? b.kind === 'ok' && a.text === b.text : b.kind === 'failed' && a.reason === b.reason;

interface SettleOptions extends Partial<Omit<WatchPace, 'everyMs'>> {
  readonly readFile: (file: string) => Promise<ConfigText>;
  /** Content that was read before, and is accepted at once. */
  readonly known?: ConfigText;
  readonly signal: AbortSignal;
}

export type EmptiedCheck = (text: string) => boolean;

export const emptiedConfig: ConfigError = { path: '', message: 'is empty: write {} for the defaults' };

const hasContent = (text: string): boolean => text.split('\n').some((line) => !/^\s*(?:#|---\s*$|$)/.test(line));

/**
 * `generate > FILE` empties the file first, or begins with a comment. Returns a function that is true for a text without content after one
 * with content: it would be loaded as the defaults.
 */
export const createEmptiedCheck = (first = ''): EmptiedCheck => {
  let hadContent = hasContent(first);
  return (text) => {
    const isEmpty = !hasContent(text);
    hadContent ||= !isEmpty;
    return hadContent && isEmpty;
  };
};

/** Reads a file that somebody may be writing: its content must be the same in two consecutive reads. */
export const settled = async (file: string, { readFile, known, signal, ...pace }: SettleOptions): Promise<ConfigText> => {
  const { settleMs, maxReads } = { ...defaultPace, ...pace };
  let before = await readFile(file);
  for (let reads = 1; reads < maxReads && !signal.aborted; reads += 1) {
    if (known !== undefined && same(before, known)) return before;
    await pause(settleMs / 1000, signal);
    const now = await readFile(file);
    if (same(before, now)) return now;
    before = now;
  }
  return before;
};

export const watchFile = ({ file, readFile, loaded, changed, log, signal, pace }: WatchOptions): Watching => {
  const { everyMs, settleMs, maxReads } = { ...defaultPace, ...pace };
  const folder = watchFolder(dirname(file), () => onEvent(), log, `the configuration file every ${everyMs / 1000}s`);
  let known = loaded;
  let accepted = true;
  let requested: 'no' | 'if-changed' | 'anyway' = 'no';
  let timer: NodeJS.Timeout | undefined;
  let eventTimer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let fail: (fault: unknown) => void = () => undefined;

  const work = async (): Promise<void> => {
    while (requested !== 'no' && !signal.aborted) {
      const anyway = requested === 'anyway';
      requested = 'no';
      const read = await settled(file, { readFile, known, signal, settleMs, maxReads });
      if (signal.aborted || (accepted && !anyway && same(read, known))) continue;
      known = read;
      accepted = await changed(read);
    }
  };
  const observe = (why: 'if-changed' | 'anyway'): void => {
    if (signal.aborted) return;
    if (requested !== 'anyway') requested = why;
    working ??= work()
      .catch(fail)
      .finally(() => {
        working = undefined;
      });
  };
  /** Many events cause only a few reads per second. */
  const onEvent = (): void => {
    eventTimer ??= setTimeout(() => {
      eventTimer = undefined;
      observe('if-changed');
    }, settleMs);
  };
  const tick = (): void => {
    folder.renew();
    observe('if-changed');
    timer = setTimeout(tick, everyMs);
  };

  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const stop = (): void => {
      clearTimeout(timer);
      clearTimeout(eventTimer);
      folder.close();
      void Promise.resolve(working).then(() => resolve());
    };
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    tick();
  });
  return { loadNow: () => observe('anyway'), finished };
};

export interface Folder {
  /** Watches again if the folder was replaced, or did not exist. */
  readonly renew: () => void;
  readonly close: () => void;
}

/** `instead`: for the log, what is read without events, and how often. */
export const watchFolder = (path: string, onEvent: () => void, log: Log, instead: string): Folder => {
  let watcher: FSWatcher | undefined;
  let inode: bigint | undefined;
  let loggedCode: string | undefined;

  const close = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const lost = (error: unknown): void => {
    close();
    const code = codeOf(error);
    const what = code === 'ENOENT' ? 'directory does not exist' : 'inotify unavailable';
    if (code !== loggedCode) log.warn({ directory: path, error: code }, `${what}, polling ${instead}`);
    loggedCode = code;
  };
  const renew = (): void => {
    try {
      const { ino } = statSync(path, { bigint: true });
      if (watcher !== undefined && ino === inode) return;
      close();
      inode = ino;
      watcher = watch(path, onEvent);
      watcher.on('error', lost);
      loggedCode = undefined;
    } catch (error) {
      lost(error);
    }
  };
  return { renew, close };
};
