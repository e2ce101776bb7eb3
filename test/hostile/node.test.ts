// Clients that try to crash the embedded node: it still serves the next one.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/node/listen.ts';
import { textReply } from '../../src/node/reply.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { askRaw } from '../support/raw-http.ts';
import { runCommand } from '../support/running-command.ts';

const json = { 'Content-Type': 'application/json' };
const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test.each([
  ['a parameter', `{"jsonrpc":"2.0","id":1,"method":"health.health","params":${nested(4562)}}`],
  ['an id', `{"jsonrpc":"2.0","id":${nested(4562)},"method":"health.health"}`],
  ['a whole body', nested(4562)],
  ['an unterminated body', '['.repeat(900_000)],
])('%s nested too deeply gets "exceeded max depth" and does not end the node', async (_, body) => {
  const { port } = await startTestNode();
  const answer = await askRaw(port, { method: 'POST', path: '/ext/health', headers: json, body });
  expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('exceeded max depth')]);
  expect((await askRaw(port, { method: 'GET', path: '/ext/health/liveness' })).status).toBe(200);
});

test('ten concurrent bodies of 60 MB are cut off early, and the node serves the next request', async () => {
  const { port } = await startTestNode();
  const size = 60_000_000;
  const piece = Buffer.alloc(65_536, ' ');
  const taken = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(
        `POST /ext/health HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
      );
      let bytes = 0;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      while (bytes < size && !socket.destroyed) {
        const isSent = await new Promise((sent) => socket.write(piece, (error) => sent(!(error instanceof Error))));
        if (isSent === true) bytes += piece.length;
      }
      socket.destroy();
      await closed;
      return bytes;
    }),
  );
  // Most of it is in the socket buffers of both sides, not read by the node.
  expect(Math.max(...taken)).toBeLessThan(size / 3);
  expect((await askRaw(port, { method: 'GET', path: '/ext/health/liveness' })).status).toBe(200);
});

test('snowgauge node --help lists the limits', async () => {
  const { stdout } = await runCommand(['node', '--help']);
  for (const limit of [
    'request bodies   1 MiB, 64 levels, 10000 values; 8 bodies above 16 KiB at a time',
    '200 headers, 64 KiB with the request line',
    'above 64 KiB: 16 MiB unread in total, 8 MiB for one client address',
    '30 s to read each 1 MiB of a response',
  ])
    expect(stdout).toContain(limit);
});

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Fifty connections from one address that pipeline the same request. Returns the number of responses read. */
const flood = async (port: number, request: string): Promise<() => number> => {
  let answered = 0;
  for (let count = 0; count < 50; count += 1) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('HTTP/1.1 200')) answered += 1;
    });
    socket.write(request.repeat(200));
  }
  return () => answered;
};

/** Responses to the flood between the connection of another client and its response; the maximum of three. */
const passed = async (port: number, served: () => number): Promise<number> => {
  await expect.poll(served).toBeGreaterThan(100);
  let most = 0;
  for (let count = 0; count < 3; count += 1) {
    const before = served();
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    onTestFinished(() => void socket.destroy());
    socket.write('GET /ext/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    most = Math.max(most, served() - before);
  }
  return most;
};

test('a client that floods the node with expensive requests delays another client by fewer than 25 of them', async () => {
  let served = 0;
  const listening = await listen('127.0.0.1', 0, {
    now: () => 0,
    requests: new Map(),
    onFault: () => undefined,
    answer: async ({ url }) => {
      if (url !== '/ext/health') {
        served += 1;
        busy(5);
      }
      return { kind: 'reply', reply: textReply(200, 'a') };
    },
  });
  if (listening.kind === 'refused') throw new Error(listening.message);
  onTestFinished(() => listening.listener.close(0));
  const { port } = listening.listener;
  await flood(port, 'GET /dear HTTP/1.1\r\nHost: localhost\r\n\r\n');
  // Turns for its connection, its request, and responses being written meanwhile.
  expect(await passed(port, () => served)).toBeLessThan(25);
});

test('expensive index calls over fifty connections delay the health report of another client by fewer than 25 calls', async () => {
  const { port, ticks } = await startTestNode({ indexEnabled: true }, 'chains: { P: { history: 2000, blockInterval: 24h } }');
  await ticks(roundsToSettle);
  const call =
    '{"jsonrpc":"2.0","id":1,"method":"index.getContainerRange","params":{"startIndex":0,"numToFetch":1024,"encoding":"hex"}}';
  const answered = await flood(
    port,
    `POST /ext/index/P/block HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${call.length}\r\n\r\n${call}`,
  );
  expect(await passed(port, answered)).toBeLessThan(25);
});
