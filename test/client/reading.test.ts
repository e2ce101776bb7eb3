// Responses that end in the same turn of the event loop are not all understood in it: probes are answered in between.

import { expect, onTestFinished, test } from 'vitest';
import { type Asker, askerOf } from '../../src/client/ask.ts';
import { createClient } from '../../src/client/client.ts';
import { readInTurn } from '../../src/client/reading.ts';
import { serveHttp } from '../support/serve.ts';

const reportOf = (bytes: number): Buffer =>
  Buffer.from(JSON.stringify({ checks: { P: { message: 'm'.repeat(bytes) } }, healthy: true }));

/** Gives the number of the turn of the event loop. */
const countTurns = (): (() => number) => {
  let [turn, isOver] = [0, false];
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  onTestFinished(() => {
    isOver = true;
  });
  return () => turn;
};

/** In which turn of the event loop each of so many answers that ended together was understood. */
const turnsOf = async (body: Buffer, count = 4): Promise<readonly number[]> => {
  const turn = countTurns();
  const head = { status: 200, date: undefined, nodeId: undefined, location: undefined };
  const asker: Asker = {
    ask: () => Promise.resolve({ head, end: body, trace: undefined, release: () => undefined }),
    keepsIdle: () => false,
    endWith: () => undefined,
  };
  const client = createClient(
    { baseUrl: 'http://node.test', timeoutMs: 1000, maxBodyBytes: 1, userAgent: 'test' },
    () => 0,
    {},
    asker,
  );
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { outcome } = await client.health([]);
      expect(outcome.kind).toBe('ok');
      return turn();
    }),
  );
};

const apart = (turns: readonly number[]): readonly number[] => turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0));

test('between two large ones there is a lull', async () => {
  for (const turns of apart(await turnsOf(reportOf(200_000)))) expect(turns).toBeGreaterThanOrEqual(5);
});

test('to parse a large one, to understand it, and what is made of it have a turn each', async () => {
  const turn = countTurns();
  const [parsedIn, understoodIn] = await readInTurn(200_000, turn, (parsed) => [parsed, turn()] as const);
  expect(understoodIn).toBeGreaterThan(parsedIn);
  expect(turn()).toBeGreaterThan(understoodIn);
});

test('of others a few milliseconds are understood in a turn, in their order', async () => {
  const checks = Array.from({ length: 400 }, (_, at) => [
    `check-${at}`,
    { message: { a: [at, { b: at }] }, contiguousFailures: at },
  ]);
  const turns = await turnsOf(Buffer.from(JSON.stringify({ checks: Object.fromEntries(checks), healthy: true })), 48);
  expect(turns.at(-1)).toBeGreaterThan(turns[0] ?? 0);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test('of the smallest none waits', async () => {
  expect(apart(await turnsOf(reportOf(900)))).toEqual([0, 0, 0]);
});

test('until a response was understood, its place is not that of another: they would come sooner than they are understood', async () => {
  const asked: string[] = [];
  const node = await serveHttp(({ url = '' }, response) => {
    asked.push(url);
    response.end('{}');
  });
  onTestFinished(() => node.close());
  const asker = askerOf({ baseUrl: node.url, timeoutMs: 50_000, maxBodyBytes: 1000, maxConnections: 1, userAgent: 'test' });
  const ask = (path: string) => asker.ask({ path }, () => true);
  const [first, second] = [ask('/1'), ask('/2')];
  const { end, release } = await first;
  expect(String(end)).toBe('{}');
  // A whole exchange with the node, in which the second could have begun.
  await fetch(`${node.url}/other`);
  expect(asked).toEqual(['/1', '/other']);
  release();
  await second;
  expect(asked).toEqual(['/1', '/other', '/2']);
});
