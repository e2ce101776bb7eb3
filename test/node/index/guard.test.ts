// The rules on completeness: whether a node starts on a data dir, by its history and the flags of the next start.

import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { storeFormat } from '../../../src/node/network/records.ts';
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

const enabled = { indexEnabled: true, indexAllowIncomplete: false };
const enabledAllowed = { indexEnabled: true, indexAllowIncomplete: true };
const disabled = { indexEnabled: false, indexAllowIncomplete: false };
const disabledAllowed = { indexEnabled: false, indexAllowIncomplete: true };

const wouldBecome = 'running would cause index to become incomplete but incomplete indices are disabled';
const isIncomplete = 'index is incomplete but incomplete indices are disabled. Shutting down';

describe.each([
  { history: 'a fresh database', runs: [], flags: enabled, refusal: undefined, drift: 0 },
  { history: 'a fresh database', runs: [], flags: disabled, refusal: undefined, drift: undefined },
  { history: 'an indexed run', runs: [enabled], flags: enabled, refusal: undefined, drift: 0 },
  { history: 'an indexed run', runs: [enabled], flags: disabled, refusal: wouldBecome, drift: undefined },
  { history: 'an indexed run', runs: [enabled], flags: disabledAllowed, refusal: undefined, drift: undefined },
  { history: 'a refused start', runs: [enabled, disabled], flags: enabled, refusal: undefined, drift: 0 },
  {
    history: 'a run marked incomplete',
    runs: [enabled, disabledAllowed],
    flags: enabled,
    refusal: isIncomplete,
    drift: undefined,
  },
  { history: 'a run marked incomplete', runs: [enabled, disabledAllowed], flags: enabledAllowed, refusal: undefined, drift: 10 },
  {
    history: 'a run marked incomplete',
    runs: [enabled, disabledAllowed],
    flags: disabled,
    refusal: wouldBecome,
    drift: undefined,
  },
  {
    history: 'a run marked incomplete and then allowed',
    runs: [enabled, disabledAllowed, enabledAllowed],
    flags: enabled,
    refusal: isIncomplete,
    drift: undefined,
  },
  { history: 'a first run without index', runs: [disabled], flags: enabled, refusal: isIncomplete, drift: undefined },
  { history: 'a first run without index', runs: [disabled], flags: enabledAllowed, refusal: undefined, drift: 5 },
  { history: 'an indexed and allowed run', runs: [enabledAllowed], flags: enabled, refusal: undefined, drift: 0 },
])('after $history, a start with $flags', ({ runs, flags, refusal, drift }) => {
  it(refusal === undefined ? 'runs' : `refuses: ${refusal}`, async () => {
    const store = openMemoryStore();
    // Each run lasts for ten blocks of P; its history is five.
    for (const [at, earlier] of runs.entries()) {
      const started = await startTestChains(earlier, kept(store));
      if (started.kind === 'ok') await (await bootstrapped(started.chains, testEpoch + 10 * at)).close();
    }
    const started = await startTestChains(flags, kept(store));
    expect(started).toMatchObject(
      refusal === undefined ? { kind: 'ok' } : { kind: 'refused', reason: 'index', message: refusal },
    );
    if (started.kind === 'refused') return;
    const chains = await bootstrapped(started.chains, testEpoch + 10 * runs.length);
    const height = chains.statuses().find(({ name }) => name === 'P')?.lastAcceptedHeight ?? 0;
    expect(height).toBe(5 + 10 * runs.length);
    const last = await ask(chains, 'P/block', 'getLastAccepted');
    // The number of the last container and the height keep their offset while the index is complete.
    expect(last).toMatchObject(drift === undefined ? { error: '404' } : { index: `${height - 1 - drift}` });
    await chains.close();
  });
});

describe('the index of a data dir', () => {
  it('is kept when it is marked incomplete, and continues after the gap', async () => {
    const store = openMemoryStore();
    const first = await bootstrapped(await runningChains(enabled, kept(store)));
    const before = await ask(first, 'P/block', 'getContainerRange', { startIndex: '0', numToFetch: '5' });
    await first.close();
    await (await bootstrapped(await runningChains(disabledAllowed, kept(store)), testEpoch + 3)).close();
    const third = await bootstrapped(await runningChains(enabledAllowed, kept(store)), testEpoch + 4);
    expect(await ask(third, 'P/block', 'getContainerRange', { startIndex: '0', numToFetch: '5' })).toEqual(before);
    expect(await ask(third, 'P/block', 'getLastAccepted')).toMatchObject({ index: '5' });
    await third.close();
  });

  it('is marked incomplete for each chain when the chain is created', async () => {
    const store = openMemoryStore();
    const first = await runningChains(disabled, kept(store));
    // After one tick only P exists.
    await first.tick(testEpoch);
    await first.close();
    const others = await startTestChains({ ...enabled, chains: [testChain('X', 4), testChain('C', 3)] }, kept(store));
    expect(others).toMatchObject({ kind: 'ok' });
    expect(await startTestChains({ ...enabled, chains: [testChain('P', 5)] }, kept(store))).toMatchObject({
      kind: 'refused',
      message: isIncomplete,
    });
  });

  it('does not exist for a subnet, so disabling it there makes nothing incomplete', async () => {
    const store = openMemoryStore();
    const chains = [testChain('P', 5), testChain('mine', 3, 1, testId('subnet'))];
    await (await bootstrapped(await runningChains({ ...enabled, chains }, kept(store)))).close();
    const mine = { ...disabled, chains: chains.slice(1) };
    await (await bootstrapped(await runningChains(mine, kept(store)))).close();
    expect(await startTestChains({ ...enabled, chains }, kept(store))).toMatchObject({ kind: 'ok' });
  });

  it('belongs to the network of its seed: another seed is rejected', async () => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({ seed: 1 }, kept(store)))).close();
    expect(await startTestChains({ seed: 2, dataDir: '/data' }, kept(store))).toEqual({
      kind: 'refused',
      reason: 'data-dir',
      message:
        'the data dir belongs to the network of seed 1, not 2: start with --seed 1, delete the data dir /data, or choose another with --data-dir',
    });
  });

  it.each([undefined, storeFormat - 1, storeFormat + 1])('in format %s is rejected and left unchanged', async (format) => {
    const store = openMemoryStore();
    await (await bootstrapped(await runningChains({}, kept(store)))).close();
    const written = JSON.parse((await store.get('m:network'))?.toString() ?? '');
    expect(written).toEqual({ seed: 1, epoch: testEpoch, format: storeFormat });
    const other = { key: 'm:network', value: Buffer.from(JSON.stringify({ ...written, format })) };
    await store.write([other]);
    expect(await startTestChains({ dataDir: '/data' }, kept(store))).toEqual({
      kind: 'refused',
      reason: 'data-dir',
      message: `the data dir has format ${format ?? 1}, and this version of snowgauge reads only format ${storeFormat}: run the version that wrote it, delete the data dir /data, or choose another with --data-dir`,
    });
    expect(await store.get('m:network')).toEqual(other.value);
  });
});
