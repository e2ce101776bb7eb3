// Large bodies wait for each other, over real sockets.

import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bodyLimits } from '../../src/node/limits.ts';
import { listen } from '../../src/node/listen.ts';
import { textReply } from '../../src/node/reply.ts';
import { createBodies } from '../../src/node/request-body.ts';
import { askRaw } from '../support/raw-http.ts';

/** Responds with the length of the body, and records the order in which bodies began and arrived. */
const started = async (limits: Partial<typeof bodyLimits>) => {
  const read = createBodies({ ...bodyLimits, seconds: 280, ...limits });
  const [began, came]: [string[], string[]] = [[], []];
  const listening = await listen('127.0.0.1', 0, {
    now: () => 0,
    requests: new Map(),
    onFault: (error) => expect.unreachable(String(error)),
    answer: async (request) => {
      began.push(request.url ?? '');
      const body = await read(request);
      const text = body.text();
      body.release();
      if (text.length > 0) came.push(request.url ?? '');
      return { kind: 'reply', reply: textReply(200, String(text.length)) };
    },
  });
  if (listening.kind === 'refused') throw new Error(listening.message);
  onTestFinished(() => listening.listener.close(0));
  const { port } = listening.listener;
  /** Begins a body and does not end it. Resolves once it is being read or waits, as two connections may be accepted in either order. */
  const begin = async (localAddress: string, path = '/'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n${' '.repeat(900)}`);
    await expect.poll(() => began, { timeout: 280_000 }).toContain(path);
    return socket;
  };
  const ask = async (body: string): Promise<string> => (await askRaw(port, { method: 'POST', path: '/asked', body })).body;
  return { ask, begin, came };
};

test.each([0, 1, 16_384, 16_385, 2 ** 20])('reads all %i bytes of a body', async (length) => {
  const { ask } = await started({});
  expect(await ask('a'.repeat(length))).toBe(String(length));
});

test('a large body waits until another large body ends or times out; a small body does not wait', async () => {
  const { ask, begin } = await started({ smallBytes: 100, largeAtOnce: 1, seconds: 3 });
  const first = await begin('127.0.0.3');
  first.resume();
  expect(await ask('a'.repeat(100))).toBe('100');
  expect(await ask('a'.repeat(200))).toBe('200');
  await expect.poll(() => first.closed).toBe(true);
});

test('the waiting body of the address with the fewest bodies being read is next', async () => {
  const { begin, came } = await started({ smallBytes: 100, largeAtOnce: 2 });
  const first = await begin('127.0.0.3', '/1');
  await begin('127.0.0.3', '/2');
  const others = [await begin('127.0.0.3', '/3'), await begin('127.0.0.2', '/4')];
  for (const socket of others) socket.write(' '.repeat(100));
  first.write(' '.repeat(100));
  await expect.poll(() => came.slice(0, 3)).toEqual(['/1', '/4', '/3']);
});
