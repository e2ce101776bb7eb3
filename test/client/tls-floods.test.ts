// A node that endlessly sends TLS messages without data: key updates, session tickets.

import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { describe as describeFailure } from '../../src/client/outcome.ts';
import { createRest } from '../../src/client/rest.ts';
import { boundTlsMessages } from '../../src/tls-floods.ts';
import { clientOf, never } from '../support/asking.ts';
import { listening } from '../support/serve.ts';
import { serveTlsFlood } from '../support/tls-flooding-node.ts';
import { pem, tlsFile } from '../support/web-config.ts';

const serveFlood = async (answers: boolean, kind: 'keys' | 'tickets') => {
  const { url, connections, close } = await serveTlsFlood(answers, kind);
  onTestFinished(close);
  return { client: clientOf(url, { timeoutMs: 20_000, tls: { caFile: tlsFile('ca.crt') } }), connections };
};

const abuse = { kind: 'network', reason: 'sends TLS messages without end that carry no data', isAbuse: true };

describe.each(['keys', 'tickets'] as const)('endless %s', (kind) => {
  test('instead of a response end the connection, and the node is left alone for a while', async () => {
    const { client, connections } = await serveFlood(false, kind);
    expect((await client.health([], never)).outcome).toMatchObject(abuse);
    expect((await client.health([], never)).outcome).toMatchObject(abuse);
    expect(connections()).toBe(1);
  });

  test('after a response are detected on the kept connection', async () => {
    const { client } = await serveFlood(true, kind);
    expect((await client.health([], never)).outcome.kind).toBe('ok');
    await expect.poll(async () => (await client.health([], never)).outcome).toMatchObject(abuse);
  });
});

test.each([
  { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', kind: 'ok' },
  // With a group of 10,000 bits a handshake takes a second of processor time.
  { ciphers: 'DHE-RSA-AES128-GCM-SHA256', kind: 'tls' },
])('a node that offers only $ciphers: $kind', async ({ ciphers, kind }) => {
  const keys = { cert: pem('rsa.crt'), key: pem('rsa.key'), dhparam: 'auto' as const };
  const server = createServer({ ...keys, ciphers, maxVersion: 'TLSv1.2' }, report);
  const { url, close } = await listening(server, 'https');
  onTestFinished(close);
  for (const tls of [{ caFile: tlsFile('rsa.crt') }, undefined]) {
    const { outcome } = await clientOf(url, { ...(tls && { tls }) }).health([], never);
    expect(outcome).toMatchObject(tls === undefined && kind === 'ok' ? { kind: 'tls', isUntrusted: true } : { kind });
  }
});

test.each([
  {
    node: 'with an untrusted certificate',
    serve: () => createServer({ cert: pem('server.crt'), key: pem('server.key') }),
    outcome: { kind: 'tls', isUntrusted: true },
  },
  {
    node: 'that resets the connection during the handshake',
    serve: () => createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    outcome: { kind: 'reset' },
  },
])('a node $node gets one handshake, not one per request', async ({ serve, outcome }) => {
  const { url, connections, close } = await listening(serve(), 'https');
  onTestFinished(close);
  // On a busy machine, a rest of a hundred times a fast handshake could end before the next request.
  const client = clientOf(url, {}, { rest: createRest(() => 0) });
  for (let nth = 0; nth < 3; nth += 1) expect((await client.health([], never)).outcome).toMatchObject(outcome);
  expect(connections()).toBe(1);
});

const report: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"checks":{},"healthy":true}');
};

/** A chain with this many extra certificates of 400 bytes each. */
const serveChain = async (certificates: number, more: ServerOptions = {}) => {
  const cert = [pem('server.crt'), ...Array.from({ length: certificates }, () => pem('ca.crt'))].join('\n');
  const { url, connections, close } = await listening(createServer({ cert, key: pem('server.key'), ...more }, report), 'https');
  onTestFinished(close);
  return { client: clientOf(url, { tls: { caFile: tlsFile('ca.crt') } }), connections };
};

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  '%s: a trusted node with 30 KB of certificates fails, with a single handshake',
  async (version) => {
    const { client, connections } = await serveChain(80, { maxVersion: version });
    for (let nth = 0; nth < 3; nth += 1) {
      const { outcome } = await client.health([], never);
      expect(outcome).toMatchObject({ kind: 'tls', isAbuse: true });
      expect(outcome.kind === 'ok' ? '' : describeFailure(outcome)).toMatch(
        /^TLS failed \(the handshake of the server is larger than 16384 bytes\) at .*: shorten its chain of certificates$/,
      );
    }
    expect(connections()).toBe(1);
  },
);

test('a trusted node with 12 KB of certificates is accepted', async () => {
  const { client } = await serveChain(30);
  expect((await client.health([], never)).outcome.kind).toBe('ok');
});

test('a TLS 1.2 node that renegotiates is left alone for a while', async () => {
  const options = { cert: pem('server.crt'), key: pem('server.key'), maxVersion: 'TLSv1.2' } as const;
  const server = createServer(options, ({ socket }) => {
    if (socket instanceof TLSSocket) socket.on('error', () => undefined).renegotiate({}, () => undefined);
  });
  let handshakes = 0;
  server.on('keylog', () => {
    handshakes += 1;
  });
  const { url, connections, close } = await listening(server, 'https');
  onTestFinished(close);
  const client = clientOf(url, { tls: { caFile: tlsFile('ca.crt') } });
  for (let nth = 0; nth < 2; nth += 1)
    expect((await client.health([], never)).outcome).toMatchObject({
      kind: 'network',
      reason: 'asks for another TLS handshake in the same connection',
      isAbuse: true,
    });
  expect([connections(), handshakes]).toEqual([1, 1]);
});

test('a node with a renewed certificate is asked again with the same settings', async () => {
  const server = createServer({ cert: pem('wrong-name.crt'), key: pem('wrong-name.key') }, report);
  const { url, close } = await listening(server, 'https');
  onTestFinished(close);
  const client = clientOf(url, { tls: { caFile: tlsFile('ca.crt') } });
  expect((await client.health([], never)).outcome.kind).toBe('tls');
  server.setSecureContext({ cert: pem('server.crt'), key: pem('server.key') });
  await expect.poll(async () => (await client.health([], never)).outcome.kind).toBe('ok');
});

test('one key update per minute is not a flood, however many', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setImmediate'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = new TLSSocket(new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }));
  const flooded: TLSSocket[] = [];
  const count = boundTlsMessages((one) => flooded.push(one));
  for (let minutes = 0; minutes < 200; minutes += 1) {
    count(Buffer.alloc(0), socket);
    vi.advanceTimersByTime(60_001);
  }
  expect(flooded).toEqual([]);
  for (let messages = 0; messages < 64; messages += 1) count(Buffer.alloc(0), socket);
  expect(flooded).toEqual([socket]);
  vi.runAllTimers();
  expect(socket.destroyed).toBe(true);
});
