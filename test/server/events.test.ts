// The stream of server-sent events over real sockets: its events, its limits, and that it does not delay a stop.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEvents, type EventsOptions } from '../../src/server/events.ts';
import { type Given, serveExporter, stateOf } from '../support/exporter-server.ts';
import { serveHttp } from '../support/serve.ts';
import { noon } from '../support/snapshot.ts';

/** Milliseconds: more than the slowest machine needs. */
const patience = 300_000;

/** A server whose state version the test can increment, with short ticks. */
const serving = async (events: EventsOptions = {}, given: Given = {}) => {
  let version = 1;
  const server = await serveExporter({
    ...given,
    state: () => stateOf(undefined, { version, wallOffset: 3600 }),
    options: { graceMs: patience, ...given.options, events: { tickMs: 5, ...events } },
  });
  return {
    ...server,
    change: () => {
      version += 1;
    },
  };
};

interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** The text received so far. */
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly leave: () => void;
}

const listen = async (url: string): Promise<Stream> => {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${url}/api/v1/events`, { signal: leaving.signal });
  let text = '';
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const ended = read().catch(() => undefined);
  return { status: response.status, headers: response.headers, text: () => text, ended, leave: () => leaving.abort() };
};

const until = async (true_: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await true_())) await wait(5);
};

const counted = (text: string, name: string): number => text.split(`event: ${name}\n`).length - 1;

describe('the stream', () => {
  test('starts with a `changed` event, in case the state changed since the page was rendered, and is no-store', async () => {
    const { url } = await serving();
    const stream = await listen(url);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
    expect(stream.headers.get('content-length')).toBeNull();
    await until(() => stream.text().includes('\n\n'));
    expect(stream.text()).toMatch(/^retry: 2000\nevent: changed\ndata: \{"now":"2026-11-20T13:00:00\.000Z"\}\n\n/);
  });

  test('sends every client one event per change', async () => {
    const { url, change } = await serving({ minTicks: 1, heartbeatTicks: 1e9 });
    const streams = await Promise.all([listen(url), listen(url), listen(url)]);
    await until(() => streams.every((stream) => counted(stream.text(), 'changed') === 1));
    change();
    await until(() => streams.every((stream) => counted(stream.text(), 'changed') === 2));
    change();
    await until(() => streams.every((stream) => counted(stream.text(), 'changed') === 3));
    expect(streams.map((stream) => counted(stream.text(), 'heartbeat'))).toEqual([0, 0, 0]);
  });

  test('combines many changes into few events', async () => {
    const { url, change } = await serving({ minTicks: 4, heartbeatTicks: 1e9 });
    const stream = await listen(url);
    await until(() => counted(stream.text(), 'changed') === 1);
    let looks = 0;
    const changing = setInterval(() => {
      looks += 1;
      change();
    }, 1);
    await until(() => counted(stream.text(), 'changed') >= 4);
    clearInterval(changing);
    expect(looks).toBeGreaterThan(4);
  });

  test('sends heartbeats while nothing changes, so that a dead connection is detected', async () => {
    const { url } = await serving({ heartbeatTicks: 2 });
    const stream = await listen(url);
    await until(() => counted(stream.text(), 'heartbeat') >= 3);
    expect(counted(stream.text(), 'changed')).toBe(1);
  });

  test('responds to HEAD with headers only', async () => {
    const { url } = await serving();
    const answer = await fetch(`${url}/api/v1/events`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await answer.text()).toBe('');
  });
});

describe('limits', () => {
  test('a client above the limit gets 503 until another client disconnects', async () => {
    const { url } = await serving({ maxClients: 2 });
    const [first] = [await listen(url), await listen(url)];
    const third = await listen(url);
    expect(third.status).toBe(503);
    expect(third.headers.get('retry-after')).toBe('10');
    await third.ended;
    expect(third.text()).toBe('no events: 2 listen already\n');
    first.leave();
    await until(async () => (await listen(url)).status === 200);
  });

  test('a client that reads nothing is disconnected, and the other clients still get events', async () => {
    const events = createEvents(
      () => 0,
      () => noon,
      { tickMs: 1, heartbeatTicks: 1, maxUnreadBytes: 1000 },
    );
    const { url, close } = await serveHttp((request, response) => {
      // The kernel buffers megabytes before it reports that nobody reads; a corked socket reports it at once.
      if (request.url?.includes('deaf')) response.socket?.cork();
      events.join(request, response, '127.0.0.1');
    });
    onTestFinished(async () => {
      events.close();
      await close();
    });
    const deaf = connect(Number(new URL(url).port), '127.0.0.1');
    deaf.on('error', () => undefined);
    deaf.write('GET /api/v1/events?deaf HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => events.clients() === 1);
    const hearing = await listen(url);
    if (!deaf.closed) await once(deaf, 'close');
    await until(() => events.clients() === 1);
    const heard = counted(hearing.text(), 'heartbeat');
    await until(() => counted(hearing.text(), 'heartbeat') > heard + 3);
  });
});

describe('stopping', () => {
  test('ends every stream at once, before the drain is over, and rejects new ones with 503', async () => {
    const { url, close } = await serving({}, { options: { drainMs: 5000 } });
    const streams = await Promise.all([listen(url), listen(url)]);
    const stopped = close();
    await Promise.all(streams.map((stream) => stream.ended));
    const late = await listen(url);
    expect(late.status).toBe(503);
    await late.ended;
    expect(late.text()).toBe('no events: stopping\n');
    await stopped;
  });

  test('does not wait for the grace period while clients are connected', async () => {
    const { url, close } = await serving();
    const stream = await listen(url);
    await close();
    await stream.ended;
  });
});
