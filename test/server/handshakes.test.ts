// TLS handshakes: each in its turn, and none for who has gone.

import { once } from 'node:events';
import { createServer } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { handshakesInTurn } from '../../src/server/handshakes.ts';
import { answersInTurn } from '../../src/turns.ts';
import { changeKeys, ciphers, trafficSecretIn } from '../support/key-changes.ts';
import { turnsByHand } from '../support/turns-by-hand.ts';
import { pem } from '../support/web-config.ts';

test('one begins in its turn, as a new connection, and who goes gives its place up', async () => {
  const { inTurn, places } = turnsByHand();
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key') });
  handshakesInTurn(server, inTurn);
  const came: Socket[] = [];
  server.on('connection', (socket: Socket) => came.push(socket));
  const begun: unknown[] = [];
  server.on('secureConnection', (socket) => begun.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const open = () => {
    const socket = connect({ port: address.port, host: '127.0.0.1', ca: pem('ca.crt') });
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => undefined);
  };
  open();
  await expect.poll(() => places.length).toBe(1);
  came[0]?.destroy();
  await expect.poll(() => places[0]?.hasLeft).toBe(true);
  const stays = open();
  await expect.poll(() => places.length).toBe(2);
  expect([begun.length, places[1]]).toMatchObject([0, { acquaintance: 'new', hasLeft: false }]);
  places[1]?.begin();
  await once(stays, 'secureConnect');
  stays.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('who changes keys without end is ended, and has no other connection for a while; others have', async () => {
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key') });
  handshakesInTurn(server, answersInTurn());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const open = (localAddress: string) => {
    const raw = connectTcp({ port: address.port, host: '127.0.0.1', localAddress });
    const socket = connect({ socket: raw, ca: pem('ca.crt'), ciphers, checkServerIdentity: () => undefined });
    onTestFinished(() => void raw.destroy());
    raw.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    return { raw, socket, closed };
  };
  const hostile = open('127.0.0.1');
  let secret: Buffer | undefined;
  hostile.socket.on('keylog', (line) => {
    secret = trafficSecretIn(line, 'CLIENT') ?? secret;
  });
  // Its own end has come first.
  await once(server, 'secureConnection');
  if (secret === undefined) throw new Error('there are no keys');
  changeKeys(hostile.raw, secret, 0);
  await hostile.closed;
  const again = open('127.0.0.1');
  let isSecure = false;
  again.socket.once('secureConnect', () => {
    isSecure = true;
  });
  await again.closed;
  expect(isSecure).toBe(false);
  await once(open('127.0.0.2').socket, 'secureConnect');
  server.close();
  server.closeAllConnections();
});
