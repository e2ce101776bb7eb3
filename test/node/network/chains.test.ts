// What the node does with the network's blocks: in which order, when, and what survives.

import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/log.ts';
import { silentLog } from '../../../src/log.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { type Store, StoreFailure } from '../../../src/node/index/store.ts';
import type { Chains } from '../../../src/node/network/chains.ts';
import { noFaults } from '../../../src/node/network/faults.ts';
import { simulateChain } from '../../../src/node/network/simulated-chain.ts';
import { idOf } from '../../../src/protocol/id.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import {
  ask,
  bootstrapped,
  kept,
  runningChains,
  startTestChains,
  testChain,
  testEpoch,
  testId,
} from '../../support/node-store.ts';

const states = (chains: Chains): Record<string, string> =>
  Object.fromEntries(chains.statuses().map(({ name, state }) => [name, state]));

const statusOf = (chains: Chains, name: string) => chains.statuses().find((status) => status.name === name);

const idsOf = async (chains: Chains, index: IndexName): Promise<readonly unknown[]> => {
  const range = await ask(chains, index, 'getContainerRange', { numToFetch: '1024' });
  const containers = Array.isArray(range) ? range : Object.values(Object(range)).flat();
  return containers.map((container) => Object(container).id);
};

/** What the network itself says that the index must hold. */
const recordOf = (name: string, history: number, height: number): readonly string[] => {
  const chain = simulateChain(1, testEpoch, testChain(name, history));
  return Array.from({ length: height }, (_, at) => idOf(chain.block(at + 1).bytes));
};

describe('chains', () => {
  it('appear in order: P first, the others when it has bootstrapped, each state for at least a round', async () => {
    const chains = await runningChains({
      chains: [testChain('P', 5), testChain('X', 4), testChain('mine', 3, 1, testId('subnet'))],
    });
    const seen = [];
    for (let round = 0; round < 5; round += 1) {
      await chains.tick(testEpoch);
      seen.push(states(chains));
    }
    expect(seen).toEqual([
      { P: 'bootstrapping' },
      { P: 'running' },
      { P: 'running', X: 'bootstrapping', mine: 'bootstrapping' },
      { P: 'running', X: 'running', mine: 'running' },
      { P: 'running', X: 'running', mine: 'running' },
    ]);
    await chains.close();
  });

  it('bootstrap in rounds, and their index answers meanwhile', async () => {
    const chains = await runningChains({ chains: [testChain('P', 25)], bootstrap: { blocksPerRound: 10, pauseSeconds: 0 } });
    const heights = [];
    for (let round = 0; round < 4; round += 1) {
      await chains.tick(testEpoch);
      heights.push([statusOf(chains, 'P')?.state, statusOf(chains, 'P')?.lastAcceptedHeight]);
      expect(await ask(chains, 'P/block', 'isAccepted', {})).toEqual({ isAccepted: false });
    }
    expect(heights).toEqual([
      ['bootstrapping', 0],
      ['bootstrapping', 10],
      ['bootstrapping', 20],
      ['running', 25],
    ]);
    await chains.close();
  });

  it('then follow the clock of the network, and last id, last number and height agree', async () => {
    const chains = await bootstrapped(await runningChains());
    await chains.tick(testEpoch + 7);
    for (const [name, history] of [
      ['P', 5],
      ['X', 4],
      ['C', 3],
    ] as const) {
      const status = statusOf(chains, name);
      expect(status).toMatchObject({ lastAcceptedHeight: history + 7, processingBlocks: 0, longestProcessingSeconds: 0 });
      expect(await ask(chains, `${name}/block`, 'getLastAccepted')).toMatchObject({
        id: status?.lastAcceptedId,
        index: `${history + 6}`,
      });
      expect(await idsOf(chains, `${name}/block`)).toEqual(recordOf(name, history, history + 7));
    }
    await chains.close();
  });

  it('have no index but those of P, X and C, and none at all when it is off', async () => {
    const chains = await bootstrapped(await runningChains({ indexEnabled: false }));
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toEqual({ error: '404' });
    expect(statusOf(chains, 'P')).toMatchObject({ state: 'running', lastAcceptedHeight: 5 });
    await chains.close();
  });

  it('give X/vtx and X/tx their history; X/vtx never grows, X/tx only in the documented dialect', async () => {
    for (const dialect of ['avalanchego', 'documented'] as const) {
      const chains = await bootstrapped(await runningChains({ dialect, chains: [testChain('P', 1), testChain('X', 20)] }));
      const sizes = async () => [(await idsOf(chains, 'X/vtx')).length, (await idsOf(chains, 'X/tx')).length];
      const [vertices = 0, transactions = 0] = await sizes();
      expect(vertices).toBe(10);
      expect(transactions).toBeGreaterThanOrEqual(10);
      await chains.tick(testEpoch + 20);
      const [verticesAfter, transactionsAfter] = await sizes();
      expect(verticesAfter).toBe(10);
      if (dialect === 'documented') expect(transactionsAfter).toBeGreaterThanOrEqual(transactions + 20);
      else expect(transactionsAfter).toBe(transactions);
      await chains.close();
    }
  });
});

describe('a restarted node', () => {
  it('accepts every container that was accepted while it was off before it says that it has bootstrapped', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({}, kept(store)))).close();
    const again = await runningChains({ bootstrap: { blocksPerRound: 10, pauseSeconds: 0 } }, kept(store));
    const seen = [];
    for (let round = 0; round < 5; round += 1) {
      await again.tick(testEpoch + 30);
      seen.push([statusOf(again, 'P')?.state, statusOf(again, 'P')?.lastAcceptedHeight]);
    }
    expect(seen).toEqual([
      ['bootstrapping', 5],
      ['bootstrapping', 15],
      ['bootstrapping', 25],
      ['running', 35],
      ['running', 35],
    ]);
    expect(await idsOf(again, 'P/block')).toEqual(recordOf('P', 5, 35));
    await again.close();
  });

  it('knows its last accepted blocks also when it does not index', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({ indexEnabled: false }, kept(store)))).close();
    const again = await runningChains({ indexEnabled: false }, kept(store));
    await again.tick(testEpoch);
    expect(statusOf(again, 'P')).toMatchObject({ lastAcceptedHeight: 5, lastAcceptedId: recordOf('P', 5, 5).at(-1) });
    await again.close();
  });

  it('refuses a data dir whose last entry is not what was written', async () => {
    const store = openMemoryStore();
    const chains = await bootstrapped(await runningChains({}, kept(store)));
    await chains.close();
    const id = recordOf('P', 5, 5).at(-1);
    await store.write([{ key: `i:P/block:${id}`, value: Buffer.alloc(8) }]);
    expect(await startTestChains({}, kept(store))).toEqual({
      kind: 'refused',
      reason: 'data-dir',
      message: 'the index P/block in the data dir is inconsistent: the id of its last container, 4, leads to 0',
    });
  });
});

/** A store whose disk fills and empties again at will. */
const fillable = (): Store & { readonly fill: (isFull: boolean) => void } => {
  const store = openMemoryStore();
  let isFull = false;
  let hasFailed = false;
  const refuse = (): void => {
    if (isFull) {
      hasFailed = true;
      throw new StoreFailure('IO error: No space left on device');
    }
  };
  return {
    ...store,
    write: async (puts) => {
      refuse();
      if (hasFailed) throw new StoreFailure('not recovered');
      await store.write(puts);
    },
    recover: async () => {
      refuse();
      hasFailed = false;
    },
    fill: (full) => {
      isFull = full;
    },
  };
};

describe('a node whose disk is full', () => {
  it('stops accepting, says so once in the log and in the database check, and goes on when there is room', async () => {
    const store = fillable();
    const errors: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => errors.push(message) };
    const chains = await bootstrapped(await runningChains({}, { ...kept(store), log }));
    store.fill(true);
    for (let second = 1; second < 6; second += 1) await chains.tick(testEpoch + second);
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 5, processingBlocks: 5 });
    expect(errors).toEqual(['the store cannot be written: nothing is accepted']);
    await expect(chains.checkDatabase()).rejects.toThrow('No space left on device');
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 5));
    store.fill(false);
    await chains.tick(testEpoch + 20);
    await chains.checkDatabase();
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 25));
    expect(await idsOf(chains, 'X/block')).toEqual(recordOf('X', 4, 24));
    await chains.close();
  });

  it('loses and doubles nothing when a write fails in the middle of bootstrapping', async () => {
    const store = fillable();
    let writes = 0;
    const counting: Store = {
      ...store,
      write: async (puts) => {
        writes += 1;
        if (writes === 6) store.fill(true);
        await store.write(puts);
      },
    };
    const chains = await runningChains({ chains: [testChain('P', 5000)] }, kept(counting));
    for (let round = 0; round < 4; round += 1) await chains.tick(testEpoch);
    expect(statusOf(chains, 'P')?.state).toBe('bootstrapping');
    store.fill(false);
    for (let round = 0; round < 4; round += 1) await chains.tick(testEpoch + 2);
    expect(statusOf(chains, 'P')).toMatchObject({ state: 'running', lastAcceptedHeight: 5002 });
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '5001' });
    await chains.close();
  });
});

describe('a drill', () => {
  it('stalls an index: its chain goes on, the index shows nothing new, and all of it when it is over', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, stallIndex: ['P/block'] });
    await chains.tick(testEpoch + 3);
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 8 });
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '4' });
    expect(await ask(chains, 'P/block', 'isAccepted', { id: statusOf(chains, 'P')?.lastAcceptedId })).toEqual({
      isAccepted: false,
    });
    expect(await ask(chains, 'X/block', 'getLastAccepted')).toMatchObject({ index: '6' });
    chains.setFaults(noFaults);
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 8));
    await chains.close();
  });

  it('loses a container: a gap that stays', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, loseContainer: ['P/block'] });
    await chains.tick(testEpoch + 1);
    chains.setFaults(noFaults);
    await chains.tick(testEpoch + 3);
    const record = recordOf('P', 5, 8);
    expect(await idsOf(chains, 'P/block')).toEqual(record.filter((_, number) => number !== 5));
    expect(await ask(chains, 'P/block', 'getContainerByIndex', { index: '5' })).toEqual({ error: 'no container at index 5' });
    expect(await ask(chains, 'P/block', 'getIndex', { id: record[5] })).toEqual({ error: 'not found' });
    expect(await ask(chains, 'P/block', 'getIndex', { id: record[6] })).toEqual({ index: '6' });
    await chains.close();
  });

  it('sticks a chain: blocks pile up until it is over', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, stallChain: ['C'] });
    await chains.tick(testEpoch + 4);
    expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 3, processingBlocks: 4, longestProcessingSeconds: 3 });
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 9, processingBlocks: 0 });
    chains.setFaults(noFaults);
    await chains.tick(testEpoch + 4);
    expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 7, processingBlocks: 0 });
    await chains.close();
  });

  it('lets a subnet bootstrap for ever', async () => {
    const subnet = testId('subnet');
    const chains = await runningChains({ chains: [testChain('P', 2), testChain('mine', 3, 1, subnet)] });
    chains.setFaults({ ...noFaults, bootstrapForever: [subnet] });
    await bootstrapped(chains);
    expect(states(chains)).toEqual({ P: 'running', mine: 'bootstrapping' });
    chains.setFaults(noFaults);
    await chains.tick(testEpoch);
    expect(states(chains)).toEqual({ P: 'running', mine: 'running' });
    await chains.close();
  });
});
