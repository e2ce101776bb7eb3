// Foreign files in the folder of the event history: they are read in linear time and in small pieces, what is too long is cut
// or skipped, and odd file names do no harm.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openEventHistory } from '../../src/events/open.ts';
import { recordLimits } from '../../src/events/record.ts';
import { fileBounds } from '../../src/events/segments.ts';
import { silentLog } from '../../src/log.ts';
import { bundle } from '../support/bundle.ts';
import { draft, listeningLog, recordsOnDisk, temporaryFolder } from '../support/events.ts';
import { noon } from '../support/snapshot.ts';

const line = (id: string, over: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ id, kind: 'check', at: '2026-11-20T12:00:00.000Z', target: 'node', check: 'P', to: 'failing', ...over })}\n`;

const stateWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const stateDir = await temporaryFolder();
  await mkdir(join(stateDir, 'events'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(stateDir, 'events', name), text);
  return stateDir;
};

const opened = (stateDir: string, log = silentLog, over: object = {}) =>
  openEventHistory({ stateDir, run: 'run9', closeMs: 60_000, ...over }, { now: () => noon, log });

test('60,000 target names in one file are read in time, without blocking the event loop', async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => line(`a-${at}`, { target: `target-${at}`, error: 'x'.repeat(120) }));
  const stateDir = await stateWith({ 'events-1700000000000-a.ndjson': lines.join('') });
  let turns = 0;
  let isOpen = false;
  const counting = (async () => {
    for (; !isOpen; turns += 1) await turn();
  })();
  // Enough for a busy machine.
  const history = await opened(stateDir, silentLog, { readSeconds: 280 });
  isOpen = true;
  await counting;
  // Files are read in pieces of 64 KiB.
  expect(turns).toBeGreaterThan(lines.join('').length / 65_536);
  expect(history.records().at(-1)?.target).toBe('target-59999');
  await history.close();
});

test.each([
  ['a target', { target: 'x'.repeat(900_000) }],
  ['an id', { id: 'x'.repeat(900_000) }],
  ['a check name', { check: 'x'.repeat(900_000) }],
])('a record with %s of 900 KB is skipped, and the records around it are read', async (_, over) => {
  const stateDir = await stateWith({ 'events-1700000000000-a.ndjson': line('a-1') + line('a-2', over) + line('a-3') });
  const { said, log } = listeningLog();
  const history = await opened(stateDir, log);
  expect(history.records().map(({ id }) => id)).toEqual(['a-1', 'a-3']);
  expect(said.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { records: 1, line: 2 } }]);
  await history.close();
});

test('fields that are longer than the limits of written records are cut to them', async () => {
  const long = 'x'.repeat(3000);
  const names = [long, long];
  const over = { check: long, from: long, to: long, message: long, error: long, tagSets: ['a'.repeat(3000)], alsoFailing: names };
  const stateDir = await stateWith({ 'events-1700000000000-a.ndjson': line('a-1', over) });
  const history = await opened(stateDir);
  const [record] = history.records();
  for (const name of [record?.check, record?.from, record?.to, ...(record?.tagSets ?? []), ...(record?.alsoFailing ?? [])])
    expect(name).toHaveLength(recordLimits.name);
  expect([record?.message?.length, record?.error?.length]).toEqual([recordLimits.message, recordLimits.error]);
  await history.close();
});

test.each(['9999999999999', '99999999999999999999'])(
  'a file with the timestamp %s does not hide later files, and is deleted first',
  async (stamp) => {
    const odd = `events-${stamp}-a.ndjson`;
    const stateDir = await stateWith({ [odd]: line('a-1'), 'events-1700000000000-a.ndjson': line('a-2') });
    const first = await opened(stateDir);
    expect(first.records().map(({ id }) => id)).toEqual(['a-1', 'a-2']);
    first.add([draft(1)]);
    await first.close();
    const second = await opened(stateDir, silentLog, { run: 'run10', maxBytes: 1200, share: Number.POSITIVE_INFINITY });
    expect(second.records().map(({ id }) => id)).toEqual(['a-1', 'a-2', 'run9-1']);
    for (let at = 1; at <= 8; at += 1) {
      second.add([draft(at)]);
      await expect.poll(() => second.tally()?.written, { interval: 5 }).toBe(at);
    }
    await second.close();
    const left = await readdir(join(stateDir, 'events'));
    expect(left).not.toContain(odd);
    expect(left.some((name) => name.includes('-run10.'))).toBe(true);
  },
);

test('links to files and folders are neither read nor written through', async () => {
  const elsewhere = await temporaryFolder();
  await writeFile(join(elsewhere, 'secret'), line('a-1'));
  const stateDir = await stateWith({});
  await symlink(join(elsewhere, 'secret'), join(stateDir, 'events', 'events-1700000000000-a.ndjson'));
  const first = await opened(stateDir);
  expect(first.records()).toEqual([]);
  await first.close();

  await rm(join(stateDir, 'events'), { recursive: true });
  await symlink(elsewhere, join(stateDir, 'events'));
  const { said, log } = listeningLog();
  const second = await opened(stateDir, log, { retryMs: 5 });
  second.add([draft(1)]);
  await expect.poll(() => second.tally()?.writeFailures).toBeGreaterThan(1);
  expect(await readdir(elsewhere)).toEqual(['secret']);
  expect(said.map(({ fields }) => fields.error)).toEqual([
    `${join(stateDir, 'events')} is a symbolic link: put a directory in its place`,
  ]);
  await rename(join(stateDir, 'events'), join(stateDir, 'link'));
  await expect.poll(() => second.tally()?.written).toBe(1);
  await second.close();
});

test('folder and files are accessible only by their owner', async () => {
  const stateDir = join(await temporaryFolder(), 'made');
  const history = await opened(stateDir);
  history.add([draft(1)]);
  await history.close();
  const [file = ''] = await readdir(join(stateDir, 'events'));
  const modes = [stateDir, join(stateDir, 'events'), join(stateDir, 'events', file)].map(
    async (path) => (await stat(path)).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
  expect(await readFile(join(stateDir, 'events', file), 'utf8')).toContain('run9-1');
});

test('an aborted signal stops the reading of the history', async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => line(`a-${at}`));
  const stateDir = await stateWith({ 'events-1700000000000-a.ndjson': lines.join('') });
  const history = await openEventHistory(
    { stateDir, run: 'run9' },
    { now: () => noon, log: silentLog, signal: AbortSignal.abort() },
  );
  expect(history.records()).toEqual([]);
  await history.close();
});

test('SIGTERM while a file of maximum size is read ends the process, without a lock and with the history unchanged', async () => {
  const stateDir = await stateWith({});
  const history = join(stateDir, 'events', 'events-1700000000000-a.ndjson');
  const one = line('a-000000', { error: 'x'.repeat(20) });
  const count = Math.floor(fileBounds.bytes / one.length);
  const text = Array.from({ length: count }, (_, at) => one.replace('000000', String(at).padStart(6, '0'))).join('');
  await writeFile(history, text);
  const file = join(stateDir, 'snowgauge.json');
  await writeFile(file, JSON.stringify({ stateDir, targets: [{ name: 'node', url: 'http://127.0.0.1:1' }] }));
  const child = spawn(process.execPath, [bundle, 'run', '--config', file, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const closed = once(child, 'close');
  // The lock is taken before anything is read.
  await expect
    .poll(() => existsSync(join(stateDir, 'lock')) || child.exitCode !== null, { timeout: 280_000, interval: 5 })
    .toBe(true);
  child.kill('SIGTERM');
  expect(await closed, log).toEqual([0, null]);
  const [, loaded = 0] = /"records":(\d+),"msg":"event history of earlier runs loaded"/.exec(log) ?? [];
  expect(Number(loaded), log).toBeLessThan(count / 2);
  expect(await readdir(stateDir)).toEqual(['events', 'snowgauge.json']);
  expect((await readFile(history, 'utf8')) === text).toBe(true);
});

test('two nodes with flapping checks do not displace the records of others or their own conditions on disk', async () => {
  const stateDir = await temporaryFolder();
  const { said, log } = listeningLog();
  let now = noon;
  const options = { stateDir, run: 'run1', maxBytes: 640_000, closeMs: 60_000 };
  const history = await openEventHistory(options, { now: () => now, log });
  const flood = () => {
    for (const target of ['flaps', 'flutters'])
      history.add(Array.from({ length: 1000 }, (_, at) => draft(at, { target, error: 'x'.repeat(1000) })));
  };
  history.add(Array.from({ length: 20 }, (_, at) => draft(at, { target: `honest-${at}` })));
  flood();
  history.add([{ kind: 'condition', at: noon, target: 'flaps', condition: 'Ready', from: 'True', to: 'False' }]);
  flood();
  const inMemory = history.records('flaps').length;
  now += 3600;
  history.add([draft(3600, { target: 'flaps' })]);
  await history.close();

  const onDisk = await recordsOnDisk(join(stateDir, 'events'));
  expect(onDisk.filter(({ target }) => target.startsWith('honest'))).toHaveLength(20);
  const own = onDisk.filter(({ target }) => target === 'flaps');
  expect(own.slice(-2).map(({ kind, at }) => [kind, at - noon])).toEqual([
    ['condition', 0],
    ['check', 3600],
  ]);
  // Half of a 32nd of maxBytes, in records of more than 1000 bytes; and the two.
  expect(own.length).toBeLessThan(10 + 2);
  expect(inMemory).toBe(1000);
  // All added records that are not on disk.
  expect(history.tally()?.withheld).toBe(20 + 4000 + 2 - onDisk.length);
  expect(said.filter(({ level }) => level === 'warn').map(({ fields }) => fields.target)).toEqual(['flaps', 'flutters']);
});
