// How the server starts, limits abusive clients, and stops.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createEventHistory } from '../../src/events/event-history.ts';
import { silentLog } from '../../src/log.ts';
import { startServer } from '../../src/server/listen.ts';
import { metricsPage, serveExporter, stateOf } from '../support/exporter-server.ts';
import { noon } from '../support/snapshot.ts';

const sources = {
  state: () => stateOf(),
  lastTick: () => noon,
  metrics: metricsPage,
  eventHistory: createEventHistory({ run: 'test' }),
  now: () => noon,
  version: '0',
  log: silentLog,
  signal: new AbortController().signal,
};

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

const answerOf = async (url: string, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });

/** Milliseconds: more than the slowest machine needs. */
const patience = 300_000;

const refused = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const refusal = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', () => resolve(true));
  });
  socket.destroy();
  return refusal;
};

/** Waits for something that only the server can cause. */
const until = async (true_: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await true_())) await wait(5);
};

describe('listening', () => {
  test('a port in use is an error that names the port and the options that change it', async () => {
    const { port } = await serveExporter();
    const second = await startServer({ host: '127.0.0.1', port }, sources);
    expect(second).toMatchObject({ kind: 'invalid', errors: [{ path: 'listen' }] });
    const message = second.kind === 'invalid' ? second.errors[0]?.message : undefined;
    for (const part of [`port ${port}`, '--listen', 'SNOWGAUGE_LISTEN_PORT', 'listen.port']) expect(message).toContain(part);
  });

  test('an address that is not of this host is an error', async () => {
    const started = await startServer({ host: '192.0.2.1', port: 0 }, sources);
    expect(started).toMatchObject({ kind: 'invalid', errors: [{ path: 'listen' }] });
  });

  test('a wildcard address is reported as a loopback URL', async () => {
    const { url, port } = await serveExporter({ options: { host: '0.0.0.0' } });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });
});

describe('abusive clients', () => {
  test('idle connections are closed to make room for connections with a request', async () => {
    const { url, port } = await serveExporter({ options: { maxConnections: 4 } });
    const silent = await Promise.all(Array.from({ length: 12 }, () => opened(port)));
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    await until(() => silent.filter((socket) => socket.closed).length >= 8);
    for (const socket of silent) socket.destroy();
  });

  test('a request head that does not end in time gets 408', async () => {
    const { port } = await serveExporter({ options: { requestMs: 500 } });
    const socket = await opened(port);
    const dripping = setInterval(() => socket.write('x'), 100);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: ');
    const [answer] = await once(socket, 'data');
    clearInterval(dripping);
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a request head larger than 8 KiB gets 431', async () => {
    const { url } = await serveExporter();
    expect((await fetch(url, { headers: { 'x-long': 'x'.repeat(9000) } })).status).toBe(431);
  });
});

describe('stopping', () => {
  test('is first not ready but serving, then refuses new connections, and finishes the response in flight', async () => {
    let finish = (): void => undefined;
    let asked = false;
    const server = await serveExporter({
      metrics: () => {
        asked = true;
        return new Promise((resolve) => {
          finish = () => resolve({ body: 'made late\n', headers: {} });
        });
      },
      // Short enough for a test, long enough for the request to /readyz on a busy machine.
      options: { drainMs: 5000, graceMs: patience },
    });
    const inFlight = fetch(`${server.url}/metrics`);
    await until(() => asked);

    const stopped = server.close();
    const ready = await fetch(`${server.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('connection')).toBe('close');
    await until(() => refused(server.port));

    finish();
    expect(await (await inFlight).text()).toBe('made late\n');
    await stopped;
  });

  test('does not wait for idle connections', async () => {
    const server = await serveExporter({ options: { graceMs: patience } });
    const agent = new Agent({ keepAlive: true });
    const answer = await answerOf(`${server.url}/livez`, agent);
    answer.resume();
    await once(answer, 'end');
    await server.close();
    agent.destroy();
  });

  test('closes a response that the client does not read after the grace period', async () => {
    const server = await serveExporter({
      metrics: () => ({ body: new Uint8Array(32 * 1024 * 1024), headers: {} }),
      options: { graceMs: 50 },
    });
    const socket = await opened(server.port);
    socket.pause();
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    await server.close();
    socket.destroy();
  });

  test('starts at the abort signal, and close may be called again', async () => {
    const stop = new AbortController();
    const server = await serveExporter({ signal: stop.signal });
    stop.abort();
    await server.closed;
    await server.close();
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
  });
});

describe('a queue of new connections', () => {
  test.each([
    { paths: 'all', isMinded: true },
    // Probes of the kubelet do not wait for the many connections of the other listener.
    { paths: 'probes', isMinded: false },
  ] as const)('is counted for every listener; responses of the listener for $paths paths wait for it: $isMinded', async (row) => {
    let [came, asked] = [0, 0];
    const arrivals = {
      came: () => {
        came += 1;
      },
      count: () => {
        asked += 1;
        return came;
      },
    };
    const signal = new AbortController();
    const server = await startServer(
      { host: '127.0.0.1', port: 0, paths: row.paths, drainMs: 0, requestMs: patience },
      { ...sources, arrivals, signal: signal.signal },
    );
    if (server.kind === 'invalid') throw new Error('the server does not listen');
    const agent = new Agent();
    for (let count = 1; count <= 3; count += 1) {
      expect((await answerOf(`${server.value.url}/livez`, agent)).resume().statusCode).toBe(200);
      expect(came).toBe(count);
    }
    expect(asked > 0).toBe(row.isMinded);
    signal.abort();
    await server.value.closed;
  });
});
