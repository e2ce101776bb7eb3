// Responses that clients do not read, or read slowly, over real sockets and with a fake clock.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type UnsentLimits, unsentLimits } from '../../src/node/limits.ts';
import { listen } from '../../src/node/listen.ts';
import { textReply } from '../../src/node/reply.ts';

const mebibyte = 2 ** 20;
/** More than the socket buffers of both ends hold. */
const large = Buffer.alloc(64 * mebibyte, 'a');
const [one, another] = ['127.0.0.2', '127.0.0.3'];

/** Responds with a large body, to /small with a small one; to /silent never, to /held when the test calls makeHeld. */
const started = async (limits: Partial<UnsentLimits> = {}) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const made: string[] = [];
  let makeHeld: () => void = () => undefined;
  const mayMake = new Promise<void>((resolve) => {
    makeHeld = resolve;
  });
  const requests = new Map<object, number>();
  const listening = await listen('127.0.0.1', 0, {
    now: () => 0,
    requests,
    limits: { ...unsentLimits, ...limits },
    onFault: (error) => expect.unreachable(String(error)),
    answer: async ({ url = '' }, admit) => {
      const make = async () => {
        made.push(url);
        if (url === '/held') await mayMake;
        return { ...textReply(200, ''), body: url === '/small' ? 'a'.repeat(unsentLimits.smallBytes) : large };
      };
      const reply = await admit(make, url !== '/with-a-large-body');
      return url === '/silent' ? { kind: 'silence' } : { kind: 'reply', reply };
    },
  });
  if (listening.kind === 'refused') throw new Error(listening.message);
  onTestFinished(() => listening.listener.close(0));
  // Runs before the listener closes, as closing waits for connections in real time.
  onTestFinished(() => void vi.useRealTimers());
  const { port } = listening.listener;
  /** Sends a request, and reads nothing. */
  const ask = (path: string, localAddress = one): Socket => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  return { ask, made, makeHeld, requests };
};

/** Reads until it has so many bytes in total, or the end. Returns the total. */
const readTo = (socket: Socket, bytes = Number.POSITIVE_INFINITY): Promise<number> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (socket.bytesRead < bytes && !socket.destroyed) return;
      socket.pause().off('data', look).off('close', look);
      resolve(socket.bytesRead);
    };
    socket.on('data', look).on('close', look).resume();
    look();
  });

const begun = async (socket: Socket): Promise<string> => {
  const [head] = await once(socket, 'data');
  socket.pause();
  return String(head).slice(9, 12);
};

const whole = async (socket: Socket): Promise<boolean> => (await readTo(socket)) > large.length;

test('a large response without room waits and is made again; small ones do not wait; after a large body it gets 503', async () => {
  const { ask, made } = await started();
  const first = ask('/first', another);
  expect(await begun(first)).toBe('200');
  const second = ask('/second');
  await expect.poll(() => made).toEqual(['/first', '/second']);
  expect(await begun(ask('/small'))).toBe('200');
  // A waiting request with a large body would delay other bodies.
  expect(await begun(ask('/with-a-large-body'))).toBe('503');
  first.destroy();
  expect(await whole(second)).toBe(true);
  expect(made.filter((path) => path === '/second')).toHaveLength(2);
});

test('one address gets at most half of the room, so that others do not wait for its unread responses', async () => {
  const { ask, made } = await started({ bytes: 2 * large.length });
  expect(await begun(ask('/first', another))).toBe('200');
  ask('/second', another);
  await expect.poll(() => made).toEqual(['/first', '/second']);
  expect(await whole(ask('/third'))).toBe(true);
  expect(made).toEqual(['/first', '/second', '/third']);
});

test('closes the connection of an unread response after 30 s and frees its room', async () => {
  const { ask, requests } = await started();
  const unread = ask('/unread', another);
  expect(await begun(unread)).toBe('200');
  vi.advanceTimersByTime(29_999);
  expect(requests.size).toBe(1);
  vi.advanceTimersByTime(1);
  await expect.poll(() => requests.size).toBe(0);
  expect(await whole(unread)).toBe(false);
  expect(await whole(ask('/next'))).toBe(true);
});

test('a slowly but steadily read response is sent whole; a response that waits for its room gets 503 after 30 s', async () => {
  const { ask, made } = await started();
  const slow = ask('/slow', another);
  expect(await begun(slow)).toBe('200');
  const waiting = ask('/waiting');
  await expect.poll(() => made).toContain('/waiting');
  for (let step = 1; step <= 5; step += 1) {
    vi.advanceTimersByTime(14_000);
    if (step === 3) expect(await begun(waiting)).toBe('503');
    await readTo(slow, step * 12 * mebibyte);
  }
  expect(await whole(slow)).toBe(true);
});

test.each(['/held', '/silent'])('frees the room of a response that nobody will read: %s', async (path) => {
  const { ask, made, makeHeld, requests } = await started();
  const gone = ask(path, another);
  await expect.poll(() => made).toEqual([path]);
  if (path === '/held') {
    gone.destroy();
    await expect.poll(() => requests.size).toBe(0);
    makeHeld();
  }
  expect(await whole(ask('/next'))).toBe(true);
  expect(made).toEqual([path, '/next']);
});

test('drops a waiting request when its client disconnects', async () => {
  const { ask, made, requests } = await started();
  const first = ask('/first', another);
  expect(await begun(first)).toBe('200');
  const gone = ask('/gone');
  await expect.poll(() => made).toContain('/gone');
  gone.destroy();
  await expect.poll(() => requests.size).toBe(1);
  first.destroy();
  await expect.poll(() => requests.size).toBe(0);
  expect(await whole(ask('/next'))).toBe(true);
  expect(made).toEqual(['/first', '/gone', '/next']);
});
