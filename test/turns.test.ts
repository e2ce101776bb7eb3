// Turns of the event loop: how much is done in one, and whose turn it is.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { oneRequestAtATime } from '../src/one-request.ts';
import { createArrivals, createFairQueue, type FairQueue } from '../src/turns.ts';
import { turnsByHand } from './support/turns-by-hand.ts';

test('one of each address after the other, however many wait of one', async () => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  for (let count = 0; count < 4; count += 1) inTurn('many', () => done.push('many'));
  inTurn('one', () => done.push('one'));
  inTurn('other', () => done.push('other'));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['many', 'one', 'other', 'many', 'many', 'many']);
});

test('new connections of an address beside those that were answered, and the newest of them first', async () => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: string[] = [];
  for (const known of ['known 1', 'known 2', 'known 3']) inTurn('a', () => done.push(known));
  for (const one of ['new 1', 'new 2', 'new 3']) inTurn('a', () => done.push(one), 'new');
  await nextTurn();
  expect(done).toEqual(['known 1', 'new 3', 'known 2', 'new 2', 'known 3', 'new 1']);
});

test.each(['new', 'known'] as const)('who leaves has no turn, and holds up nobody: %s', async (kind) => {
  const inTurn = createFairQueue(undefined, () => 0);
  const done: number[] = [];
  const leave = Array.from({ length: 1000 }, (_, nth) => inTurn('a', () => done.push(nth), kind));
  for (const [nth, one] of leave.entries()) if (nth % 100 !== 50) one();
  inTurn('b', () => done.push(-1));
  await nextTurn();
  expect(done.toSorted((a, b) => a - b)).toEqual([-1, 50, 150, 250, 350, 450, 550, 650, 750, 850, 950]);
  // Again, and after its turn: nothing.
  for (const one of leave) one();
  inTurn('a', () => done.push(1000), kind);
  await nextTurn();
  expect(done.at(-1)).toBe(1000);
});

test('answers of a millisecond in a turn, and others have theirs between', async () => {
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

test.each(['resolve', 'reject'] as const)(
  'what takes longer than a turn is waited for, and then the next goes on: %s',
  async (how) => {
    const inTurn = createFairQueue(undefined, () => 0);
    const done: string[] = [];
    const ends: (() => void)[] = [];
    inTurn('slow', () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject }[how])));
    inTurn('next', () => done.push('next'));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(done).toEqual([]);
    ends[0]?.();
    await expect.poll(() => done).toEqual(['next']);
  },
);

test('what never ends is waited for until a bound, once, and others then go on', async () => {
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
  // The first gave its turn up: its end is nobody's.
  ends[0]?.();
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  expect(done).toEqual(['other']);
  await expect.poll(() => done).toEqual(['other', 'behind the second']);
});

test('who leaves is not called, whether others of its address wait or not', async () => {
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
  { what: '16 turns, where those are longer', turnMs: 100, turns: 16 },
])('while connections come, answers wait, but for no longer than $what', async ({ turnMs, turns }) => {
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

test('who connects is answered before what others of the same address have pipelined', async () => {
  let now = 0;
  const { open, answered } = await served(
    createFairQueue(undefined, () => now),
    () => {
      // One answer a turn.
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

test('of hundreds of connections that came before, none is answered first but those of a turn', async () => {
  const arrivals = createArrivals();
  // In a time that stands still each turn has room for all, and those that wait for connections wait for the last of them.
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

/** Answers each request with nothing, and keeps what was asked, and from where. */
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

test('a connection is new until its first request had its turn, and gives its place up when it ends', async () => {
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

test('a connection whose other side went before its turn is closed', async () => {
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
