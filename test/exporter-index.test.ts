// The index metrics, with the embedded node: each fault of an index is visible in its metric.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { IndexName } from '../src/protocol/paths.ts';
import { roundsToSettle, startTestNode, type TestNode } from './support/node.ts';
import { valuesOf, type Watching, watch } from './support/watching.ts';

interface Drill {
  readonly node: TestNode;
  readonly watching: Watching;
  /** The node accepts `count` blocks, five seconds apart, runs its checks, and is polled. */
  readonly blocks: (count: number) => Promise<void>;
  /** The values of the family for the index: one or none. */
  readonly of: (family: string) => Promise<readonly number[]>;
  readonly wait: (seconds: number) => void;
}

const drillOf = (node: TestNode, index: IndexName): Drill => {
  let now = 1_800_000_000;
  const watching = watch(node.url, () => now, { indexes: [index] }, { maxBodyBytes: 8 * 2 ** 20 });
  return {
    node,
    watching,
    blocks: async (count) => {
      now += 5;
      node.advance(5 * count);
      await node.ticks(1);
      await watching.poll();
    },
    of: async (family) => valuesOf(await watching.page(), `snowgauge_index_${family}`, { index }),
    wait: (seconds) => {
      now += seconds;
    },
  };
};

const indexed = async (index: IndexName, scenario = ''): Promise<Drill> => {
  const node = await startTestNode({ indexEnabled: true, dialect: 'avalanchego' }, scenario);
  await node.ticks(roundsToSettle);
  return drillOf(node, index);
};

/** Drift, agreement, verified index and errors, in this order; `-` for no sample. */
const seen = async ({ of }: Drill): Promise<string> => {
  const values = await Promise.all(
    ['height_drift', 'agrees_with_chain', 'verified_index'].map(async (family) => {
      const [value = '-'] = await of(family);
      return value;
    }),
  );
  const faults = await of('integrity_errors_total');
  return [...values, faults.reduce((sum, count) => sum + count, 0)].join(' ');
};

const state = async ({ watching }: Drill): Promise<string | undefined> =>
  (await watching.page()).find(({ name, value }) => name === 'snowgauge_index_state' && value === 1)?.labels.get('state');

test.each<IndexName>(['P/block', 'X/block', 'C/block'])(
  '%s, complete, has no drift, agrees with its chain, and is verified up to its head',
  async (index) => {
    const drill = await indexed(index);
    const verified: (number | undefined)[] = [];
    // The node accepts 150 blocks at once; each poll verifies at most 64 of them.
    for (const count of [0, 1, 0, 150, 1, 3, 0, 2, 0]) {
      await drill.blocks(count);
      const [drift, agrees, verifiedIndex, faults] = (await seen(drill)).split(' ');
      expect([drift, agrees, faults]).toEqual(['0', '1', '0']);
      verified.push(Number(verifiedIndex));
    }
    expect(verified).toEqual([19, 20, 20, 84, 148, 174, 174, 176, 176]);
    expect(await drill.of('last_accepted_height')).toEqual([176]);
    expect(await state(drill)).toBe('ok');
  },
);

test('a stalled index disagrees and drifts until it resumes', async () => {
  const drill = await indexed('P/block');
  await drill.blocks(0);
  await drill.node.setFaults([{ fault: 'index-stalls', index: 'P/block' }]);
  await drill.blocks(2);
  await drill.blocks(2);
  expect(await seen(drill)).toBe('4 0 19 0');
  await drill.node.setFaults([]);
  await drill.blocks(1);
  expect(await seen(drill)).toBe('0 1 24 0');
});

test('a lost container is counted once as a gap', async () => {
  const drill = await indexed('P/block');
  await drill.blocks(0);
  await drill.node.setFaults([{ fault: 'index-loses-container', index: 'P/block' }]);
  await drill.blocks(1);
  await drill.blocks(0);
  expect(await seen(drill)).toBe('1 0 19 0');
  await drill.blocks(3);
  // The node refuses ranges with the lost container, until it is requested alone.
  await drill.blocks(0);
  await drill.blocks(0);
  expect(await seen(drill)).toBe('0 1 23 1');
  await drill.blocks(1);
  expect(await seen(drill)).toBe('0 1 24 1');
});

test('a disabled index has a state and no comparison', async () => {
  const node = await startTestNode();
  await node.ticks(roundsToSettle);
  const drill = drillOf(node, 'P/block');
  await drill.blocks(1);
  await drill.blocks(1);
  expect(await state(drill)).toBe('off');
  expect(await seen(drill)).toBe('- - - 0');
});

test('an empty index of a chain at genesis has a state and no comparison', async () => {
  const drill = await indexed('X/block', 'chains: { X: { history: 0, blockInterval: 1h } }');
  await drill.blocks(1);
  await drill.blocks(1);
  expect(await state(drill)).toBe('empty');
  expect(await seen(drill)).toBe('- - - 0');
});

test.each<IndexName>(['X/vtx', 'X/tx'])(
  '%s is historical: its containers are read, but not compared with a chain',
  async (index) => {
    const drill = await indexed(index);
    await drill.blocks(1);
    await drill.blocks(3);
    expect(await state(drill)).toBe('historical');
    const [last] = await drill.of('last_accepted_height');
    expect(last).toBeGreaterThan(0);
    expect(await seen(drill)).toBe(`- - ${last} 0`);
  },
);

test('an incomplete index drifts by its missing containers, but agrees with its chain', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'snowgauge-watch-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const without = await startTestNode({ dataDir });
  await without.ticks(roundsToSettle);
  await without.close();

  const node = await startTestNode(
    { dataDir, indexEnabled: true, indexAllowIncomplete: true },
    'chains: { P: { blockInterval: 5s } }',
  );
  await node.ticks(roundsToSettle);
  const drill = drillOf(node, 'P/block');
  await drill.blocks(0);
  await drill.blocks(0);
  expect(await state(drill)).toBe('empty');
  expect(await seen(drill)).toBe('20 - - 0');
  await drill.blocks(3);
  await drill.blocks(2);
  expect(await state(drill)).toBe('ok');
  expect(await seen(drill)).toBe('20 1 4 0');
});

test('stale samples disappear, and the error counter stays', async () => {
  const drill = await indexed('P/block');
  await drill.blocks(0);
  await drill.node.setFaults([{ fault: 'api-refuses' }]);
  for (let round = 0; round < 3; round += 1) await drill.blocks(1);
  expect(await seen(drill)).toBe('0 1 19 0');
  drill.wait(0.001);
  expect(await seen(drill)).toBe('- - - 0');
  await drill.node.setFaults([]);
  await drill.blocks(1);
  expect(await seen(drill)).toBe('0 1 23 0');
});

test('a poll makes one call per unchanged index, and three per changed index, however far it has moved', async () => {
  const drill = await indexed('P/block');
  const calls = async (): Promise<number> => {
    const counts = valuesOf(await drill.watching.page(), 'snowgauge_polls_total', { api: 'index' });
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const costs: number[] = [];
  for (const count of [0, 0, 1, 0, 20, 0]) {
    const before = await calls();
    await drill.blocks(count);
    costs.push((await calls()) - before);
  }
  // The health report names the last block of the index, so that this block is compared.
  expect(costs).toEqual([3, 1, 3, 1, 3, 1]);
});
