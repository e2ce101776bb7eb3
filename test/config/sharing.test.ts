// What a reload leaves as it was is the same object, and nothing else is.

import { expect, test } from 'vitest';
import { sharing } from '../../src/config/sharing.ts';
import { type TargetConfig, targetFrom } from '../../src/config/target.ts';

const url = 'http://127.0.0.1:9650';
const tagSets = [{ name: 'all' }, { name: 'a', tags: ['a'] }];

/** More than one turn's. */
const fleet = (over: object = {}): readonly TargetConfig[] =>
  Array.from({ length: 120 }, (_, at) => targetFrom({ name: `n${at}`, url, tagSets, ...over }));

test('equal targets are the same objects, wherever they stand', async () => {
  const before = fleet();
  const shared = await sharing(before, fleet().toReversed());
  expect(shared.map(({ options }, at) => options === before[119 - at]?.options)).toEqual(Array(120).fill(true));
  expect(shared.map(({ client }, at) => client === before[119 - at]?.client)).toEqual(Array(120).fill(true));
});

test('what differs is as the new configuration has it, beside parts of the one before', async () => {
  const before = fleet({ labels: { site: 'here' } });
  const after = fleet({ labels: { site: 'there' } });
  const shared = await sharing(before, after);
  expect(shared).toEqual(after);
  const [was, is] = [before[70], shared[70]];
  expect(is?.options.labels).toEqual({ site: 'there' });
  expect(is?.options.tagSets).toBe(was?.options.tagSets);
  expect(is?.client).toBe(was?.client);
});

test.each([
  { change: 'a setting is gone', before: { staleAfter: 9, nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' }, after: {} },
  { change: 'a setting is new', before: {}, after: { nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' } },
  { change: 'it is asked another way', before: { timeout: '1s' }, after: { timeout: '2s', headers: { 'X-A': 'b' } } },
])('nothing is left of the one before where $change', async ({ before, after }) => {
  expect(await sharing(fleet(before), fleet(after))).toEqual(fleet(after));
});

test('a target that is new is as given, and one that is gone is not there', async () => {
  const [first, ...rest] = fleet();
  const shared = await sharing(rest, first === undefined ? [] : [first]);
  expect(shared[0]).toBe(first);
  expect(shared).toHaveLength(1);
});
