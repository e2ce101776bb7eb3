// TLS handshakes: queued, and limited per client address.

import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { queueHandshakes } from '../../src/server/handshakes.ts';
import { createFairQueue } from '../../src/turns.ts';
import { ciphers, keyChanges, trafficSecretIn } from '../support/tls-floods.mjs';
import { turnsByHand } from '../support/turns-by-hand.ts';
import { pem } from '../support/web-config.ts';

test('a handshake starts in its turn, and a client that disconnects leaves the queue', async () => {
  const { inTurn, places } = turnsByHand();
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key') });
  queueHandshakes(server, inTurn);
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
  expect([begun.length, places[1]]).toMatchObject([0, { kind: 'new', hasLeft: false }]);
  places[1]?.begin();
  await once(stays, 'secureConnect');
  stays.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** `mayCome`: whether the client is accepted. */
const serveInTurn = async (more: ServerOptions = {}, mayCome: (socket: TLSSocket) => boolean = () => true) => {
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key'), ...more }, (_request, response) =>
    response.end(),
  );
  queueHandshakes(server, createFairQueue());
  // As the server does with a web configuration.
  server.prependListener('secureConnection', (socket: TLSSocket) => void (mayCome(socket) || socket.destroy()));
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
  /** A connection without TLS; resolves when the server has closed it. */
  const knock = async (localAddress: string, text: string): Promise<void> => {
    const socket = connectTcp({ port: address.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined).end(text);
    await once(socket.resume(), 'close');
  };
  /** Opens a connection and waits until its handshake is finished on the server. */
  const openSecure = async (localAddress: string) => {
    const one = open(localAddress);
    await once(server, 'secureConnection');
    return one;
  };
  /** `lines`: the number of key log lines of each connection. */
  return { open, knock, openSecure, lines: (): readonly number[] => [...lines.values()] };
};

test('a client that floods key updates is disconnected and its address blocked for a while, others are not', async () => {
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

test('at most 64 KiB of the key updates of one address are read, on all its connections together', async () => {
  const { openSecure, lines } = await serveInTurn();
  const [first, second] = [await openSecure('127.0.0.1'), await openSecure('127.0.0.1')];
  const floods = [first.changes(6000), second.changes(6000)] as const;
  first.raw.write(floods[0]);
  second.raw.write(floods[1]);
  await Promise.all([first.closed, second.closed]);
  // A handshake logs five lines, and a record has 27 bytes.
  expect(lines().reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2 * 5 + 65_536 / 27);
});

type Open = Awaited<ReturnType<typeof serveInTurn>>['open'];

/** Whether a client that sends this number of certificates, 400 bytes each, gets a response. */
const isAnswered = async (open: Open, localAddress: string, certificates: number, name = 'client'): Promise<boolean> => {
  const cert = [pem(`${name}.crt`), ...Array.from({ length: certificates - 1 }, () => pem('ca.crt'))].join('\n');
  const { socket, closed } = open(localAddress, { cert, key: pem(`${name}.key`) });
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const answered = new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)));
  return Promise.race([answered, closed.then(() => false)]);
};

test('a client that sends 30 KB of certificates is blocked for a while, one that sends three certificates is not', async () => {
  const { open } = await serveInTurn({ requestCert: true, rejectUnauthorized: false });
  expect(await isAnswered(open, '127.0.0.3', 3)).toBe(true);
  expect(await isAnswered(open, '127.0.0.4', 80)).toBe(false);
  expect(await isAnswered(open, '127.0.0.4', 3)).toBe(false);
  expect(await isAnswered(open, '127.0.0.3', 3)).toBe(true);
});

/** As `serveInTurn`, with fake time for the blocks of addresses. */
const serveByClock: typeof serveInTurn = async (more, mayCome) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return serveInTurn({ requestCert: true, rejectUnauthorized: false, ca: pem('ca.crt'), ...more }, mayCome);
};

test('an address is blocked for 0.4 s per KiB of rejected certificates, and not for trusted ones', async () => {
  const { open } = await serveByClock({}, ({ authorized }) => authorized);
  expect(await isAnswered(open, '127.0.0.5', 30)).toBe(true);
  expect(await isAnswered(open, '127.0.0.5', 30)).toBe(true);
  // A single rejected certificate is free.
  for (let nth = 0; nth < 3; nth += 1) expect(await isAnswered(open, '127.0.0.5', 1, 'expired')).toBe(false);
  expect(await isAnswered(open, '127.0.0.5', 1)).toBe(true);
  // 12 KiB, of which 3 KiB are free.
  expect(await isAnswered(open, '127.0.0.5', 30, 'expired')).toBe(false);
  vi.advanceTimersByTime(3000);
  expect(await isAnswered(open, '127.0.0.5', 1)).toBe(false);
  expect(await isAnswered(open, '127.0.0.6', 1)).toBe(true);
  vi.advanceTimersByTime(2500);
  expect(await isAnswered(open, '127.0.0.5', 1)).toBe(true);
});

test('if any client is accepted, certificates of an unknown CA block their address only above 4 KiB', async () => {
  const { open } = await serveByClock({ ca: pem('other-ca.crt') });
  for (let nth = 0; nth < 3; nth += 1) expect(await isAnswered(open, '127.0.0.7', 5)).toBe(true);
  expect(await isAnswered(open, '127.0.0.7', 20)).toBe(true);
  expect(await isAnswered(open, '127.0.0.7', 5)).toBe(false);
  vi.advanceTimersByTime(4000);
  expect(await isAnswered(open, '127.0.0.7', 5)).toBe(true);
});

test('the bytes of a first request do not block an accepted client without a certificate', async () => {
  const { open } = await serveByClock({ requestCert: false });
  for (let nth = 0; nth < 3; nth += 1) {
    const { socket } = open('127.0.0.8');
    socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\ncookie: ${'c'.repeat(7000)}\r\n\r\n`);
    await once(socket, 'data');
  }
});

test('a port scan or a plain HTTP request does not block the address', async () => {
  const { open, knock } = await serveByClock();
  for (const text of ['', 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n']) await knock('127.0.0.10', text);
  expect(await isAnswered(open, '127.0.0.10', 1)).toBe(true);
});
