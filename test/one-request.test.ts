// Connections with an invalid request head: the client can read the error, and the server closes the connection.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/node/listen.ts';
import { textReply } from '../src/node/reply.ts';
import { serveExporter } from './support/exporter-server.ts';
import { pem, serverPair, serveWeb } from './support/web-config.ts';

/** The server's socket of the next connection. */
const nextAccepted = (): Promise<Socket> =>
  new Promise((resolve) => {
    const came = (message: unknown): void => {
      if (typeof message === 'object' && message !== null && 'socket' in message && message.socket instanceof Socket)
        resolve(message.socket);
    };
    subscribe('net.server.socket', came);
    onTestFinished(() => void unsubscribe('net.server.socket', came));
  });

/** Sends the text, and keeps the client's side open. */
const send = (client: Socket, text: string): Socket => {
  onTestFinished(() => void client.destroy());
  // Data for a closed connection causes a reset.
  client.on('error', () => undefined);
  client.write(text);
  return client;
};

/** Undefined if the connection was reset: unread data is lost. */
const readAll = async (client: Socket): Promise<string | undefined> => {
  let answer = '';
  client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  return new Promise((resolve) => {
    client.once('error', () => resolve(undefined));
    for (const end of ['end', 'close']) client.once(end, () => resolve(answer));
  });
};

/** A machine that stalls for longer than the server lingers loses a response, but not repeatedly. */
const tries = 20;

const connectPlain = (port: number): Socket => connect({ host: '127.0.0.1', port, allowHalfOpen: true });
const connectSecurely = (port: number): Socket =>
  connectTls({ socket: connectPlain(port), ca: pem('ca.crt'), servername: 'localhost' });

const servers = [
  { server: 'the exporter', letters: 8_000_000, connectTo: connectPlain, start: async () => (await serveExporter()).port },
  {
    server: 'the probe port',
    letters: 8_000_000,
    connectTo: connectPlain,

    start: async () => (await serveExporter({ options: { paths: 'probes' } })).port,
  },
  {
    server: 'the exporter over TLS',
    // Data that arrives with the handshake counts as a part of it: more would be a flood.
    letters: 10_000,
    connectTo: connectSecurely,

    start: async () => (await serveWeb(`tls_server_config:\n  ${serverPair}\n`)).port,
  },
  {
    server: 'the embedded node',
    letters: 8_000_000,
    connectTo: connectPlain,

    start: async () => {
      const answer = async () => ({ kind: 'reply', reply: textReply(200, 'well') }) as const;
      const started = await listen('127.0.0.1', 0, { now: () => 0, requests: new Map(), onFault: () => undefined, answer });
      if (started.kind === 'refused') throw new Error(started.message);
      onTestFinished(() => started.listener.close(0));
      return started.listener.port;
    },
  },
];

const heads = [
  { head: 'has a header without a colon', text: () => 'GET /livez HTTP/1.1\r\nno colon\r\n\r\n', status: 400 },
  { head: 'is not HTTP', text: () => 'SSH-2.0-OpenSSH_9.6\r\n\r\n', status: 400 },
  { head: 'has no Host', text: () => 'GET /livez HTTP/1.1\r\n\r\n', status: 400 },
  { head: 'is too large', text: (letters: number) => `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(letters)}`, status: 431 },
];

describe.each(servers)('$server', ({ letters, connectTo, start }) => {
  test.each(heads)(
    'sends $status to a client whose request head $head, and closes the connection although the client does not',
    async (row) => {
      const port = await start();
      let answer: string | undefined;
      for (let nth = 0; nth < tries && answer === undefined; nth += 1) {
        const accepted = nextAccepted();
        answer = await readAll(send(connectTo(port), row.text(letters)));
        const own = await accepted;
        if (!own.closed) await once(own, 'close');
      }
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${row.status} `));
    },
  );
});

test.each(['all', 'probes'] as const)('a client that keeps sending still receives the error response: %s', async (paths) => {
  // Longer than a busy machine stalls.
  const { port } = await serveExporter({ options: { paths, lingerMs: 300_000 } });
  const accepted = nextAccepted();
  const client = send(connectPlain(port), `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(10_000)}`);
  const own = await accepted;
  await Promise.race([once(own, 'finish'), once(own, 'close')]);
  // On a closed connection, the first write would cause a reset.
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => client.write('more', resolve));
  expect(await readAll(client)).toMatch(/^HTTP\/1\.1 431 /);
});

describe('a client that half-closes its connection after its request', () => {
  const connectTo = async (answer: (ended: Promise<unknown>) => Promise<unknown>): Promise<{ client: Socket; own: Socket }> => {
    const accepted = nextAccepted();
    const ended = accepted.then((own) => once(own, 'end'));
    const reply = { kind: 'reply', reply: textReply(200, 'well') } as const;
    const options = { now: () => 0, requests: new Map(), onFault: () => undefined };
    const started = await listen('127.0.0.1', 0, { ...options, answer: () => answer(ended).then(() => reply) });
    if (started.kind === 'refused') throw new Error(started.message);
    onTestFinished(() => started.listener.close(0));
    const client = connectPlain(started.listener.port);
    onTestFinished(() => void client.destroy());
    client.end('POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
    return { client, own: await accepted };
  };

  test('gets its response, even if it takes longer', async () => {
    const { client } = await connectTo(async (ended) => {
      await ended;
      await new Promise(setImmediate);
    });
    expect(await readAll(client)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*well$/);
  });

  test('is disconnected in the end if there is no response', async () => {
    const { own } = await connectTo(() => new Promise(() => undefined));
    await once(own, 'close');
  });
});
