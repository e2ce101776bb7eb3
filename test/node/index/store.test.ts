// The contract of a store, for each implementation; then cases that only a store on disk has.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openLevelStore } from '../../../src/node/index/level-store.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import { storeContract } from '../../contract/store.ts';

const dirs: string[] = [];
const newDir = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'snowgauge-store-'));
  dirs.push(dir);
  return dir;
};

afterEach(async () => {
  await Promise.all(dirs.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
});

const open = async (dir: string): Promise<Store> => {
  const opened = await openLevelStore(dir);
  if (opened.kind === 'refused') throw new Error(opened.message);
  return opened.store;
};

/** LevelDB's log: writes that are not yet in a table. */
const logIn = async (dir: string): Promise<string> => {
  const log = (await readdir(join(dir, 'db'))).find((name) => name.endsWith('.log'));
  return join(dir, 'db', log ?? '');
};

storeContract('in memory', async () => openMemoryStore());
storeContract('on disk', async () => open(await newDir()));

describe('a store on disk', () => {
  it('keeps its entries over a restart', async () => {
    const dir = await newDir();
    const before = await open(dir);
    await before.write([{ key: 'a', value: Buffer.from('1') }]);
    await before.close();
    const after = await open(dir);
    expect(await after.get('a')).toEqual(Buffer.from('1'));
    await after.close();
  });

  it('rejects a data dir that another process has open, and names the process', async () => {
    const dir = await newDir();
    const script = `
      import { ClassicLevel } from 'classic-level';
      const database = new ClassicLevel(process.argv[1]);
      await database.open();
      process.stdout.write('open');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script, join(dir, 'db')], { cwd: process.cwd() });
    await once(other.stdout, 'data');
    await writeFile(join(dir, 'owner'), 'pid 7 on b');
    const exited = once(other, 'exit');
    try {
      expect(await openLevelStore(dir)).toEqual({
        kind: 'refused',
        message: `the data dir ${dir} is in use by another process (pid 7 on b): stop that one, or choose another with --data-dir`,
      });
    } finally {
      other.kill('SIGKILL');
      await exited;
    }
    // The lock ends with its process, even after SIGKILL.
    await (await open(dir)).close();
    expect(await readFile(join(dir, 'owner'), 'utf8')).toBe(`pid ${process.pid} on ${hostname()}`);
  });

  it('removes the temporary files of a killed process and leaves other files', async () => {
    const dir = await newDir();
    await writeFile(join(dir, 'room'), Buffer.alloc(1024));
    await writeFile(join(dir, 'owner.0123456789abcdef.tmp'), 'pid');
    await writeFile(join(dir, 'notes'), 'somebody else’s');
    await (await open(dir)).close();
    expect((await readdir(dir)).sort()).toEqual(['db', 'notes', 'owner']);
  });

  it('does not write through a link when recover() tests for room', async () => {
    const dir = await newDir();
    const store = await open(dir);
    await writeFile(join(dir, 'other'), 'precious');
    await link(join(dir, 'other'), join(dir, 'room'));
    await expect(store.recover()).rejects.toMatchObject({ message: expect.stringContaining('EEXIST') });
    expect(await readFile(join(dir, 'other'), 'utf8')).toBe('precious');
    await store.recover();
    await store.close();
  });

  it('drops only a torn last write', async () => {
    const dir = await newDir();
    const before = await open(dir);
    await before.write([{ key: 'a', value: Buffer.from('1') }]);
    await before.write([
      { key: 'b', value: Buffer.from('2') },
      { key: 'c', value: Buffer.alloc(5000, 3) },
    ]);
    await before.close();
    const path = await logIn(dir);
    await truncate(path, (await readFile(path)).length - 10);
    const after = await openLevelStore(dir);
    if (after.kind === 'refused') throw new Error(after.message);
    expect(await after.store.get('a')).toEqual(Buffer.from('1'));
    expect(await after.store.getMany(['b', 'c'])).toEqual([undefined, undefined]);
    expect(after.damage).toBeUndefined();
    await after.store.close();
  });

  it('reports once how many bytes it drops of a log damaged in the middle', async () => {
    const dir = await newDir();
    const before = await open(dir);
    await before.write([{ key: 'a', value: Buffer.alloc(40_000, 1) }]);
    await before.write([{ key: 'b', value: Buffer.alloc(40_000, 2) }]);
    await before.close();
    const path = await logIn(dir);
    const bytes = await readFile(path);
    bytes[20_000] = 7;
    await writeFile(path, bytes);
    const openings = [];
    for (let times = 0; times < 2; times += 1) {
      const opened = await openLevelStore(dir);
      if (opened.kind === 'refused') throw new Error(opened.message);
      openings.push(opened.damage);
      await opened.store.close();
    }
    expect(openings).toEqual([expect.stringMatching(/^\d{5} bytes of its log are dropped: checksum mismatch$/), undefined]);
  });

  it('rejects a data dir that it cannot create', async () => {
    const file = join(await newDir(), 'file');
    await writeFile(file, '');
    // In /proc Node's recursive mkdir never ends.
    for (const dataDir of [file, '/proc/nope']) {
      const opened = await openLevelStore(dataDir);
      expect(opened.kind === 'refused' && opened.message).toMatch(
        new RegExp(`^the data dir ${dataDir} cannot be made: E[A-Z]+: .+: choose another with --data-dir$`),
      );
    }
  });

  it('throws StoreFailure on reads and writes after it is closed', async () => {
    const store = await open(await newDir());
    await store.close();
    await expect(store.get('a')).rejects.toMatchObject({ name: 'StoreFailure' });
    await expect(store.write([{ key: 'a', value: Buffer.from('1') }])).rejects.toMatchObject({ name: 'StoreFailure' });
  });
});
