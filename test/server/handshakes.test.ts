// TLS handshakes: each in its turn, and none for who has gone.

import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { handshakesInTurn } from '../../src/server/handshakes.ts';
import { answersInTurn } from '../../src/turns.ts';
import { ciphers, keyChanges, trafficSecretIn } from '../support/tls-floods.mjs';
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

const serveInTurn = async (more: ServerOptions = {}) => {
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key'), ...more }, (_request, response) =>
    response.end(),
  );
  handshakesInTurn(server, answersInTurn());
  const lines = new Map<unknown, number>();
  server.on('keylog', (_line: Buffer, socket) => lines.set(socket, (lines.get(socket) ?? 0) + 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  const open = (localAddress: string, shown: ConnectionOptions = {}) => {
    const raw = connectTcp({ port: address.port, host: '127.0.0.1', localAddress });
    const socket = connect({ socket: raw, ca: pem('ca.crt'), ciphers, checkServerIdentity: () => undefined, ...shown });
    onTestFinished(() => void raw.destroy());
    raw.on('error', () => undefined);
    let secret: Buffer | undefined;
    socket.on('keylog', (line) => {
      secret = trafficSecretIn(line, 'CLIENT') ?? secret;
    });
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    const changes = (times: number): Buffer => {
      if (secret === undefined) throw new Error('there are no keys');
      return keyChanges(secret, 0)(times);
    };
    return { raw, socket, closed, changes };
  };
  /** Its own end has come before the server's. */
  const openSecure = async (localAddress: string) => {
    const one = open(localAddress);
    await once(server, 'secureConnection');
    return one;
  };
  /** Lines in the log of keys of each connection. */
  return { open, openSecure, lines: (): readonly number[] => [...lines.values()] };
};

test('who changes keys without end is ended, and has no other connection for a while; others have', async () => {
  const { open, openSecure } = await serveInTurn();
  const hostile = await openSecure('127.0.0.1');
  hostile.raw.write(hostile.changes(1000));
  await hostile.closed;
  const again = open('127.0.0.1');
  let isSecure = false;
  again.socket.once('secureConnect', () => {
    isSecure = true;
  });
  await again.closed;
  expect(isSecure).toBe(false);
  await once(open('127.0.0.2').socket, 'secureConnect');
});

test('of what it has sent already, on all its connections, 64 KiB are read and no more', async () => {
  const { openSecure, lines } = await serveInTurn();
  const [first, second] = [await openSecure('127.0.0.1'), await openSecure('127.0.0.1')];
  const floods = [first.changes(6000), second.changes(6000)] as const;
  first.raw.write(floods[0]);
  second.raw.write(floods[1]);
  await Promise.all([first.closed, second.closed]);
  // Of a handshake there are five, and a record has 27 bytes.
  const [fewest, most] = lines().toSorted((a, b) => a - b);
  expect(fewest).toBe(5);
  expect(most).toBeLessThanOrEqual(5 + 65_536 / 27);
});

test('who shows 30 KB of certificates is refused for a while; who shows three certificates is not', async () => {
  const { open } = await serveInTurn({ requestCert: true, rejectUnauthorized: false });
  const isAnswered = async (localAddress: string, certificates: number): Promise<boolean> => {
    const cert = [pem('client.crt'), ...Array.from({ length: certificates - 1 }, () => pem('ca.crt'))].join('\n');
    const { socket, closed } = open(localAddress, { cert, key: pem('client.key') });
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const answered = new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)));
    return Promise.race([answered, closed.then(() => false)]);
  };
  expect(await isAnswered('127.0.0.3', 3)).toBe(true);
  expect(await isAnswered('127.0.0.4', 80)).toBe(false);
  expect(await isAnswered('127.0.0.4', 3)).toBe(false);
  expect(await isAnswered('127.0.0.3', 3)).toBe(true);
});
