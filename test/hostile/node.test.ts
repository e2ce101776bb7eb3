// Clients of the embedded node that would end it: it answers the next one as before.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestNode } from '../support/node.ts';
import { askRaw } from '../support/raw-http.ts';
import { runCommand } from '../support/running-command.ts';

const json = { 'Content-Type': 'application/json' };
const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test.each([
  ['a parameter', `{"jsonrpc":"2.0","id":1,"method":"health.health","params":${nested(4562)}}`],
  ['an id', `{"jsonrpc":"2.0","id":${nested(4562)},"method":"health.health"}`],
  ['all of it', nested(4562)],
  ['what never ends', '['.repeat(900_000)],
])('%s that is nested deeper than anything', async (_, body) => {
  const { port } = await startTestNode();
  const answer = await askRaw(port, { method: 'POST', path: '/ext/health', headers: json, body });
  expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('exceeded max depth')]);
  expect((await askRaw(port, { method: 'GET', path: '/ext/health/liveness' })).status).toBe(200);
});

test('ten bodies of 60 MB at once are cut off after the first of them', async () => {
  const { port } = await startTestNode();
  const size = 60_000_000;
  const piece = Buffer.alloc(65_536, ' ');
  const taken = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(
        `POST /ext/health HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
      );
      let bytes = 0;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      while (bytes < size && !socket.destroyed) {
        const isSent = await new Promise((sent) => socket.write(piece, (error) => sent(!(error instanceof Error))));
        if (isSent === true) bytes += piece.length;
      }
      socket.destroy();
      await closed;
      return bytes;
    }),
  );
  // What the kernels of both sides hold is more than what the node reads.
  expect(Math.max(...taken)).toBeLessThan(size / 3);
  expect((await askRaw(port, { method: 'GET', path: '/ext/health/liveness' })).status).toBe(200);
});

test('its help says which limits it has', async () => {
  const { stdout } = await runCommand(['node', '--help']);
  expect(stdout).toContain('request bodies of 1 MiB, nested 64 deep');
});
