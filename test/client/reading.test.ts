// Responses that arrive in the same turn of the event loop are not all parsed in it: probes are answered in between.

import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Asker, askerOf } from '../../src/client/ask.ts';
import { boundsOfReport } from '../../src/client/bounds.ts';
import { createClient } from '../../src/client/client.ts';
import { readInTurn } from '../../src/client/reading.ts';
import { serveAnswer, serveHttp, serveSocket } from '../support/serve.ts';
import { until } from '../support/until.ts';

const reportOf = (bytes: number): Buffer =>
  Buffer.from(JSON.stringify({ checks: { P: { message: 'm'.repeat(bytes) } }, healthy: true }));

/** Counts the turns of the event loop. */
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

/** The turn of the event loop in which each of `count` simultaneous responses was read. */
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

/** Both ends of a connection. */
const connected = async (): Promise<{ readonly socket: Socket; readonly peer: Socket }> => {
  const peers: Socket[] = [];
  const server = await serveSocket((peer) => peers.push(peer));
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    await server.close();
  });
  return { socket, peer: await until('it is accepted', async () => peers[0]) };
};

const apart = (turns: readonly number[]): readonly number[] => turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0));

test('there is a pause between two large responses', async () => {
  for (const turns of apart(await turnsOf(reportOf(200_000)))) expect(turns).toBeGreaterThanOrEqual(5);
});

test('parsing, validating and using a large response take separate turns', async () => {
  const turn = countTurns();
  const [parsedIn, understoodIn] = await readInTurn(200_000, turn, (parsed) => [parsed, turn()] as const);
  expect(understoodIn).toBeGreaterThan(parsedIn);
  expect(turn()).toBeGreaterThan(understoodIn);
});

test('data that arrives meanwhile is handled before a large response is parsed', async () => {
  const node = await connected();
  const client = await connected();
  const order: string[] = [];
  client.socket.on('data', () => order.push('request'));
  node.socket.on('data', () => {
    client.peer.write('request');
    void readInTurn(
      200_000,
      () => order.push('parsed'),
      () => order.push('understood'),
    );
  });
  node.peer.write('answer');
  await until('it was understood', async () => order.includes('understood'));
  expect(order).toEqual(['request', 'parsed', 'understood']);
});

test('only a few chunks of a large response are counted per turn', async () => {
  const node = await serveAnswer(200, reportOf(3 * 1024 * 1024));
  onTestFinished(() => node.close());
  const turn = countTurns();
  const asker = askerOf({ baseUrl: node.url, timeoutMs: 50_000, maxBodyBytes: 4 * 1024 * 1024, userAgent: 'test' });
  const { end, release } = await asker.ask({ path: '/', bounds: boundsOfReport }, () => true);
  expect(Buffer.isBuffer(end)).toBe(true);
  release();
  // Two chunks of 64 KiB per turn, and one more that was read before the stop.
  expect(turn()).toBeGreaterThanOrEqual(16);
});

test('other responses are handled for a few milliseconds per turn, in order', async () => {
  const checks = Array.from({ length: 400 }, (_, at) => [
    `check-${at}`,
    { message: { a: [at, { b: at }] }, contiguousFailures: at },
  ]);
  const turns = await turnsOf(Buffer.from(JSON.stringify({ checks: Object.fromEntries(checks), healthy: true })), 48);
  expect(turns.at(-1)).toBeGreaterThan(turns[0] ?? 0);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test('the smallest responses do not wait', async () => {
  expect(apart(await turnsOf(reportOf(900)))).toEqual([0, 0, 0]);
});

test('a connection is not reused until its response was read, so responses do not arrive faster than they are handled', async () => {
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
  // A complete exchange with the node, during which the second request could have started.
  await fetch(`${node.url}/other`);
  expect(asked).toEqual(['/1', '/other']);
  release();
  await second;
  expect(asked).toEqual(['/1', '/other', '/2']);
});
