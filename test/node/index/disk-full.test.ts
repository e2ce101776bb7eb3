// A really full disk: the data dir is on its own small tmpfs.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Log, silentLog } from '../../../src/log.ts';
import { openLevelStore } from '../../../src/node/index/level-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import { type RunningNode, startNode } from '../../../src/node/node.ts';
import { defaultNodeOptions } from '../../../src/node/options.ts';
import { plannedChains } from '../../../src/node/scenario.ts';
import { get, reportOf } from '../../contract/health.ts';
import { entriesOf, networkRecord, problemsIn } from '../../support/crash-record.ts';
import { roundsToSettle, scenarioFrom } from '../../support/node.ts';
import { clientOf, lastShown, readWhole } from '../../support/node-process.ts';
import { describeUnless } from '../../support/tools.ts';

const size = 64 * 1024 * 1024;
const seed = 3;
const yaml =
  'chains: { P: { history: 200, blockInterval: 1s }, X: { history: 50, blockInterval: 1s }, C: { history: 20, blockInterval: 1s } }';
const { signal } = new AbortController();

const mount = (folder: string): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'snowgauge-small-'));

/** Why this machine does not let us mount, or undefined if it does. */
const refusal = (): string | undefined => {
  const folder = newFolder();
  try {
    mount(folder);
    execFileSync('umount', [folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `mounting is refused: ${error instanceof Error ? error.message.trim() : String(error)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Fills the disk to the last page. */
const fill = async (folder: string): Promise<void> => {
  for (let count = 0; ; count += 1) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail === 0) return;
    await writeFile(join(folder, `ballast-${count}`), Buffer.alloc(bavail * bsize)).catch(() => undefined);
  }
};

const makeRoom = async (folder: string): Promise<void> => {
  for (let count = 0; count < 100; count += 1) await rm(join(folder, `ballast-${count}`), { force: true });
  // A child process that another thread starts keeps open files until it runs its program.
  const room = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  await expect.poll(room).toBeGreaterThan(size / 2);
};

const databaseError = async (node: RunningNode): Promise<unknown> =>
  reportOf(await get(node.port, '/ext/health')).checks.database?.error;

describeUnless(refusal(), 'a store on a full disk', () => {
  test('rejects writes until it is recovered, recovers only once there is room, and loses nothing', async () => {
    const folder = newFolder();
    mount(folder);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
      rmSync(folder, { recursive: true });
    });
    const open = async (): Promise<Store> => {
      const opened = await openLevelStore(folder);
      if (opened.kind === 'refused') throw new Error(opened.message);
      return opened.store;
    };
    const contentOf = (key: string): Buffer => Buffer.alloc(100_000, key);
    const write = (store: Store, key: string): Promise<void> => store.write([{ key, value: contentOf(key) }]);
    const store = await open();
    const keys = ['before'];
    await write(store, 'before');
    await fill(folder);
    // LevelDB first uses the room that it has allocated before.
    let failed: string | undefined;
    for (let count = 0; failed === undefined; count += 1) {
      const key = `filling ${count}`;
      await write(store, key).then(
        () => keys.push(key),
        () => {
          failed = key;
        },
      );
    }
    const noRoom = { name: 'StoreFailure', message: expect.stringContaining('o space left on device') };
    await expect(store.recover()).rejects.toMatchObject({ ...noRoom, message: expect.stringContaining('ENOSPC') });
    expect((await store.get('before'))?.equals(contentOf('before'))).toBe(true);
    // 1 MiB is not enough for a log and a table.
    await makeRoom(folder);
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, 'ballast-0'), Buffer.alloc(bavail * bsize - 1024 * 1024));
    await expect(store.recover()).rejects.toMatchObject({ message: expect.stringContaining('ENOSPC') });
    await makeRoom(folder);
    await expect(write(store, 'too early')).rejects.toMatchObject(noRoom);
    await store.recover();
    expect((await readdir(folder)).sort()).toEqual(['db', 'owner']);
    await write(store, 'after');
    await store.close();
    const again = await open();
    expect(await again.get('too early')).toBeUndefined();
    for (const key of [...keys, 'after']) expect((await again.get(key))?.equals(contentOf(key))).toBe(true);
    await again.close();
  });
});

describeUnless(refusal(), 'a node on a full disk', () => {
  test('stops accepting, fails the database check and logs it once, still responds, and resumes once there is room', async () => {
    const folder = newFolder();
    mount(folder);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
      rmSync(folder, { recursive: true });
    });
    let now = 1_800_000_000;
    const said: string[] = [];
    const log: Log = {
      ...silentLog,
      error: (fields, message) => said.push(`${message} (${JSON.stringify(fields)})`),
      info: (_, message) => said.push(message),
    };
    const scenario = await scenarioFrom(yaml);
    const node = await startNode(
      { ...defaultNodeOptions, httpPort: 0, indexEnabled: true, dataDir: folder, seed },
      { now: () => now, log, signal, scenario, hasTimers: false },
    );
    const client = clientOf(node.port);
    onTestFinished(() => client.close());
    try {
      for (let round = 0; round < roundsToSettle; round += 1) await node.tick();
      expect(await lastShown(client, 'P/block', signal)).toBe(199);
      expect(await databaseError(node)).toBeUndefined();

      await fill(folder);
      // LevelDB first uses the room that it has allocated for its log before.
      await expect
        .poll(async () => {
          now += 20;
          await node.tick();
          return databaseError(node);
        })
        .toMatch(/No space left on device/);
      const stopped = await lastShown(client, 'P/block', signal);
      expect(stopped).toBeLessThan(200 + now - 1_800_000_000 - 1);
      expect(said.filter((line) => line.startsWith('store not writable: accepting no blocks'))).toHaveLength(1);
      for (let round = 0; round < 3; round += 1) {
        now += 20;
        await node.tick();
      }
      expect(await lastShown(client, 'P/block', signal)).toBe(stopped);
      expect(await readWhole(client, 'P/block', signal)).toHaveLength(stopped + 1);

      await makeRoom(folder);
      now += 20;
      await node.tick();
      await node.tick();
      expect(said.at(-1)).toBe('store writable again: accepting blocks');
      expect(await databaseError(node)).toBeUndefined();
      expect(await lastShown(client, 'P/block', signal)).toBe(199 + now - 1_800_000_000);
    } finally {
      await node.close();
    }
    const record = networkRecord(seed, plannedChains(scenario));
    expect(problemsIn(await entriesOf(folder), record)).toEqual([]);
  });
});
