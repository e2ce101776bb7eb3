// The file of the maintenance windows: its content is read unchanged, or ignored.

import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { silentLog } from '../../src/log.ts';
import type { MaintenanceWindow } from '../../src/maintenance/window.ts';
import { windowFile } from '../../src/maintenance/window-file.ts';
import { stateFile } from '../../src/memory/state-file.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';

const noon = 1_795_176_000;
const day: MaintenanceWindow = { start: noon, end: noon + 86_400, reason: 'a day', source: 'api' };
const ofOne: MaintenanceWindow = { ...day, targets: ['validator-1'], end: noon + 60, reason: 'é "quoted"' };
const name = 'maintenance.json';
const ofNames = { name: 'names.json', what: 'names', version: 1, maxBytes: 1000, maxValues: 100, none: [] } as const;
const namesOf = (json: unknown) => z.object({ names: z.array(z.string()) }).parse(json).names;

test('written windows are read by the next run', async () => {
  const stateDir = join(await temporaryFolder(), 'made');
  expect(await windowFile(stateDir, silentLog).write([day, ofOne])).toBe(true);
  expect(await windowFile(stateDir, silentLog).read()).toEqual([day, ofOne]);
});

test('the file is readable only by its owner, and no temporary file is left', async () => {
  const stateDir = await temporaryFolder();
  await windowFile(stateDir, silentLog).write([day]);
  expect((await stat(join(stateDir, name))).mode & 0o777).toBe(0o600);
  expect(await readdir(stateDir)).toEqual([name]);
});

test('of concurrent writes, the last one wins, and all succeed', async () => {
  const stateDir = await temporaryFolder();
  const file = windowFile(stateDir, silentLog);
  expect(await Promise.all([file.write([day]), file.write([]), file.write([ofOne])])).toEqual([true, true, true]);
  expect(await file.read()).toEqual([ofOne]);
  await file.write([]);
  expect(await file.read()).toEqual([]);
});

test('without a file, no windows are read and nothing is logged', async () => {
  const { log, said } = listeningLog();
  expect(await windowFile(await temporaryFolder(), log).read()).toEqual([]);
  expect(said).toEqual([]);
});

describe('a damaged file is logged and ignored', () => {
  const one = { start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T13:00:00.000Z', reason: 'r' };
  test.each([
    { damage: 'truncated', text: `{"windows":[${JSON.stringify(one)}` },
    { damage: 'with another structure', text: JSON.stringify([one]) },
    {
      damage: 'with a window longer than a day',
      text: JSON.stringify({ windows: [{ ...one, end: '2026-11-21T12:00:00.001Z' }] }),
    },
    {
      damage: 'with a window that ends before its start',
      text: JSON.stringify({ windows: [{ ...one, end: '2026-11-20T11:00:00Z' }] }),
    },
    { damage: 'with an invalid timestamp', text: JSON.stringify({ windows: [{ ...one, start: 'noon' }] }) },
    { damage: 'with a long reason', text: JSON.stringify({ windows: [{ ...one, reason: 'r'.repeat(257) }] }) },
    { damage: 'with too many windows', text: JSON.stringify({ windows: Array.from({ length: 1002 }, () => one) }) },
  ])('$damage', async ({ text }) => {
    const stateDir = await temporaryFolder();
    await writeFile(join(stateDir, name), text);
    const { log, said } = listeningLog();
    expect(await windowFile(stateDir, log).read()).toEqual([]);
    expect(said).toMatchObject([{ level: 'warn', message: 'maintenance windows of an earlier run unreadable: ignored' }]);
  });

  test('also a folder in its place', async () => {
    const stateDir = await temporaryFolder();
    await mkdir(join(stateDir, name));
    const { log, said } = listeningLog();
    const file = windowFile(stateDir, log);
    expect(await file.read()).toEqual([]);
    expect(await file.write([day])).toBe(false);
    expect(said.map(({ level }) => level)).toEqual(['warn', 'error']);
    // No temporary file is left.
    expect(await readdir(stateDir)).toEqual([name]);
  });
});

test('the next write succeeds after a failed one', async () => {
  const stateDir = join(await temporaryFolder(), 'state');
  await writeFile(stateDir, 'no folder');
  const file = windowFile(stateDir, silentLog);
  expect(await file.write([day])).toBe(false);
  await rm(stateDir);
  expect(await file.write([day])).toBe(true);
  expect(await file.read()).toEqual([day]);
});

test('temporary files of a killed run are deleted', async () => {
  const stateDir = await temporaryFolder();
  await windowFile(stateDir, silentLog).write([day]);
  await copyFile(join(stateDir, name), join(stateDir, `${name}.killed7.tmp`));
  await writeFile(join(stateDir, 'maintenance.json.mine'), 'somebody else’s');
  expect(await windowFile(stateDir, silentLog).read()).toEqual([day]);
  expect((await readdir(stateDir)).toSorted()).toEqual([name, 'maintenance.json.mine']);
  expect(await readFile(join(stateDir, name), 'utf8')).toContain('"end":"2026-11-21T12:00:00.000Z"');
});

test('renew() restores a deleted file with the last read or written content, and does nothing before', async () => {
  const stateDir = join(await temporaryFolder(), 'state');
  const first = windowFile(stateDir, silentLog);
  await first.renew();
  await expect(readdir(stateDir)).rejects.toMatchObject({ code: 'ENOENT' });
  await first.write([day, ofOne]);
  const later = windowFile(stateDir, silentLog);
  await later.read();
  for (const file of [first, later]) {
    await rm(stateDir, { recursive: true });
    await file.renew();
    expect(await windowFile(stateDir, silentLog).read()).toEqual([day, ofOne]);
  }
  await windowFile(stateDir, silentLog).write([day]);
  await first.renew();
  expect(await windowFile(stateDir, silentLog).read()).toEqual([day]);
});

test('without the lock, nothing is written or logged, and the last content is written when the lock is regained', async () => {
  const stateDir = await temporaryFolder();
  const { log, said } = listeningLog();
  let isOurs = true;
  const file = stateFile<readonly string[]>({
    ...{ stateDir, ...ofNames, retryMs: 5, log },
    parse: namesOf,
    json: (names) => ({ names }),
    guard: { mayWrite: async () => isOurs, newer: () => undefined },
  });
  expect(await file.write(['ours'])).toBe(true);
  const path = join(stateDir, 'names.json');
  await writeFile(path, '{"version":1,"names":["theirs"]}');
  isOurs = false;
  expect(await file.write(['late'])).toBe(false);
  expect(await readFile(path, 'utf8')).toContain('theirs');
  expect(await readdir(stateDir)).toEqual(['names.json']);
  isOurs = true;
  await expect.poll(() => readFile(path, 'utf8'), { interval: 5 }).toBe('{"version":1,"names":["late"]}\n');
  expect(said).toEqual([]);
});

test('a lock that is lost while a slow disk writes the file prevents its replacement', async () => {
  const stateDir = await temporaryFolder();
  let asked = 0;
  const file = stateFile<readonly string[]>({
    ...{ stateDir, ...ofNames, retryMs: 3_600_000, log: silentLog },
    parse: namesOf,
    json: (names) => ({ names }),
    guard: {
      mayWrite: async () => {
        asked += 1;
        return asked === 1;
      },
      newer: () => undefined,
    },
  });
  expect(await file.write(['late'])).toBe(false);
  expect(await readdir(stateDir)).toEqual([]);
});

test('a full disk is logged once, and gets the last content when there is space', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const { log, said } = listeningLog();
  const file = stateFile<readonly string[]>({
    ...{ stateDir: disk.folder, ...ofNames, retryMs: 5, log },
    parse: namesOf,
    json: (names) => ({ names }),
  });
  expect(await file.write(['old'])).toBe(true);
  await disk.fill();
  expect(await file.write(['lost'])).toBe(false);
  expect(await file.write(['new'])).toBe(false);
  expect(await file.read()).toEqual(['old']);
  await disk.empty();
  await expect.poll(file.read, { interval: 5 }).toEqual(['new']);
  const path = join(disk.folder, 'names.json');
  expect(said.map(({ level, message, fields }) => [level, message, fields.file])).toEqual([
    ['error', 'names not written, retrying: a restart would read the previous ones', path],
    ['info', 'names written again', path],
  ]);
});
