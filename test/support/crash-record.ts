// Compares the index that the simulated network requires with the data dir of a node, read from its files without the node's own
// code except the layout of a container.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { unpackContainer } from '../../src/node/index/stored-container.ts';
import { type SimulatedChain, simulateChain } from '../../src/node/network/simulated-chain.ts';
import type { PlannedChain } from '../../src/node/scenario.ts';
import { idOf } from '../../src/protocol/id.ts';
import { type IndexName, indexNames } from '../../src/protocol/paths.ts';
import { decodeHex } from './hex.ts';

export interface NetworkRecord {
  readonly chains: readonly PlannedChain[];
  /** The cb58 id of container `number`, up to the planned end of the network. */
  readonly idAt: (name: IndexName, number: number) => string;
  /** The number of containers in the index when its chain is at `height`. */
  readonly countAt: (name: IndexName, height: number) => number;
  /** The height of the chain at a time, for a network that started at `epoch`; both in seconds. */
  readonly heightAt: (name: IndexName, epoch: number, at: number) => number;
}

/** For the documented dialect, in which X/tx grows with the chain. */
export const networkRecord = (seed: number, planned: readonly PlannedChain[]): NetworkRecord => {
  const books = new Map(planned.map((shape) => [shape.name, bookOf(simulateChain(seed, 0, shape))]));
  const bookFor = (name: IndexName): ChainBook => {
    const book = books.get(name.charAt(0));
    if (book === undefined) throw new Error(`no chain for ${name}`);
    return book;
  };
  return {
    chains: planned,
    idAt: (name, number) => bookFor(name).idAt(kindOf(name), number),
    countAt: (name, height) => bookFor(name).countAt(kindOf(name), height),
    heightAt: (name, epoch, at) => {
      const shape = planned.find((chain) => chain.name === name.charAt(0));
      return shape === undefined ? 0 : simulateChain(seed, epoch, shape).heightAt(at);
    },
  };
};

type Kind = 'block' | 'tx' | 'vtx';

const kindOf = (name: IndexName): Kind => (name === 'X/tx' ? 'tx' : name === 'X/vtx' ? 'vtx' : 'block');

interface ChainBook {
  readonly idAt: (kind: Kind, number: number) => string;
  readonly countAt: (kind: Kind, height: number) => number;
}

/** Extended on demand. */
const bookOf = (chain: SimulatedChain): ChainBook => {
  const ids: Readonly<Record<Kind, string[]>> = { block: [], tx: [], vtx: [] };
  const transactionsAt = [0];
  const next = (): void => {
    const height = ids.block.length + 1;
    const { bytes, transactions } = chain.block(height);
    ids.block.push(idOf(bytes));
    ids.tx.push(...transactions.map(idOf));
    if (height <= chain.vertices) ids.vtx.push(idOf(chain.vertex(height)));
    transactionsAt.push(ids.tx.length);
  };
  return {
    idAt: (kind, number) => {
      while (ids[kind].length <= number && (kind !== 'vtx' || number < chain.vertices)) next();
      return ids[kind][number] ?? 'no such container';
    },
    countAt: (kind, height) => {
      while (ids.block.length < height) next();
      if (kind === 'vtx') return Math.min(height, chain.vertices);
      return kind === 'tx' ? (transactionsAt[height] ?? 0) : height;
    },
  };
};

/** Key -> value. */
export type Entries = ReadonlyMap<string, Buffer>;

/** Reads the data dir of a node that is not running. Pass a copy: opening LevelDB repairs what the node itself must repair. */
export const entriesOf = async (dataDir: string): Promise<Entries> => {
  const copy = await mkdtemp(join(tmpdir(), 'snowgauge-copy-'));
  try {
    await cp(dataDir, copy, { recursive: true });
    const database = new ClassicLevel<string, Buffer>(join(copy, 'db'), { keyEncoding: 'utf8', valueEncoding: 'buffer' });
    await database.open();
    const entries = new Map((await database.iterator().all()).map(([key, value]) => [key, Buffer.from(value)] as const));
    await database.close();
    return entries;
  } finally {
    await rm(copy, { recursive: true });
  }
};

const jsonOf = (entries: Entries, key: string): Record<string, unknown> | undefined => {
  const text = entries.get(key)?.toString();
  return text === undefined ? undefined : JSON.parse(text);
};

export const epochIn = (entries: Entries): number | undefined => {
  const epoch = jsonOf(entries, 'm:network')?.epoch;
  return typeof epoch === 'number' ? epoch : undefined;
};

/** The height of the index's chain according to the accepted entries. */
const heightIn = (entries: Entries, record: NetworkRecord, name: IndexName): number => {
  const chain = record.chains.find((planned) => planned.name === name.charAt(0));
  return Number(jsonOf(entries, `c:${chain?.id}`)?.height ?? 0);
};

/** The number of containers according to the index. */
export const countIn = (entries: Entries, name: IndexName): number => Number(entries.get(`e:${name}`)?.readBigUInt64BE() ?? 0n);

/** A message per problem: lost, missing, duplicate, out of order, or different from the network. */
export const problemsIn = (entries: Entries, record: NetworkRecord): readonly string[] => {
  const problems: string[] = [];
  for (const name of indexNames) {
    const count = countIn(entries, name);
    const height = heightIn(entries, record, name);
    if (count !== record.countAt(name, height)) problems.push(`${name} holds ${count}, and its chain is at height ${height}`);
    const keysIn = (table: string): number => [...entries.keys()].filter((key) => key.startsWith(`${table}:${name}:`)).length;
    const [containers, ids] = [keysIn('n'), keysIn('i')];
    if (containers !== count) problems.push(`${name} ends at ${count}, and has ${containers} containers`);
    if (ids !== count) problems.push(`${name} ends at ${count}, and has ${ids} ids`);
    for (let number = 0; number < count; number += 1) {
      const fault = faultOf(entries, name, number, record.idAt(name, number));
      if (fault !== undefined) problems.push(`${name} ${number}: ${fault}`);
    }
  }
  return problems;
};

const faultOf = (entries: Entries, name: IndexName, number: number, id: string): string | undefined => {
  const packed = entries.get(`n:${name}:${`${number}`.padStart(16, '0')}`);
  if (packed === undefined) return 'is missing';
  const container = unpackContainer(packed);
  if (container === undefined) return 'is torn';
  if (container.id !== id) return `is ${container.id}, not ${id}`;
  const bytes = decodeHex(`0x${container.checked.toString('hex')}`);
  if (bytes === undefined) return 'has bytes without their checksum';
  if (idOf(bytes) !== id) return 'has other bytes';
  const back = entries.get(`i:${name}:${id}`)?.readBigUInt64BE();
  return back === BigInt(number) ? undefined : `is ${back ?? 'nothing'} by its id`;
};
