// The watch of the configuration file, in a ConfigMap volume of the kubelet or written by an editor.

import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readText } from '../../src/commands/read-text.ts';
import type { ConfigText } from '../../src/config/load.ts';
import { type Watching, type WatchPace, watchFile, watchFolder } from '../../src/config/watch.ts';
import { silentLog } from '../../src/log.ts';
import { listeningLog } from '../support/events.ts';
import { mount } from '../support/mounted.ts';
import { patience } from '../support/run-process.ts';

/** Polls once an hour, so that only inotify events can find a change. */
const byEvents: WatchPace = { everyMs: 3_600_000, settleMs: 20, maxReads: 20 };
const byPolling: WatchPace = { everyMs: 50, settleMs: 20, maxReads: 20 };

interface Watched extends Watching {
  /** Every content passed to `changed`. */
  readonly taken: readonly ConfigText[];
  readonly stop: () => Promise<void>;
}

const watched = async (
  file: string,
  pace: WatchPace,
  accepts: (read: ConfigText) => boolean = () => true,
  read = readText,
): Promise<Watched> => {
  const stop = new AbortController();
  const taken: ConfigText[] = [];
  const watching = watchFile({
    file,
    readFile: read,
    loaded: await readText(file),
    changed: async (read) => {
      taken.push(read);
      return accepts(read);
    },
    log: silentLog,
    signal: stop.signal,
    pace,
  });
  const end = (): Promise<void> => {
    stop.abort();
    return watching.finished;
  };
  onTestFinished(end);
  return { ...watching, taken, stop: end };
};

const folderOf = async (text: string): Promise<{ readonly folder: string; readonly file: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'snowgauge.yaml');
  await writeFile(file, text);
  return { folder, file };
};

const texts = (taken: readonly ConfigText[]): readonly string[] =>
  taken.map((read) => (read.kind === 'ok' ? read.text : `(${read.reason})`));

describe.each([
  { by: 'events', pace: byEvents },
  { by: 'polling', pace: byPolling },
])('with $by, the watch finds', ({ pace }) => {
  test('each update of a mounted ConfigMap', async () => {
    const mounted = await mount({ 'snowgauge.yaml': 'one' });
    const { taken } = await watched(mounted.path('snowgauge.yaml'), pace);
    for (const text of ['two', 'three', 'four']) {
      await mounted.swap({ 'snowgauge.yaml': text });
      await expect.poll(() => texts(taken).at(-1), patience).toBe(text);
    }
    expect(texts(taken)).toEqual(['two', 'three', 'four']);
  });

  test('a file replaced by an editor', async () => {
    const { folder, file } = await folderOf('one');
    const { taken } = await watched(file, pace);
    await writeFile(join(folder, 'next'), 'two');
    await rename(join(folder, 'next'), file);
    await expect.poll(() => texts(taken), patience).toEqual(['two']);
  });

  test('the removal and return of a file', async () => {
    const { file } = await folderOf('one');
    const { taken } = await watched(file, pace, ({ kind }) => kind === 'ok');
    await rm(file);
    await expect.poll(() => texts(taken).at(-1), patience).toBe('(there is no such file)');
    await writeFile(file, 'two');
    await expect.poll(() => texts(taken).at(-1), patience).toBe('two');
  });
});

test('a recreated folder is watched again', async () => {
  const { folder, file } = await folderOf('one');
  const { taken } = await watched(file, { ...byPolling, everyMs: 100 });
  await rm(folder, { recursive: true });
  await expect.poll(() => texts(taken).at(-1), patience).toBe('(there is no such file)');
  await mkdir(folder);
  await writeFile(file, 'two');
  await expect.poll(() => texts(taken).at(-1), patience).toBe('two');
});

test('a missing folder is logged once, with the polling interval', async () => {
  const { log, said } = listeningLog();
  const { renew, close } = watchFolder('/does/not/exist', () => undefined, log, 'its files every 5s');
  renew();
  renew();
  close();
  expect(said).toEqual([
    expect.objectContaining({
      message: 'directory does not exist, polling its files every 5s',
      fields: { directory: '/does/not/exist', error: 'ENOENT' },
    }),
  ]);
});

test('each loss of a folder is logged', async () => {
  const { folder } = await folderOf('one');
  const { log, said } = listeningLog();
  const { renew, close } = watchFolder(folder, () => undefined, log, 'its files every 5s');
  onTestFinished(close);
  for (const losses of [1, 2]) {
    renew();
    await rm(folder, { recursive: true });
    renew();
    renew();
    expect(said).toHaveLength(losses);
    await mkdir(folder);
  }
});

test('a file written in parts is read once it is complete', async () => {
  const { file } = await folderOf('one');
  const parts = ['t', 'w', 'o'];
  // Appends one part before each read, so that the watch sees all three and must not take the first two.
  const { taken } = await watched(file, byPolling, undefined, async (path) => {
    if ((await readFile(path, 'utf8')) !== 'one') await appendFile(path, parts.shift() ?? '');
    return readText(path);
  });
  await writeFile(file, '');
  await expect.poll(() => texts(taken), patience).toEqual(['two']);
});

test('a file that keeps changing is taken after maxReads', async () => {
  const { file } = await folderOf('0');
  let reads = 0;
  const taken: ConfigText[] = [];
  const stop = new AbortController();
  const { finished } = watchFile({
    file,
    readFile: async () => {
      reads += 1;
      return { kind: 'ok', text: String(reads) };
    },
    loaded: { kind: 'ok', text: '0' },
    changed: async (read) => {
      taken.push(read);
      return true;
    },
    log: silentLog,
    signal: stop.signal,
    pace: { everyMs: 3_600_000, settleMs: 1, maxReads: 5 },
  });
  await expect.poll(() => texts(taken), patience).toEqual(['5']);
  stop.abort();
  await finished;
});

test('a rejected file is offered again, and loadNow offers an unchanged one', async () => {
  const { folder, file } = await folderOf('one');
  let accepted = true;
  const { taken, loadNow } = await watched(file, byPolling, () => accepted);
  accepted = false;
  // Replaced atomically: a file written in place is briefly empty.
  await writeFile(join(folder, 'next'), 'two');
  await rename(join(folder, 'next'), file);
  await expect.poll(() => taken.length, patience).toBeGreaterThan(3);
  accepted = true;
  const before = taken.length;
  await expect.poll(() => taken.length, patience).toBeGreaterThan(before);
  const settled = taken.length;
  loadNow();
  await expect.poll(() => taken.length, patience).toBe(settled + 1);
  expect(new Set(texts(taken))).toEqual(new Set(['two']));
});

/** The number of these folders that this process watches, by inode, because other tests watch other folders. */
const watchedOf = async (folders: readonly string[]): Promise<number> => {
  const inodes = await Promise.all(folders.map(async (folder) => (await stat(folder, { bigint: true })).ino.toString(16)));
  const handles = await readdir('/proc/self/fdinfo');
  const infos = await Promise.allSettled(handles.map((handle) => readFile(`/proc/self/fdinfo/${handle}`, 'utf8')));
  const text = infos.map((info) => (info.status === 'fulfilled' ? info.value : '')).join('\n');
  return inodes.filter((inode) => new RegExp(`^inotify .*ino:${inode} `, 'm').test(text)).length;
};

test.runIf(process.platform === 'linux')('a stopped watch removes its inotify watches', async () => {
  const places = await Promise.all(Array.from({ length: 20 }, () => folderOf('one')));
  const folders = places.map(({ folder }) => folder);
  const all = await Promise.all(places.map(({ file }) => watched(file, byPolling)));
  expect(await watchedOf(folders)).toBe(20);
  for (const { stop } of all) await stop();
  expect(await watchedOf(folders)).toBe(0);
});
