// The limit of discovered targets applies per shard. Targets that are only watched until their handover come last.

import { expect, test } from 'vitest';
import { mergeLists } from '../../src/discovery/merge.ts';
import { relabelWith } from '../../src/discovery/relabel.ts';
import { configOf } from '../discovery/world.ts';

const merged = async (maxTargets: number, watched: readonly string[] = []) => {
  const { discovery } = await configOf({ discovery: { file: [{ files: ['/x.json'] }] } });
  const found = ['stays-1', 'leaves-1', 'other-1', 'stays-2', 'leaves-2', 'other-2'].map((name) => ({
    name,
    labels: new Map([['__address__', `${name}:9650`]]),
  }));
  const list = { source: 'file/0', found, relabel: await relabelWith([]), results: new WeakMap() };
  const share = { isOwn: (name: string) => !name.startsWith('other'), isToStay: (name: string) => name.startsWith('stays') };
  const given = { template: discovery.target, maxTargets, configured: [], watched: new Set(watched), share };
  const { own, others, problems } = await mergeLists([list], given);
  return {
    names: [...own, ...others].map(({ found }) => found.name),
    over: problems.map(({ reason, name }) => `${reason} ${name}`),
  };
};

test.each([
  { most: 4, kept: ['stays-1', 'leaves-1', 'stays-2', 'leaves-2'], over: [] },
  { most: 3, kept: ['stays-1', 'stays-2', 'leaves-1'], over: ['limit leaves-2'] },
  { most: 1, kept: ['stays-1'], over: ['limit stays-2', 'limit leaves-1', 'limit leaves-2'] },
])(
  'with maxTargets $most, own targets that stay are kept first, and all targets of other shards are known',
  async ({ most, kept, over }) => {
    expect(await merged(most)).toEqual({ names: [...kept, 'other-1', 'other-2'], over });
  },
);

test('watched targets come before others, but never a target in handover before one that stays', async () => {
  const { names } = await merged(2, ['leaves-1', 'stays-2']);
  expect(names.slice(0, 2)).toEqual(['stays-2', 'stays-1']);
  expect((await merged(3, ['leaves-2'])).names.slice(0, 3)).toEqual(['stays-1', 'stays-2', 'leaves-2']);
});
