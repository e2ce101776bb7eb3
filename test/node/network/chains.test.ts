// How the node accepts the network's blocks: the order, the times, and what survives a restart.

import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/log.ts';
import { silentLog } from '../../../src/log.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import type { Chains } from '../../../src/node/network/chains.ts';
import { noFaults } from '../../../src/node/network/faults.ts';
import {
  ask,
  bootstrapped,
  idsOf,
  kept,
  numbersOf,
  recordOf,
  runningChains,
  startTestChains,
  statusOf,
  testChain,
  testEpoch,
  testId,
} from '../../support/node-store.ts';

const states = (chains: Chains): Record<string, string> =>
  Object.fromEntries(chains.statuses().map(({ name, state }) => [name, state]));

describe('chains', () => {
  it('log at the start that their store is damaged', async () => {
    const said: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields, message) => said.push([fields, message]) };
    const openStore = async () => ({ kind: 'ok' as const, store: openMemoryStore(), damage: '9 bytes of its log are dropped' });
    await (await runningChains({ dataDir: '/data' }, { log, openStore })).close();
    expect(said).toEqual([[{ dataDir: '/data' }, 'the data dir is damaged: 9 bytes of its log are dropped']]);
  });

  it('are created in order: P first, the others once it has bootstrapped, each state for at least one tick', async () => {
    const said: string[] = [];
    const log: Log = { ...silentLog, info: ({ chain }, message) => said.push(`${chain}: ${message}`) };
    const chains = await runningChains(
      { chains: [testChain('P', 5), testChain('X', 4), testChain('mine', 3, 1, testId('subnet'))] },
      { log },
    );
    const seen = [];
    const indexes: boolean[] = [];
    for (let round = 0; round < 5; round += 1) {
      await chains.tick(testEpoch);
      seen.push(states(chains));
      indexes.push(chains.indexService('X/block') !== undefined);
    }
    expect(seen).toEqual([
      { P: 'bootstrapping' },
      { P: 'running' },
      { P: 'running', X: 'bootstrapping', mine: 'bootstrapping' },
      { P: 'running', X: 'running', mine: 'running' },
      { P: 'running', X: 'running', mine: 'running' },
    ]);
    // An index appears with its chain.
    expect(indexes).toEqual([false, false, true, true, true]);
    expect(said).toEqual([
      'P: chain created',
      'P: chain is bootstrapping',
      'P: chain is running',
      'X: chain created',
      'mine: chain created',
      'X: chain is bootstrapping',
      'mine: chain is bootstrapping',
      'X: chain is running',
      'mine: chain is running',
    ]);
    await chains.close();
  });

  it('close after the running tick has ended, then close the store', async () => {
    const store = openMemoryStore();
    const order: string[] = [];
    let isBootstrapped = false;
    let goOn: (() => void) | undefined;
    const slow: Store = {
      ...store,
      write: async (puts) => {
        if (isBootstrapped && goOn === undefined) {
          order.push('a write begins');
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
          order.push('it ends');
        }
        await store.write(puts);
      },
      close: async () => {
        order.push('the store is closed');
      },
    };
    const chains = await bootstrapped(await runningChains({}, { openStore: async () => ({ kind: 'ok', store: slow }) }));
    isBootstrapped = true;
    const round = chains.tick(testEpoch + 1);
    await expect.poll(() => order).toContain('a write begins');
    const closed = chains.close();
    goOn?.();
    await Promise.all([round, closed]);
    expect(order).toEqual(['a write begins', 'it ends', 'the store is closed']);
  });

  it('bootstrap in ticks of blocksPerRound blocks, and their index responds meanwhile', async () => {
    const chains = await runningChains({ chains: [testChain('P', 25)], blocksPerRound: 10 });
    const heights = [];
    for (let round = 0; round < 4; round += 1) {
      await chains.tick(testEpoch);
      heights.push([statusOf(chains, 'P')?.state, statusOf(chains, 'P')?.lastAcceptedHeight]);
      // Blocks fetched while bootstrapping do not count as processing.
      expect(statusOf(chains, 'P')).toMatchObject({ processingBlocks: 0, longestProcessingSeconds: 0 });
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

  it('accept blocks by the clock of the network, and their height agrees with the last id and index', async () => {
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

  it.each([
    { at: testEpoch, utcOffsetMinutes: 0, text: '2027-01-15T08:00:00Z' },
    { at: testEpoch + 0.123457, utcOffsetMinutes: 0, text: '2027-01-15T08:00:00.123457Z' },
    { at: testEpoch + 0.999999, utcOffsetMinutes: -480, text: '2027-01-15T00:00:00.999999-08:00' },
  ])('timestamp containers with the node’s clock, to the microsecond: $text', async ({ at, utcOffsetMinutes, text }) => {
    const chains = await bootstrapped(await runningChains({ utcOffsetMinutes }, { clock: () => at }));
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ timestamp: text });
    await chains.close();
  });

  it('of a subnet have no index, even with an alias of the Primary Network', async () => {
    const chains = await bootstrapped(
      await runningChains({ chains: [testChain('P', 5), testChain('X', 4, 1, testId('subnet'))] }),
    );
    expect(states(chains)).toEqual({ P: 'running', X: 'running' });
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '4' });
    expect(await ask(chains, 'X/block', 'getLastAccepted')).toEqual({ error: '404' });
    await chains.close();
  });

  it('write all blocks that the network has accepted since in one batch', async () => {
    const store = openMemoryStore();
    let writes = 0;
    const counting: Store = {
      ...store,
      write: (puts) => {
        writes += 1;
        return store.write(puts);
      },
    };
    const chains = await bootstrapped(await runningChains({ chains: [testChain('P', 5)] }, kept(counting)));
    const costs: number[] = [];
    for (const second of [0, 1, 4, 68, 133]) {
      writes = 0;
      await chains.tick(testEpoch + second);
      costs.push(writes);
    }
    expect(costs).toEqual([0, 1, 1, 1, 1]);
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 138));
    await chains.close();
  });

  it('have no index if indexEnabled is false', async () => {
    const chains = await bootstrapped(await runningChains({ indexEnabled: false }));
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toEqual({ error: '404' });
    expect(statusOf(chains, 'P')).toMatchObject({ state: 'running', lastAcceptedHeight: 5 });
    await chains.close();
  });

  it('fill X/vtx and X/tx from history; X/vtx never grows, X/tx only in the documented dialect', async () => {
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
  it('accepts all containers accepted while it was offline before it reports running', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({}, kept(store)))).close();
    const again = await runningChains({ blocksPerRound: 10 }, kept(store));
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

  it('keeps its last accepted blocks if indexEnabled is false', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({ indexEnabled: false }, kept(store)))).close();
    const again = await runningChains({ indexEnabled: false }, kept(store));
    await again.tick(testEpoch);
    expect(statusOf(again, 'P')).toMatchObject({ lastAcceptedHeight: 5, lastAcceptedId: recordOf('P', 5, 5).at(-1) });
    await again.close();
  });

  it('keeps the epoch of its first start over several restarts', async () => {
    const store = openMemoryStore();
    for (const seconds of [0, 10, 20, 30]) {
      const now = testEpoch + seconds;
      const chains = await bootstrapped(await runningChains({}, { ...kept(store), now: () => now }), now);
      expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 5 + seconds, state: 'running' });
      await chains.close();
    }
  });

  it('rejects a data dir with an unreadable record, and closes the store', async () => {
    for (const key of ['m:network', `g:${testId('P')}`]) {
      const store = openMemoryStore();
      await (await bootstrapped(await runningChains({}, kept(store)))).close();
      await store.write([{ key, value: Buffer.from('{"seed":') }]);
      let closed = 0;
      const close = async (): Promise<void> => {
        closed += 1;
      };
      const counting: Store = { ...store, close };
      expect(await startTestChains({ dataDir: '/data' }, { openStore: async () => ({ kind: 'ok', store: counting }) })).toEqual({
        kind: 'refused',
        reason: 'data-dir',
        message: `the record ${key} in the data dir is not readable: delete the data dir /data, or choose another with --data-dir`,
      });
      expect(closed).toBe(1);
    }
  });

  it('with a clock set back runs at once and accepts no block twice', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({}, kept(store)), testEpoch + 30)).close();
    const again = await bootstrapped(await runningChains({}, kept(store)), testEpoch + 10);
    expect(statusOf(again, 'P')).toMatchObject({ state: 'running', lastAcceptedHeight: 35, processingBlocks: 0 });
    expect(await idsOf(again, 'P/block')).toEqual(recordOf('P', 5, 35));
    await again.close();
  });

  it('rejects a data dir with an inconsistent index', async () => {
    const store = openMemoryStore();
    const chains = await bootstrapped(await runningChains({}, kept(store)));
    await chains.close();
    const id = recordOf('P', 5, 5).at(-1);
    await store.write([{ key: `i:P/block:${id}`, value: Buffer.alloc(8) }]);
    expect(await startTestChains({ dataDir: '/data' }, kept(store))).toEqual({
      kind: 'refused',
      reason: 'data-dir',
      message:
        'the index P/block in the data dir is inconsistent: the id of its last container, 4, leads to 0: delete the data dir /data, or choose another with --data-dir',
    });
  });
});

describe('a fault', () => {
  it('stalls an index while its chain accepts blocks; afterwards the index shows all of them', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, stallIndex: ['P/block'] });
    await chains.tick(testEpoch + 3);
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 8 });
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '4' });
    expect(await ask(chains, 'P/block', 'isAccepted', { id: statusOf(chains, 'P')?.lastAcceptedId })).toEqual({
      isAccepted: false,
    });
    expect(await ask(chains, 'X/block', 'getLastAccepted')).toMatchObject({ index: '6' });
    // Another fault that begins or ends meanwhile changes nothing.
    chains.setFaults({ ...noFaults, stallIndex: ['P/block'], stallChain: ['C'] });
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '4' });
    expect(await ask(chains, 'P/block', 'getContainerByIndex', { index: '5' })).toEqual({ error: 'no container at index 5' });
    chains.setFaults(noFaults);
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 8));
    await chains.close();
  });

  it('loses a container and leaves a permanent gap', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, loseContainer: ['P/block'] });
    await chains.tick(testEpoch + 1);
    chains.setFaults(noFaults);
    await chains.tick(testEpoch + 3);
    const record = recordOf('P', 5, 8);
    const lost = "couldn't read from database: not found";
    expect(await ask(chains, 'P/block', 'getContainerByIndex', { index: '5' })).toEqual({ error: lost });
    expect(await numbersOf(chains, 'P/block', 8)).toEqual([0, 1, 2, 3, 4, 6, 7]);
    expect(await ask(chains, 'P/block', 'getIndex', { id: record[5] })).toEqual({ error: 'not found' });
    expect(await ask(chains, 'P/block', 'getIndex', { id: record[6] })).toEqual({ index: '6' });
    await chains.close();
  });

  it('loses one container each time it begins; getLastAccepted skips lost ones at the end', async () => {
    const chains = await bootstrapped(await runningChains());
    const loses = { ...noFaults, loseContainer: ['P/block'] as const };
    chains.setFaults(loses);
    await chains.tick(testEpoch + 1);
    // It does not begin again when another fault begins.
    chains.setFaults({ ...loses, stallChain: ['C'] });
    await chains.tick(testEpoch + 2);
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '6' });
    for (const second of [3, 4]) {
      chains.setFaults(noFaults);
      chains.setFaults(loses);
      await chains.tick(testEpoch + second);
    }
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '6' });
    await chains.tick(testEpoch + 5);
    expect(await numbersOf(chains, 'P/block', 10)).toEqual([0, 1, 2, 3, 4, 6, 9]);
    await chains.close();
  });

  it('stalls a chain: its blocks stay processing until the fault ends', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, stallChain: ['C'] });
    await chains.tick(testEpoch + 4);
    expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 3, processingBlocks: 4, longestProcessingSeconds: 3 });
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 9, processingBlocks: 0 });
    // The network does not go back with the clock.
    await chains.tick(testEpoch + 2);
    expect(statusOf(chains, 'C')).toMatchObject({ processingBlocks: 4, longestProcessingSeconds: 3 });
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 9, processingBlocks: 0 });
    chains.setFaults(noFaults);
    await chains.tick(testEpoch + 4);
    expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 7, processingBlocks: 0 });
    await chains.close();
  });

  it('never gives a negative longestProcessingSeconds', async () => {
    const chains = await bootstrapped(await runningChains({ chains: [testChain('P', 5)] }));
    chains.setFaults({ ...noFaults, stallChain: ['P'] });
    await chains.tick(testEpoch + 0.9995);
    expect(statusOf(chains, 'P')).toMatchObject({ processingBlocks: 1, longestProcessingSeconds: 0 });
    await chains.close();
  });

  it('sets a running chain, named by its id, to bootstrapping; it still accepts blocks, and runs after the fault', async () => {
    const chains = await bootstrapped(await runningChains());
    chains.setFaults({ ...noFaults, bootstrapForever: [testId('C')] });
    await chains.tick(testEpoch + 2);
    expect(states(chains)).toEqual({ P: 'running', X: 'running', C: 'bootstrapping' });
    expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 5 });
    chains.setFaults(noFaults);
    await chains.tick(testEpoch + 3);
    expect(states(chains)).toEqual({ P: 'running', X: 'running', C: 'running' });
    await chains.close();
  });

  it('keeps a subnet bootstrapping until it ends', async () => {
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
