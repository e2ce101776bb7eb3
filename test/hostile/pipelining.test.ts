// Pipelined requests wait unread, in the exporter and in the embedded node.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/node/listen.ts';
import { textReply } from '../../src/node/reply.ts';
import { serveExporter } from '../support/exporter-server.ts';

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
};

/** Servers that count their requests and respond with this number of bytes. */
const servers: Readonly<Record<string, (bytes: number) => Promise<{ readonly port: number; readonly given: () => number }>>> = {
  exporter: async (bytes) => {
    let count = 0;
    const body = Buffer.alloc(bytes, 'a');
    const routes = () => {
      count += 1;
      return { status: 200, headers: {}, body };
    };
    const { port } = await serveExporter({ routes });
    return { port, given: () => count };
  },
  'embedded node': async (bytes) => {
    let count = 0;
    const listening = await listen('127.0.0.1', 0, {
      now: () => 0,
      requests: new Map(),
      onFault: () => undefined,
      answer: async () => {
        count += 1;
        return { kind: 'reply', reply: textReply(200, 'a'.repeat(bytes)) };
      },
    });
    if (listening.kind === 'refused') throw new Error(listening.message);
    onTestFinished(() => listening.listener.close(0));
    return { port: listening.listener.port, given: () => count };
  },
};

const get = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each(Object.entries(servers))(
  '%s: pipelined requests wait while the client does not read the response',
  async (_, start) => {
    // More than the socket buffers hold.
    const { port, given } = await start(16 * 1024 * 1024);
    const socket = await opened(port);
    socket.pause();
    socket.write(get.repeat(20));
    await once(socket, 'readable');
    // Long enough for a server without the limit to read all of it.
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    await wait(200);
    expect(given()).toBe(1);
  },
);

test.each(Object.entries(servers))(
  '%s: a client that reads gets a response to each of 301 pipelined requests, split into any packets',
  async (_, start) => {
    const { port, given } = await start(100);
    const socket = await opened(port);
    let ends = 0;
    socket.on('data', (chunk: Buffer) => {
      ends += chunk.toString().split('HTTP/1.1 200').length - 1;
    });
    const post = 'POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n';
    const text = get.repeat(300);
    for (let at = 0; at < text.length; at += 777) {
      socket.write(text.slice(at, at + 777));
      if (at % 7 === 0) await nextTurn();
    }
    await expect.poll(given).toBe(300);
    // A body in two packets.
    socket.write(`${post}${'b'.repeat(3000)}`);
    await nextTurn();
    socket.write(`${'b'.repeat(2000)}`);
    await expect.poll(() => ends).toBe(301);
  },
);

test('a request after the last response of a connection, which never gets a response, holds no memory', async () => {
  const body = Buffer.alloc(2 * 1024 * 1024, 'a');
  // Enough time to read the next request.
  const routes = async ({ target }: { readonly target: string }) =>
    target === '/metrics' ? { status: 200, headers: {}, body } : { status: await wait(100, 200), headers: {}, body: '' };
  const { port, url } = await serveExporter({ routes, options: { maxLarge: 1 } });
  const socket = await opened(port);
  const ended = once(socket.resume(), 'close');
  for (const path of ['/', '/metrics']) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na`);
  await ended;
  const response = await fetch(`${url}/metrics`);
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, body.length]);
});

test.each(Object.entries(servers))('%s: a request after a body waits for the response to the one before', async (_, start) => {
  const { port, given } = await start(16 * 1024 * 1024);
  const socket = await opened(port);
  socket.pause();
  socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na'.repeat(20));
  await once(socket, 'readable');
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  await wait(200);
  expect(given()).toBe(1);
});

test.each(['all', 'probes'] as const)(
  '2000 pipelined requests are spread over several turns of the event loop, at the port of %s',
  async (paths) => {
    let given = 0;
    const routes = () => {
      given += 1;
      return { status: 200, headers: {}, body: 'ok\n' };
    };
    const { port } = await serveExporter({ routes, options: { paths } });
    const socket = await opened(port);
    socket.resume();
    const total = 2000;
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(total));
    let most = 0;
    while (given < total) {
      const before = given;
      await nextTurn();
      most = Math.max(most, given - before);
    }
    expect(most).toBeLessThan(total / 2);
  },
);
