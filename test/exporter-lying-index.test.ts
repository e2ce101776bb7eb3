// An index with wrong responses, over real sockets: each integrity error is counted once by its kind, in every response format.

import { describe, expect, test } from 'vitest';
import { maxUint64 } from '../src/protocol/container.ts';
import type { IntegrityErrorKind } from '../src/sources/indexes/integrity-error.ts';
import { containerAt, containersTo, type IndexMethods, indexOf } from './support/containers.ts';
import { type ServedIndex, type Shapes, serveIndex } from './support/serve-index.ts';
import { valuesOf, type Watching, watch } from './support/watching.ts';

const at = 1_800_000_000;

const shapes: readonly Shapes[] = [
  { range: 'array', numbers: 'quoted' },
  { range: 'array', numbers: 'plain' },
  { range: 'object', numbers: 'quoted' },
  { range: 'object', numbers: 'plain' },
];

const honest = indexOf(containersTo(14));
const told = (number: number, over: object): IndexMethods =>
  indexOf(containersTo(14).map((one) => (one.index === BigInt(number) ? { ...one, ...over } : one)));

const lies: readonly { readonly lie: string; readonly methods: IndexMethods; readonly kind?: IntegrityErrorKind }[] = [
  { lie: 'only correct data', methods: honest },
  { lie: 'a wrong hash', methods: told(12, { id: containerAt(77).id }), kind: 'hash' },
  {
    lie: 'another index for the id',
    methods: { ...honest, numberOf: () => ({ kind: 'ok', value: { index: 2n } }) },
    kind: 'id',
  },
  { lie: 'a timestamp before the previous one', methods: told(12, { timestamp: '2027-01-15T07:59:59Z' }), kind: 'time' },
  {
    lie: 'indices that are not contiguous',
    methods: indexOf(containersTo(14).filter(({ index }) => index !== 12n)),
    kind: 'gap',
  },
  { lie: 'a container of another index', methods: told(12, { index: 10n }), kind: 'number' },
];

const of = async (watching: Watching, family: string): Promise<readonly number[]> =>
  valuesOf(await watching.page(), `snowgauge_index_${family}`);

/** The error counts by kind, without zeros. */
const faults = async (watching: Watching): Promise<readonly string[]> =>
  (await watching.page()).flatMap(({ name, labels, value }) =>
    name === 'snowgauge_index_integrity_errors_total' && value > 0 ? `${labels.get('kind')} ${value}` : [],
  );

interface Serving {
  readonly watching: Watching;
  readonly set: (to: ServedIndex) => void;
}

const serving = async (shape: Shapes, first: ServedIndex): Promise<Serving> => {
  let served = first;
  const url = await serveIndex(() => served, shape);
  return {
    watching: watch(url, () => at),
    set: (to) => {
      served = to;
    },
  };
};

const block = (height: number) => ({ height, id: containerAt(height - 1).id });

describe.each(shapes)('with ranges as an $range and $numbers numbers', (shape) => {
  test.each(lies)('an index that returns $lie has the error kind $kind', async ({ methods, kind }) => {
    const { watching, set } = await serving(shape, { methods: indexOf(containersTo(9)), chain: block(10) });
    await watching.poll();
    expect(await faults(watching)).toEqual([]);
    expect(await of(watching, 'verified_index')).toEqual([9]);

    set({ methods, chain: block(15) });
    await watching.poll();
    await watching.poll();
    expect(await faults(watching)).toEqual(kind === undefined ? [] : [`${kind} 1`]);
    expect(await of(watching, 'verified_index')).toEqual([14]);

    set({ methods: indexOf(containersTo(20)), chain: block(21) });
    await watching.poll();
    expect(await faults(watching)).toEqual(kind === undefined ? [] : [`${kind} 1`]);
    expect(await of(watching, 'verified_index')).toEqual([20]);
    expect(await of(watching, 'height_drift')).toEqual([0]);
    expect(await of(watching, 'agrees_with_chain')).toEqual([1]);
  });
});

test('the index 2^64 − 1 is exported, and a restart at 0 is not an error', async () => {
  const last = { ...containerAt(0), index: maxUint64 };
  const chain = { height: 10, id: last.id };
  const { watching, set } = await serving({ range: 'object', numbers: 'quoted' }, { methods: indexOf([last]), chain });
  await watching.poll();
  for (const family of ['last_accepted_height', 'verified_index']) expect(await of(watching, family)).toEqual([2 ** 64]);
  expect(await of(watching, 'height_drift')).toEqual([-(2 ** 64)]);
  set({ methods: indexOf(containersTo(0)), chain: block(1) });
  await watching.poll();
  expect(await of(watching, 'verified_index')).toEqual([0]);
  expect(await of(watching, 'height_drift')).toEqual([0]);
  expect(await faults(watching)).toEqual([]);
});

test('one new container is requested by its index, several as a range', async () => {
  const { watching, set } = await serving(
    { range: 'object', numbers: 'quoted' },
    { methods: indexOf(containersTo(9)), chain: block(10) },
  );
  await watching.poll();
  const refuses = () => ({ kind: 'rpc-error', code: -32_000, message: 'not asked for' }) as const;
  set({ methods: { ...indexOf(containersTo(10)), range: refuses }, chain: block(11) });
  await watching.poll();
  expect(await of(watching, 'verified_index')).toEqual([10]);
  set({ methods: { ...indexOf(containersTo(12)), byIndex: refuses }, chain: block(13) });
  await watching.poll();
  expect(await of(watching, 'verified_index')).toEqual([12]);
});

test('an unquoted number that JSON cannot represent is a malformed response, and other families are still exported', async () => {
  const last = { ...containerAt(0), index: maxUint64 };
  const chain = { height: 10, id: last.id };
  const { watching } = await serving({ range: 'object', numbers: 'plain' }, { methods: indexOf([last]), chain });
  await watching.poll();
  const page = await watching.page();
  expect(valuesOf(page, 'snowgauge_polls_total', { api: 'index', outcome: 'malformed' })).toEqual([1]);
  expect(valuesOf(page, 'snowgauge_index_state', { state: 'error' })).toEqual([1]);
  expect(valuesOf(page, 'snowgauge_up')).toEqual([1]);
});
