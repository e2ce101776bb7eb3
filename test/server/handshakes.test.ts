// TLS handshakes: each in its turn, and none for who has gone.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { handshakesInTurn } from '../../src/server/handshakes.ts';
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
