// The cost of the embedded node's index: accepting while bootstrapping compared with raw LevelDB writes of the same entries,
// serving ranges compared with a static server, and opening a large data dir.
// npm run bench -- index-store [--rounds 5] [--containers 1000000]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClassicLevel } from 'classic-level';
import { greatest } from '../src/lists.ts';
import { openIndex } from '../src/node/index/container-index.ts';
import { openLevelStore } from '../src/node/index/level-store.ts';
import { openMemoryStore } from '../src/node/index/memory-store.ts';
import type { Put, Store } from '../src/node/index/store.ts';
import { blocksPerWrite, startAcceptance } from '../src/node/network/acceptance.ts';
import { openLedger } from '../src/node/network/ledger.ts';
import { type ChainShape, simulateChain } from '../src/node/network/simulated-chain.ts';
import { primaryNetworkId } from '../src/protocol/id.ts';
import { indexedNode } from './support/indexed-node.ts';
import { type Measure, median, secondsOf } from './support/measure.ts';
import { type Load, load, staticServer } from './support/range-load.ts';

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, containers: { type: 'string', default: '1000000' } },
});
const rounds = Number(given.rounds);
const million = Number(given.containers);

const seed = 1;
const perRound = 40_000;
const timestamp = '2026-01-02T03:04:05.678901Z';
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'snowgauge-index-store-'));
let folders = 0;
const newFolder = (): string => {
  folders += 1;
  return join(folder, `${folders}`);
};
const perSecond = (values: readonly number[]): string => Math.round(median(values)).toLocaleString('en');

/** The P-Chain, whose only index has one container per block. */
const chainOf = (history: number, bytes: number): ChainShape => ({
  name: 'P',
  id: primaryNetworkId,
  subnetId: primaryNetworkId,
  history,
  blockIntervalSeconds: 3600,
  blockBytes: [bytes, bytes],
});

const levelStore = async (dataDir: string): Promise<Store> => {
  const opened = await openLevelStore(dataDir);
  if (opened.kind === 'refused') throw new Error(opened.message);
  return opened.store;
};

/** As in bootstrapping: generates and hashes blocks, and writes them with the height of their chain. Returns seconds. */
const accept = async (store: Store, shape: ChainShape): Promise<number> => {
  const index = await openIndex(store, 'P/block');
  const options = { store, indexes: [index], indexesTransactions: true, signal };
  const acceptance = await startAcceptance(simulateChain(seed, 0, shape), options);
  return secondsOf(() => acceptance.acceptUpTo(shape.history, timestamp));
};

/** The same entries that accepting writes, by write. */
const writesOf = async (shape: ChainShape): Promise<readonly (readonly Put[])[]> => {
  const writes: (readonly Put[])[] = [];
  const store = openMemoryStore();
  await accept({ ...store, write: async (puts) => void writes.push(puts) }, shape);
  return writes;
};

const writeRaw = async (dataDir: string, writes: readonly (readonly Put[])[]): Promise<number> => {
  const database = new ClassicLevel<string, Uint8Array>(dataDir, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    compression: false,
    writeBufferSize: 8 * 1024 * 1024,
  });
  await database.open();
  const batches = writes.map((puts) => puts.map((put) => ({ type: 'put', ...put }) as const));
  const seconds = await secondsOf(async () => {
    for (const batch of batches) await database.batch(batch, { sync: true });
  });
  await database.close();
  return seconds;
};

const measureAccepting = async (): Promise<readonly Measure[]> => {
  const shape = chainOf(perRound, 1024);
  const writes = await writesOf(shape);
  const pairs: { readonly ours: number; readonly raw: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const dataDir = newFolder();
    const store = await levelStore(dataDir);
    const ours = perRound / (await accept(store, shape));
    await store.close();
    const rawDir = newFolder();
    const raw = perRound / (await writeRaw(rawDir, writes));
    for (const done of [dataDir, rawDir]) rmSync(done, { recursive: true });
    // The first round warms up the JIT.
    if (round > 0) pairs.push({ ours, raw });
  }
  const rate = median(pairs.map(({ ours }) => ours));
  console.log(
    `accepting containers of 1 KB, ${blocksPerWrite} blocks a synced write: ${perSecond(pairs.map(({ ours }) => ours))}/s; ` +
      `raw classic-level, the same entries: ${perSecond(pairs.map(({ raw }) => raw))}/s`,
  );
  return [
    { name: 'containers of 1 KB accepted while bootstrapping', ratio: rate, aim: 20_000, atLeast: true, unit: '/s' },
    { name: 'the same, of raw classic-level', ratio: median(pairs.map(({ ours, raw }) => ours / raw)), aim: 0.5, atLeast: true },
  ];
};

/** A node as shipped, with a data dir whose P/block holds this many containers of 1 KB. */
const nodeWith = async (count: number) => {
  const dataDir = newFolder();
  const store = await levelStore(dataDir);
  await accept(store, chainOf(count, 1024));
  await store.close();
  return indexedNode(dataDir, count, seed);
};

const measureRanges = async (): Promise<readonly Measure[]> => {
  const node = await nodeWith(perRound);
  const url = `${node.url}/ext/index/P/block`;
  const body = '{"jsonrpc":"2.0","id":1,"method":"index.getContainerRange","params":{"startIndex":0,"numToFetch":1024}}';
  const first = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const file = join(folder, 'range.json');
  writeFileSync(file, Buffer.from(await first.arrayBuffer()));
  const fixed = await staticServer(file);
  const pairs: { readonly ours: Load; readonly theirs: Load }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await load({ url, pid: node.pid }, perRound - 1024);
    const theirs = await load(fixed, perRound - 1024);
    if (round > 0) pairs.push({ ours, theirs });
  }
  fixed.stop();
  await node.stop();
  const of = (read: (pair: (typeof pairs)[number]) => number): number => median(pairs.map(read));
  const mega = of(({ ours }) => ours.bytes) / 1e6;
  console.log(
    `ranges of 1024 containers of 1 KB, ${mega.toFixed(1)} MB each: ${of(({ ours }) => ours.perSecond).toFixed(0)}/s at ` +
      `${of(({ ours }) => ours.cpu).toFixed(1)} ms of CPU; the same bytes static ${of(({ theirs }) => theirs.perSecond).toFixed(0)}/s at ` +
      `${of(({ theirs }) => theirs.cpu).toFixed(1)} ms`,
  );
  const ratio = of(({ ours, theirs }) => ours.perSecond / theirs.perSecond);
  return [{ name: 'getContainerRange of 1024, of the same bytes static', ratio, aim: 0.1, atLeast: true }];
};

const measureOpening = async (): Promise<readonly Measure[]> => {
  const dataDir = newFolder();
  const shape = chainOf(million, 300);
  const store = await levelStore(dataDir);
  const filled = await accept(store, shape);
  await store.close();
  console.log(`${million} containers of 300 bytes accepted in ${filled.toFixed(1)} s`);
  const opened: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    opened.push(
      await secondsOf(async () => {
        const options = { seed, chains: [shape], dataDir, indexEnabled: true, indexAllowIncomplete: false };
        const ledger = await openLedger(options, 0);
        if (ledger.kind === 'refused') throw new Error(ledger.message);
        await ledger.ledger.store.close();
      }),
    );
  console.log(
    `opened, verified at its end and closed in ${opened.map((seconds) => `${(seconds * 1000).toFixed(0)} ms`).join(', ')}`,
  );
  return [{ name: `opening a data dir of ${million} containers`, ratio: greatest(opened), aim: 1, atLeast: false, unit: 's' }];
};

try {
  const measures = [...(await measureAccepting()), ...(await measureRanges()), ...(await measureOpening())];
  console.log(JSON.stringify(measures));
} finally {
  rmSync(folder, { recursive: true });
}
