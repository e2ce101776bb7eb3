// Watches the configuration's file, and tells when it holds something else than before.
//
// What is watched is the folder, and what is compared is the content: a mounted ConfigMap is changed by renaming the link `..data`
// to another folder, so that neither the file's own inode nor its folder's entry for it ever changes. Where the system gives no
// events (no inotify left, some network file systems) a look every few seconds finds the change all the same.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { ConfigText } from './load.ts';

export interface WatchOptions {
  readonly file: string;
  readonly readFile: (file: string) => Promise<ConfigText>;
  /** What the file held when it was last loaded. */
  readonly loaded: ConfigText;
  /**
   * Takes what the file holds now; resolves to false while that cannot be used. It is asked again at each look as long as it is
   * refused: a file of secrets that the configuration names may come later.
   */
  readonly changed: (read: ConfigText) => Promise<boolean>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pace?: Partial<WatchPace>;
}

export interface WatchPace {
  /** Between two looks that no event asks for. */
  readonly everyMs: number;
  /** A file must hold the same for so long: an editor empties it before it writes. */
  readonly settleMs: number;
  /** A file that never settles is taken as it is after so many looks. */
  readonly maxReads: number;
}

const defaultPace: WatchPace = { everyMs: 5000, settleMs: 100, maxReads: 20 };

export interface Watching {
  /** Loads what the file holds, whether it is another or not. */
  readonly loadNow: () => void;
  /** Resolves after the signal, when nothing of it is left running; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

const same = (a: ConfigText, b: ConfigText): boolean =>
  a.kind === 'ok' ? b.kind === 'ok' && a.text === b.text : b.kind === 'failed' && a.reason === b.reason;

interface SettleOptions extends Partial<Omit<WatchPace, 'everyMs'>> {
  readonly readFile: (file: string) => Promise<ConfigText>;
  /** What is taken at once: it was read before. */
  readonly known?: ConfigText;
  readonly signal: AbortSignal;
}

/** What a file holds that somebody may be writing: the same at two looks in a row. */
export const settled = async (file: string, { readFile, known, signal, ...pace }: SettleOptions): Promise<ConfigText> => {
  const { settleMs, maxReads } = { ...defaultPace, ...pace };
  let before = await readFile(file);
  for (let looks = 1; looks < maxReads && !signal.aborted; looks += 1) {
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
  const folder = watchFolder(dirname(file), () => heard(), log, `the configuration file every ${everyMs / 1000}s`);
  let known = loaded;
  let accepted = true;
  let wanted: 'no' | 'if-changed' | 'anyway' = 'no';
  let timer: NodeJS.Timeout | undefined;
  let hearing: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let fail: (fault: unknown) => void = () => undefined;

  const work = async (): Promise<void> => {
    while (wanted !== 'no' && !signal.aborted) {
      const anyway = wanted === 'anyway';
      wanted = 'no';
      const read = await settled(file, { readFile, known, signal, settleMs, maxReads });
      if (signal.aborted || (accepted && !anyway && same(read, known))) continue;
      known = read;
      accepted = await changed(read);
    }
  };
  const observe = (why: 'if-changed' | 'anyway'): void => {
    if (signal.aborted) return;
    if (wanted !== 'anyway') wanted = why;
    working ??= work()
      .catch(fail)
      .finally(() => {
        working = undefined;
      });
  };
  /** Of however many events, some looks a second. */
  const heard = (): void => {
    hearing ??= setTimeout(() => {
      hearing = undefined;
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
      clearTimeout(hearing);
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
  /** Watches again where the folder is another one by now, or was not there. */
  readonly renew: () => void;
  readonly close: () => void;
}

/** `instead`: what is looked at, and how often, where there are no events. */
export const watchFolder = (path: string, heard: () => void, log: Log, instead: string): Folder => {
  let watcher: FSWatcher | undefined;
  let inode: bigint | undefined;
  let said: string | undefined;

  const close = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const lost = (error: unknown): void => {
    close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const what = code === 'ENOENT' ? 'folder does not exist' : 'inotify unavailable';
    if (code !== said) log.warn({ folder: path, error: code }, `${what}, polling ${instead}`);
    said = code;
  };
  const renew = (): void => {
    try {
      const { ino } = statSync(path, { bigint: true });
      if (watcher !== undefined && ino === inode) return;
      close();
      inode = ino;
      watcher = watch(path, heard);
      watcher.on('error', lost);
    } catch (error) {
      lost(error);
    }
  };
  return { renew, close };
};
