// How a client reports kept-alive connections that the node closes while they are idle.

import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../support/asking.ts';
import { type Served, serveHttp, serveHttps } from '../support/serve.ts';

const report = '{"checks":{},"healthy":true}';
const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const secured = { key: readFileSync(tls('server.key')), cert: readFileSync(tls('server.crt')) };

/** Answers two requests at a time, each on its own connection; `talk` may handle a request instead. */
const opened = async (serve: (listener: RequestListener) => Promise<Served>) => {
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let talk: (request: IncomingMessage) => boolean = () => false;
  const served = await serve((request, response) => {
    if (talk(request)) return;
    sockets.add(request.socket);
    waiting.push(() => response.end(report));
    if (waiting.length % 2 === 0) for (const answer of waiting.splice(0)) answer();
  });
  onTestFinished(() => served.close());
  let closed = 0;
  let told: () => void = () => undefined;
  const onClosed = (): void => {
    closed += 1;
    told();
  };
  const client = clientOf(served.url, { timeoutMs: 60_000, tls: { caFile: tls('ca.crt') } }, { onClosed });
  onTestFinished(() => client.close());
  await Promise.all([client.health([]), client.health([])]);
  expect([served.connections(), sockets.size]).toEqual([2, 2]);
  return {
    client,
    sockets,
    closed: () => closed,
    closedTimes: (times: number) =>
      new Promise<void>((resolve) => {
        told = () => closed >= times && resolve();
        told();
      }),
    setTalk: (next: typeof talk) => {
      talk = next;
    },
  };
};

const plain = (listener: RequestListener): Promise<Served> => serveHttp(listener);
const overTls = (listener: RequestListener): Promise<Served> => serveHttps(secured, listener);

test.each([
  { node: 'closes', serve: plain, end: (socket: Socket) => socket.end() },
  { node: 'resets', serve: plain, end: (socket: Socket) => socket.resetAndDestroy() },
  { node: 'closes, over TLS,', serve: overTls, end: (socket: Socket) => socket.end() },
  { node: 'drops, over TLS,', serve: overTls, end: (socket: Socket) => socket.destroy() },
])('a node that $node its idle connections is reported once per connection, and again the next time', async ({ serve, end }) => {
  const { client, sockets, closedTimes, closed } = await opened(serve);
  expect(closed()).toBe(0);
  for (const socket of sockets) end(socket);
  await closedTimes(2);
  const before = new Set(sockets);
  await Promise.all([client.health([]), client.health([])]);
  for (const socket of sockets) if (!before.has(socket)) end(socket);
  await closedTimes(4);
  expect(closed()).toBe(4);
});

test('an idle connection that ends during its next request is reported by the outcome alone', async () => {
  const { client, setTalk, closed } = await opened(plain);
  setTalk((request) => {
    request.socket.write('HTTP/1.1 200');
    request.socket.end();
    return true;
  });
  const both = await Promise.all([client.health([]), client.health([])]);
  expect(both.map(({ outcome }) => outcome.kind)).toEqual(['reset', 'reset']);
  expect(closed()).toBe(0);
});

test('connections that the client closes are not reported', async () => {
  const { client, sockets, closed } = await opened(plain);
  const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  client.close();
  await Promise.all(gone);
  expect(closed()).toBe(0);
});

test('a connection that the client closes before the keep-alive timeout of the node is not reported', async () => {
  let ended = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const served = await serveHttp((request, response) => {
    request.socket.once('close', ended);
    response.setHeader('keep-alive', 'timeout=2').end(report);
  });
  onTestFinished(() => served.close());
  let closed = 0;
  const client = clientOf(served.url, { timeoutMs: 60_000 }, { onClosed: () => (closed += 1) });
  onTestFinished(() => client.close());
  await client.health([]);
  await gone;
  expect(closed).toBe(0);
});

test('a connection with unrequested data is closed, and reported as closed by the node', async () => {
  const { client, sockets, closedTimes } = await opened(plain);
  for (const socket of sockets) socket.write('x');
  await closedTimes(2);
  expect(client.keepsIdle()).toBe(false);
});
