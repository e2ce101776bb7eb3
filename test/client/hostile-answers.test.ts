// Responses that no node sends: each gives an outcome that says what it was.

import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { createClient } from '../../src/client/client.ts';
import { describe } from '../../src/client/outcome.ts';
import { clientOf, never } from '../support/asking.ts';
import { flood, floods } from '../support/floods.ts';
import { type Served, serveAnswer, serveHttp, serveSocket } from '../support/serve.ts';

const mebibyte = 1024 * 1024;

const open: Served[] = [];
afterAll(() => Promise.all(open.map(({ close }) => close())));

const kept = async (served: Promise<Served>): Promise<Served> => {
  const one = await served;
  open.push(one);
  return one;
};

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

test.each(['100 Continue', '102 Processing', '103 Early Hints'])(
  'endless %s responses are a network error, and the node is left alone for a while',
  async (status) => {
    const { url, connections } = await kept(
      serveSocket((socket) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(1000)));
          socket.once('drain', more);
        };
        socket.once('data', more);
      }),
    );
    const client = clientOf(url, { timeoutMs: 200_000 });
    const { outcome } = await client.health([], never);
    expect(outcome).toMatchObject({ kind: 'network', reason: 'more than 10 responses with a status 1xx' });
    expect(connections()).toBe(1);
    expect((await client.readiness([], never)).outcome).toMatchObject({ kind: 'network', isAbuse: true });
    expect(connections()).toBe(1);
  },
);

test('a few 1xx responses before the final one, as from a proxy, are accepted', async () => {
  const body = '{"checks":{},"healthy":true}';
  const { url } = await kept(
    serveSocket((socket) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10);
      socket.once('data', () => socket.end(`${hints}${head}Content-Length: ${body.length}\r\n\r\n${body}`));
    }),
  );
  expect((await clientOf(url).health([], never)).outcome.kind).toBe('ok');
});

test.each([
  { id: 1, outcome: { kind: 'ok' } },
  { id: null, outcome: { kind: 'ok' } },
  { id: 2, outcome: { kind: 'malformed', reason: 'id: must be 1, as in the request' } },
  { id: '1', outcome: { kind: 'malformed', reason: 'id: must be 1, as in the request' } },
  { id: [1], outcome: { kind: 'malformed', reason: 'id: must be 1, as in the request' } },
])('a JSON-RPC response with id $id is $outcome.kind', async ({ id, outcome }) => {
  const { url } = await kept(
    serveHttp((request, response) => {
      request.resume();
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { isAccepted: true } }));
    }),
  );
  const answer = await clientOf(url).indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never);
  expect(answer.outcome).toMatchObject(outcome);
});

test('a body in chunks of one byte is read', async () => {
  const text = JSON.stringify({ checks: { P: { message: 'x"\\:,'.repeat(500) } }, healthy: true });
  const { url } = await kept(
    serveSocket((socket) => {
      const pieces = Array.from(text, (unit) => `1\r\n${unit}\r\n`).join('');
      socket.once('data', () => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`));
    }),
  );
  const { outcome } = await clientOf(url).health([], never);
  expect(outcome.kind === 'ok' && outcome.value.checks.get('P')?.message).toBe('x"\\:,'.repeat(500));
});

test('a gzip body in chunks of 1 KiB after one of ten bytes is read', async () => {
  const pad = randomBytes(200_000).toString('hex');
  const packed = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { pad, isAccepted: true } })).toString('latin1');
  const pieces = packed.slice(10).match(/[\s\S]{1,1024}/g) ?? [];
  const chunks = [packed.slice(0, 10), ...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
  const { url } = await kept(
    serveSocket((socket) => {
      const answer = `${head}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
      socket.once('data', () => socket.write(answer, 'latin1'));
    }),
  );
  expect((await clientOf(url).indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never)).outcome.kind).toBe('ok');
});

test('an endless body in chunks of one byte is a network error', async () => {
  const { url } = await kept(
    serveSocket((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('1\r\n \r\n'.repeat(1000)));
        socket.once('drain', more);
      };
      socket.once('data', () => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, more));
    }),
  );
  const { outcome } = await clientOf(url, { timeoutMs: 200_000 }).health([], never);
  expect(outcome).toMatchObject({ kind: 'network', reason: 'a response in chunks of a few bytes' });
});

test.each(floods)('$what without end gives $outcome', async ({ begin, again, outcome, text }) => {
  const taken: (() => number)[] = [];
  const { url } = await kept(
    serveSocket((socket) => {
      taken.push(() => socket.bytesWritten - socket.writableLength);
      socket.once('data', () => flood(socket, begin, again));
    }),
  );
  const answer = await clientOf(url).health([], never);
  expect(answer.outcome.kind).toBe(outcome);
  expect(answer.outcome.kind === 'ok' ? '' : describe(answer.outcome)).toContain(text);
  // One MiB is read; the kernel buffers more on both sides.
  expect(taken.reduce((sum, bytes) => sum + bytes(), 0)).toBeLessThan(24 * mebibyte);
});

test('a node that sends more than 1 MiB outside its body is left alone for a while', async () => {
  const { url, connections } = await kept(
    serveSocket((socket) => socket.once('data', () => flood(socket, Buffer.of(), Buffer.alloc(65_536, '\r\n')))),
  );
  const client = clientOf(url);
  expect((await client.health([], never)).outcome.kind).toBe('too-large');
  expect((await client.readiness([], never)).outcome).toMatchObject({ kind: 'too-large', bound: 'beside' });
  expect(connections()).toBe(1);
});

test('endless bytes after a complete gzip body end the connection', async () => {
  const { url, connections } = await kept(
    serveSocket((socket) => {
      const packed = `${head}Content-Encoding: gzip\r\nContent-Length: 1000000000000\r\n\r\n`;
      const begin = Buffer.concat([Buffer.from(packed), gzipSync('{"checks":{},"healthy":true}')]);
      socket.once('data', () => flood(socket, begin, Buffer.alloc(65_536)));
    }),
  );
  const client = clientOf(url, { maxConnections: 1 });
  await client.health([], never);
  await client.health([], never);
  expect(connections()).toBe(2);
});

test('an incompressible gzip body is read', async () => {
  const pad = randomBytes(1_500_000).toString('hex');
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { pad, isAccepted: true } });
  const { url } = await kept(serveAnswer(200, gzipSync(text), { 'content-encoding': 'gzip' }));
  const client = clientOf(url, { maxBodyBytes: 4_000_000 });
  expect((await client.indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never)).outcome.kind).toBe('ok');
});

test('large responses of several nodes are received one at a time, and small ones do not wait for them', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { pad: 'x'.repeat(3_000_000), isAccepted: true } });
  const waiting: (() => void)[] = [];
  const { url } = await kept(
    serveHttp((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.slice(0, -1));
      waiting.push(() => response.end(body.slice(-1)));
    }),
  );
  const options = { baseUrl: url, maxBodyBytes: 4_000_000, userAgent: 'snowgauge/test' };
  const budget = createBudget(0);
  const ask = async (timeoutMs: number) => {
    const client = createClient({ ...options, timeoutMs }, () => performance.now(), { budget });
    const answer = await client.indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never);
    client.close();
    return answer;
  };
  const first = ask(200_000);
  await expect.poll(() => waiting.length).toBe(1);
  const isTaken = (): boolean => {
    const probe = budget.share();
    let isTaken = true;
    probe.take(2100 * 1024, () => {
      isTaken = false;
    });
    probe.release();
    return isTaken;
  };
  await expect.poll(isTaken).toBe(true);
  const second = ask(200_000);
  await expect.poll(() => waiting.length).toBe(2);
  const done: string[] = [];
  const both = [first.then(() => done.push('first')), second.then(() => done.push('second'))];
  waiting[1]?.();
  // Small responses pass meanwhile, and take several turns.
  const { url: other } = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const client = createClient({ ...options, baseUrl: other, timeoutMs: 200_000 }, () => performance.now(), { budget });
  for (let count = 0; count < 5; count += 1) expect((await client.health([], never)).outcome.kind).toBe('ok');
  client.close();
  waiting[0]?.();
  await Promise.all(both);
  expect(done).toEqual(['first', 'second']);
  expect([(await first).outcome.kind, (await second).outcome.kind]).toEqual(['ok', 'ok']);
});

const large = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { pad: 'x'.repeat(2_400_000), isAccepted: true } });

test.each([
  { how: 'was read', body: large, ends: true, outcome: { kind: 'ok' } },
  { how: 'was too large', body: `${large}${' '.repeat(700_000)}`, ends: true, outcome: { kind: 'too-large', bound: 'bytes' } },
  { how: 'was not JSON', body: large.slice(1), ends: true, outcome: { kind: 'not-json' } },
  { how: 'never ended', body: large, ends: false, outcome: { kind: 'timeout' } },
])('a large response that $how releases its place', async ({ body, ends, outcome }) => {
  const { url } = await kept(
    serveHttp((request, response) => {
      request.resume();
      response.write(body);
      if (ends) response.end();
    }),
  );
  const budget = createBudget(0);
  const client = clientOf(url, { timeoutMs: ends ? 200_000 : 2000, maxBodyBytes: 3_000_000 }, { budget });
  expect((await client.indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never)).outcome).toMatchObject(outcome);
  let hasBegun = false;
  budget.share().take(2100 * 1024, () => {
    hasBegun = true;
  });
  expect(hasBegun).toBe(true);
});

test('large responses to a client without a shared budget have no pause between them', async () => {
  const { url } = await kept(serveAnswer(200, large));
  // Nothing advances these timers: a pause would never end.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = clientOf(url, { maxBodyBytes: 3_000_000 });
  for (let count = 0; count < 3; count += 1)
    expect((await client.indexRpc('P/block', 'index.isAccepted', { id: 'abc' }, never)).outcome.kind).toBe('ok');
});

test.each([
  { text: `{"checks":{},"healthy":true,"pad":"${'x'.repeat(20_000)}"}`, bound: 'bytes', ofReport: true, ofMethod: false },
  { text: `{"checks":{},"healthy":true,"pad":[[${'1,'.repeat(10_000)}1]]}`, bound: 'values', ofReport: true, ofMethod: false },
  { text: `{"checks":{},"healthy":true,"pad":[[${'1,'.repeat(160_000)}1]]}`, bound: 'values', ofReport: true, ofMethod: true },
  {
    text: `{"checks":{},"healthy":true,"pad":${'['.repeat(64)}${']'.repeat(64)}}`,
    bound: 'depth',
    ofReport: true,
    ofMethod: true,
  },
])(
  'a report and other responses have limits of their own: $bound of $text.length bytes',
  async ({ text, bound, ofReport, ofMethod }) => {
    const { url } = await kept(serveAnswer(200, text));
    const client = clientOf(url, { maxReportBytes: bound === 'bytes' ? 10_000 : 1_000_000 });
    const tooLarge = { kind: 'too-large', bound };
    expect((await client.health([], never)).outcome).toMatchObject(ofReport ? tooLarge : { kind: 'ok' });
    const { outcome } = await client.rpc('info.peers', {}, never);
    expect(outcome).toMatchObject(ofMethod ? tooLarge : { kind: 'malformed' });
    // A response that does not grow with the network.
    const last = await client.indexRpc('P/block', 'index.getLastAccepted', {}, never);
    expect(last.outcome).toMatchObject(bound === 'bytes' ? { kind: 'malformed' } : tooLarge);
  },
);
