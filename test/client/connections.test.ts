// Kept-alive connections, the requests sent on them, and secrets that change at runtime.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/options.ts';
import { clientOf, never } from '../support/asking.ts';
import { resolving } from '../support/resolving.ts';
import { type Served, serveAnswer, serveHttp, serveHttps, serveSocket } from '../support/serve.ts';

const report = '{"checks":{},"healthy":true}';
const reply = `HTTP/1.1 200 OK\r\nContent-Length: ${report.length}\r\n\r\n${report}`;
const folder = mkdtempSync(join(tmpdir(), 'snowgauge-client-'));
const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const open: Served[] = [];
afterAll(async () => {
  await Promise.all(open.map((served) => served.close()));
  rmSync(folder, { recursive: true });
});

const kept = (served: Served): Served => {
  open.push(served);
  return served;
};

/** Calls `talk` with the number of each request, from 0, across all connections. */
const talking = async (talk: (request: number, socket: Socket) => void): Promise<Served> => {
  let requests = 0;
  return kept(await serveSocket((socket) => socket.on('data', () => talk(requests++, socket))));
};

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** A server that records its requests. */
const listening = async () => {
  const asked: IncomingMessage[] = [];
  const bodies: string[] = [];
  const served = kept(
    await serveHttp(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      asked.push(request);
      bodies.push(body);
      response.end(request.method === 'POST' ? '{"jsonrpc":"2.0","result":{"isAccepted":true},"id":1}' : report);
    }),
  );
  return { ...served, asked, bodies };
};

test('one connection serves successive requests', async () => {
  const served = kept(await serveAnswer(200, report));
  const client = clientOf(served.url);
  for (let times = 0; times < 3; times += 1) expect((await client.health([], never)).outcome.kind).toBe('ok');
  expect(served.connections()).toBe(1);
  client.close();
});

test('a request is retried when the node closed the kept-alive connection in the meantime', async () => {
  const served = await talking((request, socket) => {
    if (request === 1) socket.resetAndDestroy();
    else socket.write(reply);
  });
  const client = clientOf(served.url);
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  expect(served.connections()).toBe(2);
  client.close();
});

test('a request is retried only once', async () => {
  const served = await talking((request, socket) => {
    if (request >= 1) socket.resetAndDestroy();
    else socket.write(reply);
  });
  const client = clientOf(served.url);
  await client.health([], never);
  expect((await client.health([], never)).outcome.kind).toBe('reset');
  expect(served.connections()).toBe(2);
  client.close();
});

test('the retry does not use another connection of the same age', async () => {
  const first: Socket[] = [];
  const served = await talking((request, socket) => {
    if (request >= 2) {
      // The node was restarted: older connections are reset.
      if (first.includes(socket)) socket.resetAndDestroy();
      else socket.write(reply);
      return;
    }
    // No response before both requests have arrived: each has its own connection.
    first.push(socket);
    if (first.length === 2) for (const one of first) one.write(reply);
  });
  const client = clientOf(served.url);
  const kinds = (await Promise.all([1, 2].map(() => client.health([], never)))).map(({ outcome }) => outcome.kind);
  expect(kinds).toEqual(['ok', 'ok']);
  expect(served.connections()).toBe(2);
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  expect(served.connections()).toBe(3);
  client.close();
});

// Without a new connection, the retry might get one that another request has just left.
test.each([1, 2, 3])(
  'no request fails if every connection closes after a response without notice: %s at a time',
  async (most) => {
    const served = kept(await serveSocket((socket) => socket.on('data', () => socket.write(reply, () => void socket.destroy()))));
    const client = clientOf(served.url, { maxConnections: most });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.health([], never)));
    expect(new Set(answers.map(({ outcome }) => outcome.kind))).toEqual(new Set(['ok']));
    expect(served.connections()).toBe(20);
    client.close();
  },
);

test('a connection that closes after the first byte of a response is a reset, without a retry', async () => {
  const served = await talking((request, socket) => {
    if (request === 0) socket.write(reply);
    else socket.end('HTTP/1.1 200');
  });
  const client = clientOf(served.url);
  await client.health([], never);
  expect((await client.health([], never)).outcome.kind).toBe('reset');
  expect(served.connections()).toBe(1);
  client.close();
});

test('the retry shares the deadline of the first attempt', async () => {
  const served = await talking((request, socket) => {
    if (request === 0) socket.write(reply);
    else if (request === 1) socket.resetAndDestroy();
  });
  const client = clientOf(served.url);
  await client.health([], never);
  const { outcome, sentAt, endedAt } = await client.health([], never, { timeoutMs: 3_000 });
  expect(outcome).toMatchObject({ kind: 'timeout', afterMs: 3_000 });
  expect(endedAt - sentAt).toBeGreaterThan(2.99);
  client.close();
});

test('each tag is a parameter of its own, with any characters, below the path of a proxy', async () => {
  const served = await listening();
  const client = clientOf(`${served.url}/nodes/a/`);
  await client.health(['a b&c=d,e', '2bRC+ü/?#', '', '\ud800'], never);
  await client.readiness([], never);
  const [health, readiness] = served.asked.map((request) => new URL(request.url ?? '', served.url));
  expect(health?.pathname).toBe('/nodes/a/ext/health');
  expect(health?.searchParams.getAll('tag')).toEqual(['a b&c=d,e', '2bRC+ü/?#', '', '\ufffd']);
  expect(readiness?.href).toBe(`${served.url}/nodes/a/ext/health/readiness`);
  client.close();
});

test('a method is sent with the JSON-RPC envelope, the encoding and 64-bit numbers as digits', async () => {
  const served = await listening();
  const client = clientOf(served.url, { headers: { 'X-Team': 'validators' } });
  await client.indexRpc('X/block', 'index.isAccepted', { id: 'abc' }, never);
  await client.indexRpc('X/block', 'index.getContainerByIndex', { index: 2n ** 64n - 1n }, never);
  const [request] = served.asked;
  expect(request).toMatchObject({ method: 'POST', url: '/ext/index/X/block' });
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'snowgauge/test',
    'x-team': 'validators',
  });
  expect(served.bodies.map((body) => JSON.parse(body))).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'index.isAccepted', params: { encoding: 'hex', id: 'abc' } },
    { jsonrpc: '2.0', id: 1, method: 'index.getContainerByIndex', params: { encoding: 'hex', index: '18446744073709551615' } },
  ]);
  client.close();
});

test.each([
  { header: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' },
  // Nothing else is a NodeID: not the name of another target, and nothing unsuitable for a page or a label.
  { header: 'target b' },
  { header: '7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' },
  { header: 'NodeID-' },
  { header: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg, NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' },
  { header: `NodeID-${'x'.repeat(500)}` },
  { header: '' },
])('a response gives the node clock, and its NodeID only from a well-formed header: $header', async ({ header, nodeId }) => {
  const served = kept(await serveAnswer(404, 'no', { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'node-id': header }));
  const client = clientOf(served.url);
  const answer = await client.liveness([], never);
  expect([answer.date, answer.nodeId]).toEqual([784_111_777, nodeId]);
  client.close();
});

test.each([
  { type: 'Bearer', first: 'secret\n', second: 'another\n', sent: ['Bearer secret', 'Bearer secret', 'Bearer another'] },
  // Spaces may be part of a user name or password.
  { type: 'Basic', first: ' me: a \r\n', second: 'me:bc', sent: ['Basic IG1lOiBhIA==', 'Basic IG1lOiBhIA==', 'Basic bWU6YmM='] },
] as const)('$type credentials that change are picked up without a restart', async ({ type, first, second, sent }) => {
  const credentialsFile = file(`credentials-${type}`, first);
  const served = await listening();
  const client = clientOf(served.url, { authorization: { type, credentialsFile } });
  await client.health([], never);
  await client.health([], never);
  writeFileSync(credentialsFile, second);
  await client.health([], never);
  expect(served.asked.map((request) => request.headers.authorization)).toEqual(sent);
  rmSync(credentialsFile);
  const { outcome } = await client.health([], never);
  expect(outcome).toMatchObject({ kind: 'network', reason: `${credentialsFile}: there is no such file` });
  writeFileSync(credentialsFile, 's3cret\nlines');
  const unusable = JSON.stringify(await client.health([], never));
  expect(unusable).toContain(credentialsFile);
  expect(unusable).not.toContain('s3cret');
  expect(served.connections()).toBe(1);
  client.close();
});

test('credentials are not sent to the location of a redirect', async () => {
  const elsewhere = await listening();
  const served = kept(await serveAnswer(307, '', { location: elsewhere.url }));
  const client = clientOf(served.url, { authorization: { type: 'Bearer', credentialsFile: file('token', 'secret') } });
  expect((await client.health([], never)).outcome).toMatchObject({ kind: 'http-status', status: 307 });
  expect(elsewhere.asked).toHaveLength(0);
  client.close();
});

test('a changed certificate authority is picked up without a restart', async () => {
  const options = { key: readFileSync(tls('server.key')), cert: readFileSync(tls('server.crt')) };
  const served = kept(await serveHttps(options, (_request, response) => response.end(report)));
  const caFile = join(folder, 'ca.crt');
  const client = clientOf(served.url, { tls: { caFile } } satisfies Partial<ClientOptions>);
  const asked = async () => (await client.health([], never)).outcome;
  expect(await asked()).toMatchObject({ kind: 'tls', reason: `${caFile}: there is no such file` });
  copyFileSync(tls('other-ca.crt'), caFile);
  expect(await asked()).toMatchObject({ kind: 'tls' });
  copyFileSync(tls('ca.crt'), caFile);
  expect(await asked()).toMatchObject({ kind: 'ok' });
  writeFileSync(caFile, 'no certificate');
  expect(await asked()).toMatchObject({ kind: 'tls', reason: expect.stringContaining(caFile) });
  client.close();
});

test.each([
  { host: 'localhost', sent: ['localhost'] },
  // Go rejects a name that ends with a dot.
  { host: 'localhost.', sent: ['localhost'] },
  { host: '127.0.0.1', headers: { host: 'localhost.:9650' }, sent: ['localhost'] },
  { host: 'localhost', headers: { host: '' }, sent: ['localhost'] },
  { host: '127.0.0.1', sent: [] },
  { host: 'localhost', headers: { Host: '[::1]:9650' }, sent: [] },
])('the name in a TLS handshake with $host and the headers $headers is $sent', async ({ host, headers = {}, sent }) => {
  const names: string[] = [];
  const served = kept(
    await serveHttps(
      {
        key: readFileSync(tls('server.key')),
        cert: readFileSync(tls('server.crt')),
        SNICallback: (name, then) => {
          names.push(name);
          then(null);
        },
      },
      (_request, response) => response.end(report),
    ),
  );
  const { lookup } = resolving('127.0.0.1');
  const client = clientOf(`https://${host}:${served.port}`, { tls: { caFile: tls('ca.crt') }, headers, lookup });
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  expect(names).toEqual(sent);
  client.close();
});
