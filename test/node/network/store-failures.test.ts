// A node whose store fails stops accepting, reports it, and resumes without losses or duplicates.

import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/log.ts';
import { silentLog } from '../../../src/log.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { type Store, StoreFailure } from '../../../src/node/index/store.ts';
import {
  ask,
  bootstrapped,
  idsOf,
  kept,
  recordOf,
  runningChains,
  statusOf,
  testChain,
  testEpoch,
} from '../../support/node-store.ts';

/** A store whose disk the test can fill and empty. */
const fillable = (): Store & { readonly fill: (isFull: boolean) => void; readonly recoveries: () => number } => {
  const store = openMemoryStore();
  let isFull = false;
  let hasFailed = false;
  let recoveries = 0;
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
      recoveries += 1;
      refuse();
      hasFailed = false;
    },
    recoveries: () => recoveries,
    fill: (full) => {
      isFull = full;
    },
  };
};

describe('a node whose disk is full', () => {
  it('stops accepting, logs it once, fails the database check, and resumes once there is room', async () => {
    const store = fillable();
    const errors: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => errors.push(message) };
    const chains = await bootstrapped(await runningChains({}, { ...kept(store), log }));
    store.fill(true);
    for (let second = 1; second < 6; second += 1) await chains.tick(testEpoch + second);
    expect(statusOf(chains, 'P')).toMatchObject({ lastAcceptedHeight: 5, processingBlocks: 5 });
    expect(errors).toEqual(['store not writable: accepting no blocks']);
    await expect(chains.checkDatabase()).rejects.toThrow('No space left on device');
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 5));
    // The index does not show what could not be written.
    expect(await ask(chains, 'P/block', 'getLastAccepted')).toMatchObject({ index: '4' });
    store.fill(false);
    await chains.tick(testEpoch + 20);
    await chains.checkDatabase();
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 25));
    expect(await idsOf(chains, 'X/block')).toEqual(recordOf('X', 4, 24));
    await chains.close();
  });

  it('loses and duplicates nothing if a write fails while bootstrapping', async () => {
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

  it('tries to recover once a second, and logs each time the disk is full and writable again', async () => {
    const store = fillable();
    const said: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => said.push(message), info: (_, message) => said.push(message) };
    const chains = await bootstrapped(await runningChains({}, { ...kept(store), log }));
    const spell = ['store not writable: accepting no blocks', 'store writable again: accepting blocks'];
    for (const full of [10, 20]) {
      said.length = 0;
      store.fill(true);
      const before = store.recoveries();
      const tried: number[] = [];
      for (const second of [0, 0.5, 0.9, 1, 1.5, 2]) {
        await chains.tick(testEpoch + full + second);
        tried.push(store.recoveries() - before);
      }
      expect(tried).toEqual([0, 0, 0, 1, 1, 2]);
      store.fill(false);
      for (const second of [3, 4, 5]) await chains.tick(testEpoch + full + second);
      expect(store.recoveries() - before).toBe(3);
      expect(said).toEqual(spell);
      expect(statusOf(chains, 'C')).toMatchObject({ lastAcceptedHeight: 3 + full + 5 });
    }
    await chains.close();
  });

  it('stops accepting if the database check fails first, and resumes in the first tick with room', async () => {
    const store = fillable();
    const errors: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => errors.push(message) };
    const chains = await bootstrapped(await runningChains({}, { ...kept(store), log }));
    store.fill(true);
    await expect(chains.checkDatabase()).rejects.toThrow('No space left on device');
    expect(errors).toEqual(['store not writable: accepting no blocks']);
    store.fill(false);
    await chains.tick(testEpoch + 2);
    expect(await idsOf(chains, 'P/block')).toEqual(recordOf('P', 5, 7));
    await chains.close();
  });

  it.each([
    { what: 'the database check runs twice a second', checks: [0, 0.5, 1] },
    { what: 'the clock is set back by an hour', checks: [3600, -1] },
  ])('resumes after a second with room if $what', async ({ checks }) => {
    const store = fillable();
    let now = testEpoch;
    const chains = await bootstrapped(await runningChains({}, { ...kept(store), now: () => now }));
    store.fill(true);
    for (const seconds of checks) {
      now = testEpoch + seconds;
      await expect(chains.checkDatabase()).rejects.toThrow();
      store.fill(false);
    }
    await chains.tick(testEpoch + 1);
    await chains.checkDatabase();
    expect(store.recoveries()).toBe(1);
    await chains.close();
  });
});

describe('a failing store', () => {
  it('that fails a write which succeeded causes no loss and no duplicates', async () => {
    const store = openMemoryStore();
    let broken = 0;
    const lying: Store = {
      ...store,
      write: async (puts) => {
        await store.write(puts);
        broken -= 1;
        if (broken === 0) throw new StoreFailure('IO error: Input/output error');
      },
    };
    const chains = await bootstrapped(await runningChains({}, kept(lying)));
    for (let second = 5; second < 30; second += 5) {
      broken = second % 4;
      await chains.tick(testEpoch + second);
      await chains.tick(testEpoch + second + 1);
    }
    for (const [name, history] of [
      ['P', 5],
      ['X', 4],
      ['C', 3],
    ] as const)
      expect(await idsOf(chains, `${name}/block`)).toEqual(recordOf(name, history, history + 26));
    await chains.close();
  });

  it.each([
    { gives: undefined, what: 'nothing' },
    { gives: Buffer.from('{"now":0}'), what: 'something else' },
  ])('that returns $what for a written entry fails the database check', async ({ gives }) => {
    const store = openMemoryStore();
    const forgetful: Store = { ...store, get: async (key) => (key === 'm:probe' ? gives : store.get(key)) };
    const chains = await bootstrapped(await runningChains({}, kept(forgetful)));
    await expect(chains.checkDatabase()).rejects.toThrow('the store does not give back what was written');
    await chains.close();
  });

  it('that throws an internal error makes the tick throw it', async () => {
    const store = openMemoryStore();
    let isOurs = false;
    const faulty: Store = {
      ...store,
      write: async (puts) => {
        if (isOurs) throw new TypeError('a fault of ours');
        await store.write(puts);
      },
    };
    const chains = await bootstrapped(await runningChains({}, kept(faulty)));
    isOurs = true;
    await expect(chains.tick(testEpoch + 1)).rejects.toThrow('a fault of ours');
    await chains.close();
  });
});

describe('a node stopped', () => {
  it('while bootstrapping ends after the running write, and continues from there after a restart', async () => {
    const store = openMemoryStore();
    let closed: Promise<void> | undefined;
    let writes = 0;
    const counting: Store = {
      ...store,
      write: async (puts) => {
        writes += 1;
        if (writes === 4) closed = chains.close();
        await store.write(puts);
      },
    };
    const chains = await runningChains({ chains: [testChain('P', 9000)] }, kept(counting));
    for (let round = 0; round < 4; round += 1) await chains.tick(testEpoch);
    await closed;
    expect(writes).toBe(4);
    const height = statusOf(chains, 'P')?.lastAcceptedHeight ?? 0;
    expect(height).toBeGreaterThan(0);
    const again = await bootstrapped(await runningChains({ chains: [testChain('P', 9000)] }, kept(store)));
    expect(statusOf(again, 'P')).toMatchObject({ state: 'running', lastAcceptedHeight: 9000 });
    expect(await ask(again, 'P/block', 'getLastAccepted')).toMatchObject({ index: '8999' });
    await again.close();
  });
});
