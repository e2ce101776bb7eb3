// A reload reuses the objects of the previous configuration for everything that is unchanged.

import { expect, test } from 'vitest';
import { sharing } from '../../src/config/sharing.ts';
import { type TargetConfig, targetFrom } from '../../src/config/target.ts';

const url = 'http://127.0.0.1:9650';
const tagSets = [{ name: 'all' }, { name: 'a', tags: ['a'] }];

/** More than one turn of the event loop handles. */
const fleet = (over: object = {}): readonly TargetConfig[] =>
  Array.from({ length: 120 }, (_, at) => targetFrom({ name: `n${at}`, url, tagSets, ...over }));

test('reuses the options and clients of equal targets, whatever their order', async () => {
  const before = fleet();
  const shared = await sharing(before, fleet().toReversed());
  expect(shared.map(({ options }, at) => options === before[119 - at]?.options)).toEqual(Array(120).fill(true));
  expect(shared.map(({ client }, at) => client === before[119 - at]?.client)).toEqual(Array(120).fill(true));
});

test('reuses the unchanged parts of a changed target', async () => {
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
  { change: 'a setting is removed', before: { staleAfter: 9, nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' }, after: {} },
  { change: 'a setting is added', before: {}, after: { nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' } },
  { change: 'client settings change', before: { timeout: '1s' }, after: { timeout: '2s', headers: { 'X-A': 'b' } } },
])('keeps nothing of the previous value when $change', async ({ before, after }) => {
  expect(await sharing(fleet(before), fleet(after))).toEqual(fleet(after));
});

test('keeps a new target as given and drops a removed one', async () => {
  const [first, ...rest] = fleet();
  const shared = await sharing(rest, first === undefined ? [] : [first]);
  expect(shared[0]).toBe(first);
  expect(shared).toHaveLength(1);
});
