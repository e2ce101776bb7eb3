// The listener of the node: 100 Continue, unusual requests, timeouts, faults, reopening the port.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/node/listen.ts';
import { textReply } from '../../src/node/reply.ts';
import { createBodies } from '../../src/node/request-body.ts';
import { freePort } from '../support/free-port.ts';
import { listenAt } from '../support/listen-at.ts';
import { until } from '../support/until.ts';

/** Responds with `well` after it has read a posted body; to /unread before that, to /silence never. /fault throws. */
const listening = async (wanted = 0, options: { readonly requestMs?: number } = {}) => {
  const faults: unknown[] = [];
  const read = createBodies();
  const started = await listen('127.0.0.1', wanted, {
    ...options,
    now: () => 0,
    requests: new Map(),
    onFault: (error, { url }) => faults.push([error, url]),
    answer: async (request) => {
      const { method, url } = request;
      if (url === '/fault') throw new RangeError('too deep');
      if (url === '/silence') return { kind: 'silence' };
      if (method === 'POST' && url !== '/unread') await read(request);
      return { kind: 'reply', reply: textReply(200, 'well') };
    },
  });
  if (started.kind === 'refused') throw new Error(started.message);
  const { listener } = started;
  onTestFinished(() => listener.close(0));
  return { faults, listener, port: listener.port, url: `http://127.0.0.1:${listener.port}` };
};

test('a pipelined request that expects 100 Continue gets it after the response to the previous request', async () => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  const second = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\na';
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${second}`);
  expect(await text(socket)).toMatch(
    /^HTTP\/1.1 200 OK\r\n(?:.+\r\n)+\r\nwellHTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n(?:.+\r\n)+\r\nwell$/,
  );
});

test('a request that expects 100 Continue gets it', async () => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n');
  socket.once('data', () => socket.write('a'));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
});

test.each([
  ['a body that is not read', 'POST /unread HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n', 'close'],
  ['no body', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n', 'close'],
  ['an expectation that is empty', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: \r\n\r\n', undefined],
])('no 100 Continue is sent for %s', async (_, head, connection) => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(head);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(/\r\nConnection: (.*)\r\n/.exec(String(answer))?.[1]).toBe(connection);
});

test('any other expectation gets 417 and closes the connection', async () => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n');
  expect(await text(socket)).toMatch(
    /^HTTP\/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n(?:.+\r\n)+\r\n$/,
  );
});

test.each(['constructor', '__proto__', 'toString'])(
  'an unknown method with a header named %s gets a normal response',
  async (name) => {
    const { port } = await listening();
    const socket = connect(port, '127.0.0.1');
    socket.write(`NONSENSE / HTTP/1.1\r\nHost: a\r\n${name}: b\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  },
);

test.each([
  { end: 'with its rejection', target: 'a:1', host: '', closes: true },
  { end: 'when the port closes', target: '/silence', host: 'Host: a\r\n', closes: false },
])('a CONNECT whose client keeps its side open is closed $end', async ({ target, host, closes }) => {
  const { port, listener } = await listening();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  // Also sends bytes meant for the far end of the tunnel.
  socket.write(`CONNECT ${target} HTTP/1.1\r\n${host}\r\n${'x'.repeat(10_000)}`);
  await once(socket, 'connect');
  if (closes) await once(socket.resume(), 'end');
  else await expect.poll(() => socket.bytesWritten).toBeGreaterThan(10_000);
  await listener.close(0);
});

test('a connection that waits for its turn is closed with the port', async () => {
  const { port, listener } = await listening();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write('GET /silence HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'connect');
  const closed = listener.close(0);
  // Blocks the event loop, so that its turn would come after all started connections have ended.
  for (const until = performance.now() + 5; performance.now() < until; );
  await closed;
});

test('an exception in one request closes its connection, and the node responds to the next', async () => {
  const { faults, url } = await listening();
  await expect(fetch(`${url}/fault`)).rejects.toThrow();
  expect(faults).toEqual([[new RangeError('too deep'), '/fault']]);
  expect(await (await fetch(url)).text()).toBe('well');
});

test('reopen logs once that another process has the port, and waits until it is free', async () => {
  const { listener, port, url } = await listening(await freePort());
  await listener.shut();
  // A child process that another thread starts keeps open sockets until it runs its program.
  const other = await until('the port is free', () => listenAt('127.0.0.1', port), { everyMs: 20 });
  const said: string[] = [];
  const reopened = listener.reopen(new AbortController().signal, (why) => said.push(why));
  // reopen() started first: if this attempt fails, its first one has failed too.
  await expect(listenAt('127.0.0.1', port)).rejects.toThrow('EADDRINUSE');
  await other.close();
  await reopened;
  expect(await (await fetch(url)).text()).toBe('well');
  expect(said).toEqual([`port ${port} on 127.0.0.1 is taken: retrying every 0.1 s`]);
});

test('an address that cannot be used is rejected with the complete error of the system, and with the flags to change', async () => {
  const answer = async () => ({ kind: 'silence' as const });
  const started = await listen('192.0.2.1', 0, { now: () => 0, requests: new Map(), onFault: () => undefined, answer });
  const why = 'cannot listen on 192.0.2.1:0 (listen EADDRNOTAVAIL: address not available 192.0.2.1)';
  const flags = 'choose another with --http-port (0 for any free port), or another address with --http-host';
  expect(started).toEqual({ kind: 'refused', why, message: `${why}: ${flags}` });
});

test.each([
  ['head', 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na'],
])(
  'a connection is closed requestMs after a request whose %s does not end, not at the next half-minute sweep',
  async (_, sent) => {
    const { port } = await listening(0, { requestMs: 100 });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.resume().write(sent);
    const since = performance.now();
    await once(socket, 'close');
    expect(performance.now() - since).toBeLessThan(15_000);
  },
  60_000,
);
