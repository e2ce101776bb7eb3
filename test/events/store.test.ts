// The event history on a real disk: reading it back, after a crash, with garbage, with a second exporter, and on a full disk.

import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventHistory } from '../../src/events/event-history.ts';
import { openEventHistory } from '../../src/events/open.ts';
import { eventKinds } from '../../src/events/record.ts';
import { makeRoom } from '../../src/events/segments.ts';
import { silentLog } from '../../src/log.ts';
import { draft, listeningLog, temporaryFolder } from '../support/events.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';
import { noon } from '../support/snapshot.ts';

type Options = Partial<Parameters<typeof openEventHistory>[0]>;

const opened = (stateDir: string, run: string, over: Options = {}, log = silentLog): Promise<EventHistory> =>
  openEventHistory({ stateDir, run, closeMs: 60_000, ...over }, { now: () => noon, log });

const written = (eventHistory: EventHistory, count: number): Promise<void> =>
  expect.poll(() => eventHistory.tally()?.written, { timeout: 280_000, interval: 5 }).toBe(count);

const files = async (stateDir: string): Promise<readonly string[]> =>
  (await readdir(join(stateDir, 'events'))).sort().map((name) => join(stateDir, 'events', name));

const only = async (stateDir: string): Promise<string> => {
  const [file = '', ...others] = await files(stateDir);
  expect(others).toEqual([]);
  return file;
};

test('a run reads the unchanged records of previous runs in order, and appends its own', async () => {
  const stateDir = await temporaryFolder();
  const full = {
    ...draft(1.5),
    unseen: true as const,
    message: 'a "reason"\n',
    error: '\u2028</script>\u0000é🙂',
    firstFailureAt: noon - 60,
    contiguousFailures: 3,
    lastRunAt: noon + 1.25,
    durationSeconds: 5e-6,
    missedRuns: 2,
    alsoFailing: ['P', '__proto__'],
    alsoFailingCount: 41,
  };
  const first = await opened(stateDir, 'run1');
  first.add([full, ...eventKinds.map((kind, at) => ({ kind, at: noon + 2 + at, target: 'other' }))]);
  await first.close();
  const second = await opened(stateDir, 'run2');
  expect(second.records()).toEqual(first.records());
  second.add([draft(9)]);
  await second.close();
  const third = await opened(stateDir, 'run3');
  expect(third.records().map(({ id }) => id)).toEqual([...first.records().map(({ id }) => id), 'run2-1']);
  await third.close();
  expect(await files(stateDir)).toHaveLength(2);
});

test('after a restart, a reader whose cursor is before records that were only in memory gets gap: true', async () => {
  const stateDir = await temporaryFolder();
  // One record fits into the hourly share of a target.
  const first = await opened(stateDir, 'run1', { maxBytes: 32_000 });
  first.add([draft(0, { target: 'a' })]);
  first.add(Array.from({ length: 3 }, (_, at) => draft(at, { target: 'a', error: 'x'.repeat(900) })));
  first.add([draft(9, { target: 'b' })]);
  expect(first.tally()?.withheld).toBe(3);
  await first.close();
  const second = await opened(stateDir, 'run2');
  const after = (cursor: string) => second.find({ targets: new Set(), checks: new Set(), limit: 9, since: { cursor } });
  expect(after('run1-1')).toMatchObject({ records: [{ id: 'run1-5' }], gap: true });
  expect(after('run1-5')).toMatchObject({ records: [], gap: false });
  await second.close();
});

test('malformed records are skipped with one log line, and the next record starts on a new line', async () => {
  const stateDir = await temporaryFolder();
  const first = await opened(stateDir, 'run1');
  first.add([draft(1), draft(2), draft(3)]);
  await first.close();
  const file = await only(stateDir);
  const [one = '', two = '', three = ''] = (await readFile(file, 'utf8')).split('\n');
  const garbage = ['{"id":"x"}', '[]', 'null', '\u0000\u0000', JSON.stringify({ ...JSON.parse(two), at: 'noon' })];
  await writeFile(file, [one, ...garbage, '', two, three.slice(0, 40)].join('\n'));
  await appendFile(file, Buffer.from([0xff, 0xfe]));

  const { said, log } = listeningLog();
  const second = await opened(stateDir, 'run2', {}, log);
  expect(second.records().map(({ id }) => id)).toEqual(['run1-1', 'run1-2']);
  expect(said.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', message: 'event history damaged: skipped malformed records', fields: { file, records: 5, line: 2 } },
  ]);
  expect(said.filter(({ message }) => message.endsWith('incomplete last record'))).toHaveLength(1);
  second.add([draft(4)]);
  await second.close();
  const third = await opened(stateDir, 'run3');
  expect(third.records().map(({ id }) => id)).toEqual(['run1-1', 'run1-2', 'run2-1']);
  await third.close();
});

test('a truncated file returns every complete line', async () => {
  const stateDir = await temporaryFolder();
  const first = await opened(stateDir, 'run1');
  first.add(Array.from({ length: 12 }, (_, at) => draft(at, { error: 'é'.repeat(at) })));
  await first.close();
  const file = await only(stateDir);
  const whole = await readFile(file);
  for (let cut = whole.length; cut > 0; cut -= 37) {
    await truncate(file, cut);
    const lines = whole.subarray(0, cut).toString().split('\n').length - 1;
    const again = await opened(stateDir, `cut${cut}`);
    const ids = again.records().map(({ id }) => id);
    expect(ids.slice(0, lines)).toEqual(Array.from({ length: lines }, (_, at) => `run1-${at + 1}`));
    // A last line that only lacks its line break is a record, too.
    expect(ids.length - lines).toBeLessThanOrEqual(1);
    await again.close();
  }
});

test('two exporters on one folder do not damage the records of each other, and the next one reads both', async () => {
  const stateDir = await temporaryFolder();
  const both = [await opened(stateDir, 'run1'), await opened(stateDir, 'run2')] as const;
  for (let at = 0; at < 100; at += 1) for (const eventHistory of both) eventHistory.add([draft(at)]);
  for (const eventHistory of both) await eventHistory.close();
  const { said, log } = listeningLog();
  const third = await opened(stateDir, 'run3', {}, log);
  for (const run of ['run1', 'run2']) {
    const own = third.records().filter(({ id }) => id.startsWith(`${run}-`));
    expect(own.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, at) => `${run}-${at + 1}`));
  }
  expect(said.filter(({ level }) => level !== 'info')).toEqual([]);
  await third.close();
});

test('a record that was written twice because its sync failed is read once', async () => {
  const stateDir = await temporaryFolder();
  const first = await opened(stateDir, 'run1');
  first.add([draft(1), draft(2)]);
  await first.close();
  const [, second = ''] = (await readFile(await only(stateDir), 'utf8')).split('\n');
  await writeFile(join(stateDir, 'events', 'events-8999999999998-run1.ndjson'), `${second}\n`);
  const next = await opened(stateDir, 'run2');
  expect(next.records()).toEqual(first.records());
  await next.close();
});

test('a file that is deleted while it is written is replaced by a new one', async () => {
  const stateDir = await temporaryFolder();
  const eventHistory = await opened(stateDir, 'run1');
  eventHistory.add([draft(1)]);
  await written(eventHistory, 1);
  await rm(await only(stateDir));
  eventHistory.add([draft(2)]);
  await eventHistory.close();
  expect((await readFile(await only(stateDir), 'utf8')).match(/"id":"[^"]*"/g)).toEqual(['"id":"run1-2"']);
});

test('the total file size stays within maxBytes, and the newest records are kept', async () => {
  const stateDir = await temporaryFolder();
  const maxBytes = 40_000;
  const eventHistory = await opened(stateDir, 'run1', { maxBytes, share: Number.POSITIVE_INFINITY });
  for (let at = 1; at <= 100; at += 1) {
    eventHistory.add([draft(at, { error: 'x'.repeat(800) })]);
    await written(eventHistory, at);
    const sizes = await Promise.all((await files(stateDir)).map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
  }
  await eventHistory.close();
  const next = await opened(stateDir, 'run2');
  const ats = next.records().map(({ at }) => at - noon);
  expect(ats.length).toBeGreaterThan(20);
  expect(ats).toEqual(Array.from({ length: ats.length }, (_, at) => 101 - ats.length + at));
  await next.close();
});

test('a file that cannot be deleted still counts, and the next oldest files are deleted', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const paths = [1, 2, 3, 4].map((at) => join(disk.folder, `events-170000000000${at}-a.ndjson`));
  for (const path of paths) await writeFile(path, Buffer.alloc(1000));
  const [oldest = ''] = paths;
  // A mount point cannot be deleted.
  execFileSync('mount', ['--bind', oldest, oldest]);
  onTestFinished(() => void execFileSync('umount', ['-l', oldest]));
  const left = [paths[0], paths[2], paths[3]];
  expect((await makeRoom(disk.folder, 4000)).segments.map(({ path }) => path)).toEqual(left);
  expect((await readdir(disk.folder)).sort().map((name) => join(disk.folder, name))).toEqual(left);
});

test('a file that cannot be deleted is logged once with a remedy', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const file = join(disk.folder, 'events', 'events-1700000000001-a.ndjson');
  await mkdir(dirname(file));
  await writeFile(file, '\n'.repeat(4000));
  execFileSync('mount', ['--bind', file, file]);
  onTestFinished(() => void execFileSync('umount', ['-l', file]));
  const { said, log } = listeningLog();
  const eventHistory = await opened(disk.folder, 'run1', { maxBytes: 4000, share: 100 }, log);
  for (let at = 1; at <= 8; at += 1) {
    eventHistory.add([draft(at, { error: 'x'.repeat(500) })]);
    await written(eventHistory, at);
  }
  await eventHistory.close();
  expect(said).toEqual([
    {
      level: 'error',
      fields: { file, error: 'EBUSY' },
      message: `event history: an old file cannot be deleted, newer ones are deleted in its place: remove ${file}, or let this user delete it`,
    },
  ]);
});

test('an unreadable lock is logged, and the waiting records are kept', async () => {
  const stateDir = await temporaryFolder();
  const { said, log } = listeningLog();
  let fault: Error | undefined = Object.assign(new Error('i/o error'), { code: 'EIO' });
  const mayWrite = async (): Promise<boolean> => {
    if (fault !== undefined) throw fault;
    return true;
  };
  const guard = { mayWrite, newer: () => undefined };
  const eventHistory = await openEventHistory({ stateDir, run: 'run1', retryMs: 5 }, { now: () => noon, log, guard });
  eventHistory.add([draft(1)]);
  await expect.poll(() => eventHistory.tally()?.writeFailures).toBeGreaterThan(1);
  fault = undefined;
  await written(eventHistory, 1);
  await eventHistory.close();
  expect(said.map(({ message, fields }) => [message, fields.error])).toEqual([
    ['event history not written: kept in memory, retrying', 'EIO'],
    ['event history written again', undefined],
  ]);
});

test('a folder that cannot be created is logged once and counted, and the waiting records are written later', async () => {
  const stateDir = await temporaryFolder();
  const inTheWay = join(stateDir, 'events');
  const { said, log } = listeningLog();
  await writeFile(inTheWay, 'not a folder');
  const eventHistory = await opened(stateDir, 'run1', { retryMs: 5 }, log);
  eventHistory.add([draft(1)]);
  await expect.poll(() => eventHistory.tally()?.writeFailures).toBeGreaterThan(3);
  expect(eventHistory.fault()).toBe(
    `${inTheWay} cannot be written (ENOTDIR): the event history is kept in memory, and lost with a restart`,
  );
  eventHistory.add([draft(2)]);
  expect(eventHistory.records()).toHaveLength(2);
  await rm(inTheWay);
  await written(eventHistory, 2);
  expect(eventHistory.fault()).toBeUndefined();
  await eventHistory.close();
  const told = said.filter(({ message }) => message.startsWith('event history'));
  expect(told.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'error event history of earlier runs unreadable: starting without it',
    'error event history not written: kept in memory, retrying',
    'info event history written again',
  ]);
  const next = await opened(stateDir, 'run2');
  expect(next.records().map(({ id }) => id)).toEqual(['run1-1', 'run1-2']);
  await next.close();
});

test('a stateDir that cannot be created is logged, and close() does not wait for it', async () => {
  const { said, log } = listeningLog();
  const eventHistory = await opened('/proc/nope', 'run1', {}, log);
  eventHistory.add([draft(1)]);
  await expect.poll(() => eventHistory.tally()?.writeFailures).toBe(1);
  await eventHistory.close();
  expect(said.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { directory: '/proc/nope/events' } }]);
});

test('records whose write has not ended when close() gives up are logged', async () => {
  const { said, log } = listeningLog();
  const guard = { mayWrite: () => new Promise<boolean>(() => undefined), newer: () => undefined };
  const stateDir = await temporaryFolder();
  const eventHistory = await openEventHistory({ stateDir, run: 'run1', closeMs: 1 }, { now: () => noon, log, guard });
  eventHistory.add([draft(1)]);
  eventHistory.add([draft(2)]);
  await eventHistory.close();
  expect(said).toEqual([
    {
      level: 'warn',
      fields: { directory: join(stateDir, 'events'), records: 2 },
      message: 'event history not fully written before exit',
    },
  ]);
});

test('while the disk cannot be written, the newest waiting records are kept, and the others are counted as lost', async () => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'events'), 'not a folder');
  const eventHistory = await opened(stateDir, 'run1', { retryMs: 5, maxWaiting: 10 });
  for (let at = 1; at <= 25; at += 1) eventHistory.add([draft(at)]);
  await expect.poll(() => eventHistory.tally()?.lost).toBe(15);
  await rm(join(stateDir, 'events'));
  await written(eventHistory, 10);
  await eventHistory.close();
  const next = await opened(stateDir, 'run2');
  expect(next.records().map(({ at }) => at - noon)).toEqual(Array.from({ length: 10 }, (_, at) => at + 16));
  await next.close();
});

test('a full disk loses no records, leaves no truncated line, and gets the waiting records when there is space', async ({
  skip,
}) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const eventHistory = await opened(disk.folder, 'run1', { retryMs: 5 });
  await disk.fill(40_000);
  for (let at = 1; at <= 60; at += 1) eventHistory.add([draft(at, { error: 'x'.repeat(500) })]);
  await expect.poll(() => eventHistory.tally()?.writeFailures).toBeGreaterThan(2);
  await disk.empty();
  await written(eventHistory, 60);
  await eventHistory.close();
  const { said, log } = listeningLog();
  const next = await opened(disk.folder, 'run2', {}, log);
  expect(said.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(next.records().map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, at) => `run1-${at + 1}`));
  await next.close();
});

test('a read-only disk is logged once, and gets the waiting records when it is writable', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await disk.protect();
  const { said, log } = listeningLog();
  const eventHistory = await opened(disk.folder, 'run1', { retryMs: 5 }, log);
  eventHistory.add([draft(1)]);
  await expect.poll(() => eventHistory.tally()?.writeFailures).toBeGreaterThan(2);
  await disk.unprotect();
  await written(eventHistory, 1);
  expect(said.map(({ level, message, fields }) => [level, message, fields.error])).toEqual([
    ['error', 'event history not written: kept in memory, retrying', 'EROFS'],
    ['info', 'event history written again', undefined],
  ]);
  await eventHistory.close();
});

test('a clock that is set back does not hide or reorder records', async () => {
  const stateDir = await temporaryFolder();
  const runs = ['run1', 'run2', 'run3'];
  for (const [at, run] of runs.entries()) {
    const eventHistory = await openEventHistory(
      { stateDir, run, closeMs: 60_000 },
      { now: () => noon - at * 86_400, log: silentLog },
    );
    eventHistory.add([draft(at)]);
    await eventHistory.close();
  }
  const next = await opened(stateDir, 'run4');
  expect(next.records().map(({ id }) => id)).toEqual(runs.map((run) => `${run}-1`));
  await next.close();
});

test('without a stateDir, nothing is written or counted', async () => {
  const eventHistory = await openEventHistory({ run: 'run1' }, { now: () => noon, log: silentLog });
  eventHistory.add([draft(1)]);
  expect(eventHistory.tally()).toBeUndefined();
  await eventHistory.close();
});
