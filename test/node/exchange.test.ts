// When an answer's memory may be used again: not before its last byte is the system's.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { exchange } from '../../src/node/exchange.ts';
import type { Reply } from '../../src/node/reply.ts';

/** More than the buffers of two sockets. */
const longBody = Buffer.alloc(64 * 2 ** 20, 'x');

const serving = async (body: Reply['body']) => {
  let sent = 0;
  const reply: Reply = { status: 200, headers: [], body, sent: () => (sent += 1) };
  const server = createServer((asked, response) => {
    const answer = async () => ({ kind: 'reply', reply }) as const;
    void exchange(asked, response, { answer, now: () => 0, isClosing: () => false });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ask = async (): Promise<IncomingMessage> => {
    const [response] = await once(request({ port, host: '127.0.0.1', agent: false }).end(), 'response');
    return response;
  };
  return { ask, sent: () => sent };
};

test('sent is said once, after the last byte of a body that its reader took its time for', async () => {
  const server = await serving([Buffer.from('['), longBody, Buffer.from(']')]);
  const answer = await server.ask();
  await once(answer, 'readable');
  expect(server.sent()).toBe(0);
  expect(await text(answer)).toHaveLength(longBody.length + 2);
  await expect.poll(server.sent).toBe(1);
});
