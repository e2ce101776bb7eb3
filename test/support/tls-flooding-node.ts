// A TLS node that sends key updates or session tickets endlessly, instead of its first response or after it.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { listening, type Served } from './serve.ts';
import { ciphers, keyChanges, sendForEver, ticketFlood, trafficSecretIn } from './tls-floods.mjs';
import { pem } from './web-config.ts';

/** Two session tickets have already been sent. */
const tickets = 2;

const floods = { keys: keyChanges, tickets: ticketFlood };

export const serveTlsFlood = (answers: boolean, kind: keyof typeof floods = 'keys'): Promise<Served> => {
  const server = createServer({ cert: pem('server.crt'), key: pem('server.key'), ciphers });
  const raws = new Map<number | undefined, Socket>();
  const secrets = new WeakMap<TLSSocket, Buffer>();
  server.on('connection', (socket: Socket) => {
    raws.set(socket.remotePort, socket);
    // Prevents resumed sessions, in which fewer tickets would have been sent.
    server.setTicketKeys(randomBytes(48));
  });
  server.on('keylog', (line: Buffer, socket: TLSSocket) => {
    const secret = trafficSecretIn(line, 'SERVER');
    if (secret !== undefined) secrets.set(socket, secret);
  });
  const flood = (socket: TLSSocket, sent: number): void => {
    const [raw, secret] = [raws.get(socket.remotePort), secrets.get(socket)];
    if (raw !== undefined && secret !== undefined) sendForEver(raw, floods[kind](secret, sent));
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    if (!answers) setImmediate(flood, socket, tickets);
  });
  server.on('request', ({ socket }, response) => {
    if (!answers || !(socket instanceof TLSSocket)) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"checks":{},"healthy":true}', () => setImmediate(flood, socket, tickets + 1));
  });
  return listening(server, 'https');
};
