// One container at a time: what an index returns for an id, for a number, and for an id that seems to have two numbers.

import { expect, test } from 'vitest';
import { type CrossChecked, type CrossCheckOptions, confirmDuplicates, crossCheck } from '../../src/walk/cross-check.ts';
import { askingAt, containersOf, type Odd, serveIndex } from '../support/index-server.ts';

const containers = containersOf(20);
const [other] = containersOf(1, 60);
const wireOf = (number: number) => ({ ...containers[number], index: `${number}` });

const asked = async (odd: Odd, over: Partial<CrossCheckOptions> = {}): Promise<CrossChecked & { readonly questions: number }> => {
  const server = await serveIndex({ containers, odd });
  const { asking } = askingAt(server.url);
  const back = await crossCheck(asking, containers, { concurrency: 3, idEvery: 1, numberEvery: 1, ...over });
  return { ...back, questions: server.asked.length };
};

const ofNumber =
  (number: number, reply: ReturnType<Odd>): Odd =>
  ({ method, params }) =>
    method === 'index.getContainerByIndex' && params.index === `${number}` ? reply : undefined;

test.each<{ what: string; reply: ReturnType<Odd>; detail: string | undefined }>([
  { what: 'the same container', reply: { result: wireOf(7) }, detail: undefined },
  { what: 'another timestamp', reply: { result: { ...wireOf(7), timestamp: wireOf(8).timestamp } }, detail: undefined },
  {
    what: 'another number',
    reply: { result: { ...wireOf(7), index: '8' } },
    detail: 'requested by number, the index returns another container',
  },
  {
    what: 'another id',
    reply: { result: { ...wireOf(7), id: other?.id } },
    detail: 'requested by number, the index returns another container',
  },
  {
    what: 'other bytes',
    reply: { result: { ...wireOf(7), bytes: other?.bytes } },
    detail: 'requested by number, the index returns another container',
  },
  {
    what: 'nothing',
    reply: { error: 'no container at index 7' },
    detail: 'the index does not find its number (no container at index 7)',
  },
])('a request by number that returns $what: $detail', async ({ reply, detail }) => {
  const findings = detail === undefined ? [] : [{ kind: 'id', number: 7n, detail }];
  expect(await asked(ofNumber(7, reply))).toMatchObject({ kind: 'ok', asked: 40, findings });
});

test.each<{ what: string; reply: ReturnType<Odd>; detail: string | undefined }>([
  { what: 'its number', reply: { result: { index: '7' } }, detail: undefined },
  { what: 'another number', reply: { result: { index: '8' } }, detail: 'the index returns 8 for its id' },
  { what: 'nothing', reply: { error: 'not found' }, detail: 'the index does not find its id (not found)' },
])('a request by id that returns $what: $detail', async ({ reply, detail }) => {
  const odd: Odd = ({ method, params }) => (method === 'index.getIndex' && params.id === containers[7]?.id ? reply : undefined);
  const findings = detail === undefined ? [] : [{ kind: 'id', number: 7n, detail }];
  expect(await asked(odd)).toMatchObject({ kind: 'ok', asked: 40, findings });
});

test.each([
  { idEvery: 0, numberEvery: 0, count: 0 },
  { idEvery: 1, numberEvery: 0, count: 20 },
  { idEvery: 0, numberEvery: 1, count: 20 },
  // 0, 6, 12, 18 and the last.
  { idEvery: 6, numberEvery: 0, count: 5 },
  { idEvery: 0, numberEvery: 1000, count: 2 },
])('one in $idEvery by id and one in $numberEvery by number takes $count requests', async ({ count, ...every }) => {
  const { questions, ...back } = await asked(() => undefined, every);
  expect([back, questions]).toEqual([{ kind: 'ok', findings: [], asked: count }, count]);
});

test('no more requests than the concurrency run at once', async () => {
  const server = await serveIndex({ containers });
  const { asking } = askingAt(server.url);
  await crossCheck(asking, containers, { concurrency: 2, idEvery: 1, numberEvery: 1 });
  expect(server.most()).toBeLessThanOrEqual(2);
});

test('the first and last container of a stretch are checked wherever it starts', async () => {
  const server = await serveIndex({ containers });
  const { asking } = askingAt(server.url);
  await crossCheck(asking, containers.slice(3, 9), { concurrency: 1, idEvery: 0, numberEvery: 1000 });
  expect(server.asked.map(({ params }) => params.index)).toEqual(['3', '8']);
});

test('a failure ends the check: only requests already under way are sent', async () => {
  const odd: Odd = (_, nth) => (nth === 5 ? { status: 400 } : undefined);
  const { questions, ...back } = await asked(odd, { concurrency: 2 });
  expect(back).toMatchObject({ kind: 'failed', failure: { kind: 'http-status', status: 400 } });
  expect(questions).toBeLessThanOrEqual(6);
});

test('an error of the database is a failure, not a finding', async () => {
  const error = 'leveldb: closed';
  const failed = { kind: 'failed', failure: { kind: 'rpc-error', message: error } };
  expect(await asked(ofNumber(7, { error }))).toMatchObject(failed);
  const server = await serveIndex({ containers, odd: ofNumber(3, { error }) });
  const suspect = { id: containers[3]?.id ?? '', earlier: 3n, number: 9n };
  expect(await confirmDuplicates(askingAt(server.url).asking, [suspect], 1)).toMatchObject(failed);
});

test('both containers of a suspected duplicate are compared before it is reported', async () => {
  const server = await serveIndex({ containers, odd: ofNumber(5, { error: 'no container at index 5' }) });
  const { asking } = askingAt(server.url);
  const id = containers[3]?.id ?? '';
  const suspects = [3n, 4n, 5n].map((earlier) => ({ id, earlier, number: 9n }));
  expect(await confirmDuplicates(asking, suspects, 3)).toEqual({
    kind: 'ok',
    findings: [{ kind: 'duplicate', number: 9n, detail: `${id} is also at 3` }],
    asked: 3,
  });
});
