// A node that changes the keys of TLS and says nothing.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, never } from '../support/asking.ts';
import { changeKeys, ciphers, trafficSecretIn } from '../support/key-changes.ts';
import { pem, tlsFile } from '../support/web-config.ts';

/** Two tickets of the session have gone before. */
const tickets = 2;

const serveFlood = async (answers: boolean) => {
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key'), ciphers });
  const raws: Socket[] = [];
  const secrets = new WeakMap<TLSSocket, Buffer>();
  server.on('connection', (socket: Socket) => raws.push(socket));
  server.on('keylog', (line: Buffer, socket: TLSSocket) => {
    const secret = trafficSecretIn(line, 'SERVER');
    if (secret !== undefined) secrets.set(socket, secret);
  });
  const flood = (socket: TLSSocket, sent: number): void => {
    const [raw, secret] = [raws.find(({ remotePort }) => remotePort === socket.remotePort), secrets.get(socket)];
    if (raw !== undefined && secret !== undefined) changeKeys(raw, secret, sent);
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!answers) setImmediate(flood, socket, tickets);
  });
  server.on('request', ({ socket }, response) => {
    if (!answers || !(socket instanceof TLSSocket)) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"checks":{},"healthy":true}', () => setImmediate(flood, socket, tickets + 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const client = clientOf(`https://127.0.0.1:${address.port}`, { timeoutMs: 20_000, tls: { caFile: tlsFile('ca.crt') } });
  return { client, connections: () => raws.length };
};

const abuse = { kind: 'network', reason: 'changes the keys of TLS without end', isAbuse: true };

test('in the place of an answer: its connection ends, and it is left alone for a while', async () => {
  const { client, connections } = await serveFlood(false);
  expect((await client.health([], never)).outcome).toMatchObject(abuse);
  expect((await client.health([], never)).outcome).toMatchObject(abuse);
  expect(connections()).toBe(1);
});

test('after an answer, on a connection that is kept', async () => {
  const { client } = await serveFlood(true);
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  await expect.poll(async () => (await client.health([], never)).outcome).toMatchObject(abuse);
});
