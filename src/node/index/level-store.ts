// The store on disk: LevelDB, as in the real node. The only file that imports classic-level.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { makeFolder, replaceFile, tidyReplaced } from '../../file-system.ts';
import { ownName } from '../../lock-holder.ts';
import { readStart } from '../../regular-file.ts';
import { printable } from '../../text.ts';
import { type OpenedStore, type Store, StoreFailure } from './store.ts';

type Database = ClassicLevel<string, Uint8Array | Buffer>;

/** Bytes of LevelDB's log, also kept in memory, before it becomes a table. */
const writeBufferSize = 8 * 1024 * 1024;

/** Bytes that reopening may need at once: the old log as a table, and a new one. */
const roomToRecover = 2 * writeBufferSize;

/** Opens or creates the database in `dataDir`/db. Refused if it is in use by another process or unreadable. */
export const openLevelStore = async (dataDir: string): Promise<OpenedStore> => {
  const [folder, owner] = [join(dataDir, 'db'), join(dataDir, 'owner')];
  const refused = (why: string, remedy = ''): OpenedStore => ({
    kind: 'refused',
    message: `the data dir ${dataDir} ${why}: ${remedy}choose another with --data-dir`,
  });
  try {
    // classic-level would create it, too, but may hang.
    await makeFolder(folder);
  } catch (error) {
    return refused(`cannot be made: ${causeOf(error).message}`);
  }
  await rm(roomIn(dataDir), { force: true }).catch(() => undefined);
  const database: Database = new ClassicLevel(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
    // Blocks do not compress, and every one would cost an attempt.
    compression: false,
    writeBufferSize,
  });
  try {
    await database.open();
  } catch (error) {
    const { code, message } = causeOf(error);
    if (code !== 'LEVEL_LOCKED') return refused(`cannot be opened: ${message}`);
    const by = await readStart(owner, 256).catch(() => '');
    return refused(`is in use by another process${by === '' ? '' : ` (${printable(by)})`}`, 'stop that one, or ');
  }
  await tidyReplaced(owner);
  // LevelDB's lock ends with its process, but does not name it. On a full disk there is no name.
  await replaceFile(owner, await ownName()).catch(() => undefined);
  return { kind: 'ok', store: levelStore(database, dataDir), damage: await damageOf(folder) };
};

/** LevelDB skips what it cannot read in the middle of its log, and reports it only in LOG, which each opening restarts. */
const damageOf = async (folder: string): Promise<string | undefined> => {
  const said = await readStart(join(folder, 'LOG'), 65_536).catch(() => '');
  const dropped = Array.from(said.matchAll(/dropping (\d+) bytes; Corruption: (.+)/g), ([, bytes, why = '']) => ({ bytes, why }));
  if (dropped[0] === undefined) return undefined;
  const bytes = dropped.reduce((sum, one) => sum + Number(one.bytes), 0);
  return `${bytes} bytes of its log are dropped: ${printable(dropped[0].why)}`;
};

const levelStore = (database: Database, dataDir: string): Store => {
  let failure: StoreFailure | undefined;

  return {
    get: (key) => orFailure(async () => bufferOf(await database.get(key))),
    getMany: (keys) => orFailure(async () => (await database.getMany([...keys])).map(bufferOf)),
    write: async (puts) => {
      if (failure !== undefined) throw failure;
      const batch = puts.map((put) => ({ type: 'put', ...put }) as const);
      await orFailure(() => database.batch(batch, { sync: true })).catch((error: StoreFailure) => {
        failure = error;
        throw error;
      });
    },
    // LevelDB's log may now end in half a record, and records appended to that would be lost at the next start. Reopening
    // drops the half. It is delayed until there is room for it, so that reads work until then.
    recover: () =>
      orFailure(async () => {
        await proveRoom(roomIn(dataDir));
        await database.close();
        await database.open();
        failure = undefined;
      }),
    close: () => orFailure(() => database.close()),
  };
};

/** File that proves that there is room; left behind if the process is killed meanwhile. */
const roomIn = (dataDir: string): string => join(dataDir, 'room');

const proveRoom = async (path: string): Promise<void> => {
  try {
    await writeFile(path, Buffer.alloc(roomToRecover), { flag: 'wx', mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
};

const bufferOf = (value: Uint8Array | undefined): Buffer | undefined =>
  value === undefined ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);

/** Boundary to LevelDB and the file system: converts their errors to StoreFailure. */
const orFailure = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new StoreFailure(causeOf(error).message);
  }
};

/** LevelDB's error, which classic-level wraps. */
const causeOf = (error: unknown): { readonly code: unknown; readonly message: string } => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { code: undefined, message: String(cause) };
  return { code: 'code' in cause ? cause.code : undefined, message: cause.message };
};
