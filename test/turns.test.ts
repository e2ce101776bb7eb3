// The fair queue of tasks: how many run per iteration of the event loop, and in which order.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { oneRequestAtATime } from '../src/one-request.ts';
import { createArrivals, createFairQueue, type FairQueue } from '../src/turns.ts';
import { turnsByHand } from './support/turns-by-hand.ts';

test('addresses take turns, however many tasks of one address wait', async () => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  for (let count = 0; count < 4; count += 1) inTurn('many', () => done.push('many'));
  inTurn('one', () => done.push('one'));
  inTurn('other', () => done.push('other'));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['many', 'one', 'other', 'many', 'many', 'many']);
});

test('new and known connections of an address alternate, and the newest new one is first', async () => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  for (const known of ['known 1', 'known 2', 'known 3']) inTurn('a', () => done.push(known));
  for (const one of ['new 1', 'new 2', 'new 3']) inTurn('a', () => done.push(one), 'new');
  await nextTurn();
  expect(done).toEqual(['known 1', 'new 3', 'known 2', 'new 2', 'known 3', 'new 1']);
});

test.each(['new', 'known'] as const)('a task that leaves the queue does not run or delay others: %s', async (kind) => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: number[] = [];
  const leave = Array.from({ length: 1000 }, (_, nth) => inTurn('a', () => done.push(nth), kind));
  for (const [nth, one] of leave.entries()) if (nth % 100 !== 50) one();
  inTurn('b', () => done.push(-1));
  await nextTurn();
  expect(done.toSorted((a, b) => a - b)).toEqual([-1, 50, 150, 250, 350, 450, 550, 650, 750, 850, 950]);
  // Leaving again, or after the task has run, has no effect.
  for (const one of leave) one();
  inTurn('a', () => done.push(1000), kind);
  await nextTurn();
  expect(done.at(-1)).toBe(1000);
});

test('tasks run for at most a millisecond per iteration of the event loop', async () => {
  let now = 0;
  const inTurn = createFairQueue(undefined, () => now);
  let done = 0;
  for (let count = 0; count < 10; count += 1)
    inTurn('a', () => {
      done += 1;
      now += 0.5;
    });
  const seen: number[] = [];
  while (done < 10) {
    await nextTurn();
    seen.push(done);
  }
  expect(seen).toEqual([2, 4, 6, 8, 10]);
});

test.each(['resolve', 'reject'] as const)('the next task waits until an asynchronous task has ended: %s', async (how) => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  const ends: (() => void)[] = [];
  inTurn('slow', () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject }[how])));
  inTurn('next', () => done.push('next'));
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(done).toEqual([]);
  ends[0]?.();
  await expect.poll(() => done).toEqual(['next']);
});

test('a task that never ends delays the others only up to a timeout', async () => {
  const inTurn = createFairQueue(undefined, () => 0, 20);
  const done: string[] = [];
  const ends: (() => void)[] = [];
  const never = () => new Promise<void>((resolve) => ends.push(resolve));
  inTurn('a', never);
  inTurn('b', () => done.push('other'));
  inTurn('a', never);
  await expect.poll(() => done).toEqual(['other']);
  await expect.poll(() => ends.length).toBe(2);
  inTurn('b', () => done.push('behind the second'));
  // The first task has timed out: its end has no effect.
  ends[0]?.();
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  expect(done).toEqual(['other']);
  await expect.poll(() => done).toEqual(['other', 'behind the second']);
});

test('a task that leaves is not called, whether or not other tasks of its address wait', async () => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  const leave = ['a', 'a', 'b'].map((address, place) => inTurn(address, () => done.push(`${address}${place}`)));
  leave[0]?.();
  leave[2]?.();
  leave[2]?.();
  await nextTurn();
  expect(done).toEqual(['a1']);
  leave[1]?.();
  inTurn('a', () => done.push('again'));
  await expect.poll(() => done).toEqual(['a1', 'again']);
});

test.each([
  { what: '4 ms', turnMs: 0.125, turns: 32 },
  { what: '16 iterations if those take longer', turnMs: 100, turns: 16 },
])('while connections arrive, responses wait, but no longer than $what', async ({ turnMs, turns }) => {
  let now = 0;
  const arrivals = createArrivals();
  const inTurn = createFairQueue(arrivals, () => now);
  const done: string[] = [];
  for (const answer of ['one', 'other'])
    inTurn('a', () => {
      done.push(answer);
      now += 2;
    });
  for (const before of [[], ['one']]) {
    for (let turn = 0; turn < turns; turn += 1) {
      arrivals.came();
      await nextTurn();
      expect(done).toEqual(before);
      now += turnMs;
    }
    arrivals.came();
    await nextTurn();
  }
  expect(done).toEqual(['one', 'other']);
});

test('a new connection gets its response before pipelined requests of the same address', async () => {
  let now = 0;
  const { open, answered } = await served(
    createFairQueue(undefined, () => now),
    () => {
      // One response per iteration.
      now += 2;
    },
  );
  const many = 40;
  for (let count = 0; count < many; count += 1) open('127.0.0.1', '/', 200);
  await expect.poll(() => answered.length).toBeGreaterThan(2 * many);
  open('127.0.0.1', '/new');
  const before = answered.length;
  await expect.poll(() => answered).toContain('/new 127.0.0.1');
  expect(answered.indexOf('/new 127.0.0.1') - before).toBeLessThan(many);
});

test('a client gets its response before most of 300 earlier connections of another address', async () => {
  const arrivals = createArrivals();
  // With a clock that stands still, each iteration can run all tasks, and responses wait for the last connection.
  const { open, answered } = await served(
    createFairQueue(arrivals, () => 0),
    () => undefined,
    arrivals.came,
  );
  for (let count = 0; count < 300; count += 1) open('127.0.0.3');
  open('127.0.0.2');
  await expect.poll(() => answered).toContain('/ 127.0.0.2');
  expect(answered.indexOf('/ 127.0.0.2')).toBeLessThan(100);
});

/** Responds to each request with an empty body, and records its path and client address. */
const served = async (inTurn: FairQueue, asked: () => void, came: () => void = () => undefined) => {
  const server = createServer();
  const inOrder = oneRequestAtATime(server, inTurn);
  server.on('connection', came);
  const answered: string[] = [];
  server.on(
    'request',
    inOrder((request, response) => {
      asked();
      answered.push(`${request.url} ${request.socket.remoteAddress}`);
      response.end();
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const open = (localAddress: string, path = '/', times = 1): void => {
    const socket = connect({ port: address.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined).resume();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(times));
    sockets.push(socket);
  };
  return { open, answered };
};

test('a connection is new until its first request has run, and leaves the queue when it ends', async () => {
  const { inTurn, places } = turnsByHand();
  const server = createServer();
  const inOrder = oneRequestAtATime(server, inTurn);
  const came: Socket[] = [];
  server.on('connection', (socket: Socket) => came.push(socket));
  server.on(
    'request',
    inOrder((_, response) => void response.end()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const open = () => {
    const socket = connect(address.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => undefined);
  };
  open();
  await expect.poll(() => places.length).toBe(1);
  came[0]?.destroy();
  await expect.poll(() => places[0]?.hasLeft).toBe(true);
  const stays = open();
  await expect.poll(() => places.length).toBe(2);
  places[1]?.begin();
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (const nth of [2, 3]) {
    stays.write(request);
    await expect.poll(() => places.length).toBe(nth + 1);
    const answered = once(stays, 'data');
    places[nth]?.begin();
    await answered;
  }
  stays.write(request);
  await expect.poll(() => places.length).toBe(5);
  expect(places.map(({ kind }) => kind)).toEqual(['new', 'new', 'new', 'known', 'known']);
  expect(places[4]?.hasLeft).toBe(false);
  came[1]?.destroy();
  await expect.poll(() => places[4]?.hasLeft).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});

test('a connection that the client closed before its turn is closed', async () => {
  const server = createServer();
  let begin = (): void => undefined;
  oneRequestAtATime(server, (_, then) => {
    begin = then;
    return () => undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const [[came]] = await Promise.all([once(server, 'connection'), connect(address.port, '127.0.0.1').end()]);
  await expect.poll(() => came.readableEnded).toBe(true);
  begin();
  await expect.poll(() => came.destroyed).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
