// The files of the liveness state: their content is restored unchanged, or ignored.

import { copyFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import type { LiveMemory } from '../../src/conditions/memory.ts';
import { silentLog } from '../../src/log.ts';
import { openLivenessFiles } from '../../src/memory/liveness-file.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { describeWithPipes, stallDisk } from '../support/pipes.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';
import { targetOptions } from '../support/snapshot.ts';

const url = 'http://127.0.0.1:9650';
const name = 'node';
const listener = '6f1f4f3a-0f52-4a5e-9d2b-2d3c9b1c7a11 7';
const noon = 1_800_000_000;
const silence: LiveMemory = { answered: true, listener, interval: 30, timeouts: { since: noon - 90, polls: 3 } };

const targetWith = (live: LiveMemory, at = url): Target => {
  const state = newTarget(targetOptions({ name, url: at }));
  return { state, conditions: judge(undefined, state, noon, live) };
};

interface Given {
  readonly log?: Parameters<typeof openLivenessFiles>[1]['log'];
  readonly booted?: number;
  readonly readMs?: number;
}

const filesIn = (stateDir: string, { log = silentLog, booted = 1000, readMs = 60_000 }: Given = {}) =>
  openLivenessFiles({ stateDir, targets: [name], readMs }, { now: () => noon, sinceBoot: () => booted, log });

const fileIn = (stateDir: string): string => join(stateDir, 'liveness', `${name}.json`);

const kept = async (live: LiveMemory = silence): Promise<string> => {
  const stateDir = await temporaryFolder();
  await (await filesIn(stateDir)).keep(targetWith(live));
  return stateDir;
};

const recalled = async (stateDir: string, given: Given = {}) => (await filesIn(stateDir, given)).recall({ name, url });

describe('saved liveness', () => {
  test.each([
    silence,
    { answered: true, listener },
    { answered: false, listener, timeouts: { since: noon - 700, polls: 21 }, deadAt: noon - 100 },
  ])('is restored: %o', async (live) => {
    expect(await recalled(await kept(live))).toEqual(live);
  });

  test('is readable only by its owner, and leaves no temporary file', async () => {
    const stateDir = await kept();
    expect((await stat(fileIn(stateDir))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(stateDir, 'liveness'))).toEqual(['node.json']);
  });

  test('is restored only once, so that a target that is added again later starts without it', async () => {
    const files = await filesIn(await kept());
    expect(files.recall({ name, url })).toEqual(silence);
    expect(files.recall({ name, url })).toBeUndefined();
  });

  test('is not restored for another target or another URL', async () => {
    const files = await filesIn(await kept());
    expect(files.recall({ name: 'other', url })).toBeUndefined();
    expect(files.recall({ name, url: 'http://127.0.0.1:9651' })).toBeUndefined();
  });

  test('does not contain the path of the URL, which may be a key, but is restored only for that path', async () => {
    const stateDir = await temporaryFolder();
    await (await filesIn(stateDir)).keep(targetWith(silence, `${url}/v2/s3cret`));
    expect(await readFile(fileIn(stateDir), 'utf8')).not.toContain('s3cret');
    const files = await filesIn(stateDir);
    expect(files.recall({ name, url: `${url}/v2/other` })).toBeUndefined();
    expect((await filesIn(stateDir)).recall({ name, url: `${url}/v2/s3cret` })).toEqual(silence);
  });

  test('is deleted when the listener is unknown', async () => {
    const stateDir = await kept();
    await (await filesIn(stateDir)).keep(targetWith({ answered: true }));
    expect(await readdir(join(stateDir, 'liveness'))).toEqual([]);
  });

  test('is the newest of concurrent writes', async () => {
    const stateDir = await temporaryFolder();
    const files = await filesIn(stateDir);
    const polls = Array.from({ length: 50 }, (_, at) =>
      targetWith({ ...silence, timeouts: { since: noon - 90, polls: at + 1 } }),
    );
    await Promise.all(polls.map((target) => files.keep(target)));
    expect((await recalled(stateDir))?.timeouts?.polls).toBe(50);
  });

  test('is written when it changes, and not with every poll', async () => {
    const stateDir = await kept({ answered: true, listener });
    const files = await filesIn(stateDir);
    await files.keep(targetWith({ answered: true, listener }));
    await rm(fileIn(stateDir));
    await files.keep(targetWith({ answered: true, listener }));
    expect(await readdir(join(stateDir, 'liveness'))).toEqual([]);
    await files.keep(targetWith(silence));
    expect(await recalled(stateDir)).toEqual(silence);
  });
});

describe('no liveness is restored, and the exporter starts, if', () => {
  test.each([
    { what: 'the file is truncated', change: (text: string) => text.slice(0, -20) },
    { what: 'the file is empty', change: () => '' },
    { what: 'a field has another name', change: (text: string) => text.replace('"answered"', '"alive"') },
    { what: 'a timestamp is invalid', change: (text: string) => text.replace(/"since":\d+/, '"since":-1') },
    { what: 'it has no listener', change: (text: string) => text.replace(listener, '') },
    { what: 'the file is too large', change: (text: string) => text.replace('{', `{${' '.repeat(5000)}`) },
  ])('$what', async ({ change }) => {
    const stateDir = await kept();
    await writeFile(fileIn(stateDir), change(await readFile(fileIn(stateDir), 'utf8')));
    const { log, said } = listeningLog();
    expect(await recalled(stateDir, { log })).toBeUndefined();
    expect(said).toMatchObject([{ level: 'warn', fields: { file: fileIn(stateDir) } }]);
  });

  test('its timestamp is in the future', async () => {
    expect(await recalled(await kept(), { booted: 999 })).toBeUndefined();
    expect(await recalled(await kept(), { booted: 1001 })).toBeDefined();
  });

  test('there is no file', async () => {
    expect(await recalled(await temporaryFolder())).toBeUndefined();
  });

  describeWithPipes('a disk that stalls', () => {
    test('the disk does not respond', async () => {
      const stateDir = await kept();
      onTestFinished(await stallDisk());
      const { log, said } = listeningLog();
      expect(await recalled(stateDir, { readMs: 20, log })).toBeUndefined();
      expect(said).toMatchObject([{ level: 'warn', message: 'liveness state of an earlier run not read in time: ignored' }]);
    });
  });
});

test('the next run deletes temporary files', async () => {
  const stateDir = await kept();
  await writeFile(`${fileIn(stateDir)}.dead.tmp`, '{"url":');
  await filesIn(stateDir);
  expect(await readdir(join(stateDir, 'liveness'))).toEqual(['node.json']);
});

describe('a file of a target that is not configured', () => {
  const there = async (booted: number, change = (text: string): string => text): Promise<readonly string[]> => {
    const stateDir = await kept();
    const folder = join(stateDir, 'liveness');
    await writeFile(join(folder, 'other.json'), change(await readFile(fileIn(stateDir), 'utf8')));
    await filesIn(stateDir, { booted });
    return readdir(folder);
  };

  test.each([
    { what: 'stays for ten minutes, because another snowgauge may use it', booted: 1600, left: 2 },
    { what: 'is deleted after ten minutes', booted: 1601, left: 1 },
    { what: 'is deleted if it is from another boot', booted: 999, left: 1 },
  ])('$what', async ({ booted, left }) => {
    expect(await there(booted)).toHaveLength(left);
  });

  test('is deleted if it is unreadable', async () => {
    expect(await there(1000, () => '{')).toEqual(['node.json']);
  });
});

test('a file is written again after five minutes, although nothing has changed', async () => {
  const stateDir = await temporaryFolder();
  let booted = 1000;
  const files = await openLivenessFiles(
    { stateDir, targets: [name] },
    { now: () => noon, sinceBoot: () => booted, log: silentLog },
  );
  const savedAt = async (after: number): Promise<unknown> => {
    booted = 1000 + after;
    await files.keep(targetWith({ answered: true, listener }));
    return JSON.parse(await readFile(fileIn(stateDir), 'utf8')).savedAt;
  };
  expect([await savedAt(0), await savedAt(299), await savedAt(300)]).toEqual([1000, 1000, 1300]);
});

test('old files of other targets are deleted, however many there are, and failures are logged', async () => {
  const stateDir = await kept();
  const folder = join(stateDir, 'liveness');
  const others = Array.from({ length: 1000 }, (_, at) => join(folder, `other-${at}.json`));
  await Promise.all(others.map((file) => copyFile(fileIn(stateDir), file)));
  for (const stubborn of ['a.json', 'b.json']) await mkdir(join(folder, stubborn));
  const { log, said } = listeningLog();
  await filesIn(stateDir, { log, booted: 2000 });
  expect((await readdir(folder)).toSorted()).toEqual(['a.json', 'b.json', 'node.json']);
  expect(said).toMatchObject([{ level: 'warn', fields: { directory: folder } }]);
});

test('files behind a link in place of the folder are not changed', async () => {
  const [stateDir, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
  const theirs = ['config.json', 'node.json', 'work.tmp'];
  for (const file of theirs) await writeFile(join(elsewhere, file), '{"precious":true}');
  await symlink(elsewhere, join(stateDir, 'liveness'));
  const { log, said } = listeningLog();
  const files = await filesIn(stateDir, { log });
  await files.keep(targetWith(silence));
  await files.forget(name);
  expect((await readdir(elsewhere)).toSorted()).toEqual(theirs);
  expect(said.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { error: expect.stringContaining('is a symbolic link') } },
  ]);
});

test('a removed target leaves no file, and is saved again when it is added again', async () => {
  const stateDir = await temporaryFolder();
  const files = await filesIn(stateDir);
  // The write is still running when the removal starts.
  await Promise.all([files.keep(targetWith(silence)), files.forget(name)]);
  expect(await readdir(join(stateDir, 'liveness'))).toEqual([]);
  await files.keep(targetWith(silence));
  expect(await recalled(stateDir)).toEqual(silence);
});

test('two exporters on one folder leave a complete file of one of them', async () => {
  const stateDir = await temporaryFolder();
  const [a, b] = await Promise.all([filesIn(stateDir), filesIn(stateDir)]);
  const polls = (files: typeof a, since: number) =>
    Array.from({ length: 30 }, (_, at) => files.keep(targetWith({ ...silence, timeouts: { since, polls: at + 1 } })));
  await Promise.all([...polls(a, noon - 10), ...polls(b, noon - 20)]);
  expect((await recalled(stateDir))?.timeouts?.polls).toBe(30);
  expect(await readdir(join(stateDir, 'liveness'))).toEqual(['node.json']);
});

test('a failed write deletes the old file, is logged once, and retried with the next poll', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  const stateDir = disk.folder;
  await (await filesIn(stateDir)).keep(targetWith(silence));
  const { log, said } = listeningLog();
  const files = await filesIn(stateDir, { log });
  await disk.fill();
  const answering = targetWith({ answered: true, listener });
  await files.keep(answering);
  // Also fill the space of the old file.
  await disk.fill();
  await files.keep(answering);
  expect(await recalled(stateDir)).toBeUndefined();
  expect(said).toMatchObject([{ level: 'error', fields: { directory: join(stateDir, 'liveness') } }]);
  await disk.empty();
  await files.keep(answering);
  expect(await recalled(stateDir)).toEqual({ answered: true, listener });
  expect(said.map(({ level }) => level)).toEqual(['error', 'info']);
});
