// Load shedding over real sockets, with the test's own readings and clock: what the exporter rejects, in which order, and that it
// recovers.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { watchOverload } from '../../src/commands/overload.ts';
import { silentLog } from '../../src/log.ts';
import { createPage } from '../../src/metrics/page.ts';
import type { Reading } from '../../src/watchdog/readings.ts';
import { serveExporter } from '../support/exporter-server.ts';

const calm: Reading = { lag: 0.001, heapLimit: 100 * 2 ** 20 };
const stalling: Reading = { ...calm, lag: 2.5 };

const page = createPage({ version: '0' });

const serving = async (probes = false) => {
  let [at, reading] = [0, calm];
  const overload = watchOverload({ now: () => at, log: silentLog, signal: new AbortController().signal }, () => reading);
  at = 60;
  const server = await serveExporter({
    ...overload.inputs,
    probe: async () => ({ status: 200, headers: {}, body: '' }),
    options: { events: { tickMs: 1 }, ...(probes && { paths: 'probes' }) },
  });
  return {
    url: server.url,
    tally: overload.tally,
    metrics: async (): Promise<string> => {
      const state = { targets: new Map(), version: 1, reload: { successful: true }, wallOffset: 0, overload: overload.tally() };
      const { body } = await page.at(state, at, undefined, undefined);
      return Buffer.from(body as Uint8Array).toString();
    },
    after: (seconds: number, next: Reading): void => {
      reading = next;
      for (const end = at + seconds; at < end; ) {
        at += 1;
        overload.tick();
      }
    },
  };
};

const paths = {
  events: ['/api/v1/events'],
  page: ['/', '/?x=1', '/api/v1/status', '/api/v1/fleet', '/api/v1/history'],
  scrape: ['/metrics', '/metrics?name[]=snowgauge_up'],
  never: [
    '/metrics?target=node',
    '/targets/node/metrics',
    '/exporter/metrics',
    '/livez',
    '/readyz',
    '/self/readyz',
    '/targets/node/readyz',
    '/api/v1/sd',
    '/api/v1/safe-to-restart',
    '/probe?target=10.0.0.5:9650',
  ],
};

const ask = async (url: string): Promise<IncomingMessage> => {
  const [response] = await once(get(url, { agent: false }), 'response');
  return response as IncomingMessage;
};

const text = async (url: string): Promise<string> => (await (await ask(url)).setEncoding('utf8').toArray()).join('');

/** The paths that are rejected now. */
const refusedOf = async (url: string): Promise<readonly string[]> => {
  const all = Object.values(paths).flat();
  const found = await Promise.all(
    all.map(async (path) => {
      const response = await ask(url + path);
      response.destroy();
      return response.headers['retry-after'] === undefined ? [] : [path];
    }),
  );
  return found.flat();
};

test('rejects events first, then pages, then whole scrapes, and serves them again in the reverse order', async () => {
  const { url, after } = await serving();
  const { events, page, scrape } = paths;
  expect(await refusedOf(url)).toEqual([]);
  const steps = [
    [4, stalling, events],
    [3, stalling, [...events, ...page]],
    [3, stalling, [...events, ...page, ...scrape]],
    [11, calm, [...events, ...page]],
    [10, calm, events],
    [10, calm, []],
  ] as const;
  for (const [seconds, reading, refused] of steps) {
    after(seconds, reading);
    expect(await refusedOf(url)).toEqual(refused);
    expect((await ask(`${url}/readyz`)).statusCode).toBe(200);
    expect((await ask(`${url}/livez`)).statusCode).toBe(200);
  }
});

test('rejects with 503, a reason and Retry-After, and counts the rejected requests', async () => {
  const { url, after, metrics } = await serving();
  expect(await metrics()).toContain('snowgauge_requests_shed_total{kind="scrape"} 0\n');
  after(10, stalling);
  const response = await ask(`${url}/metrics`);
  expect(response.statusCode).toBe(503);
  expect(response.headers).toMatchObject({
    'retry-after': '10',
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
  });
  expect(await text(`${url}/metrics`)).toBe(
    'overloaded, rejecting event streams, pages and whole scrapes: /readyz?verbose says why\n',
  );
  await text(`${url}/`);
  const exported = await metrics();
  expect(exported).toContain('snowgauge_overloaded{reason="event_loop"} 1\nsnowgauge_overloaded{reason="heap"} 0\n');
  expect(exported).toMatch(/_shed_total\{kind="events"\} 0\n.*kind="page"\} 1\n.*kind="scrape"\} 2\n/);
  expect(exported).toContain(`snowgauge_heap_limit_bytes ${100 * 2 ** 20}\n`);
  expect(exported).not.toContain('snowgauge_heap_live_bytes');
});

test('ends and counts each open event stream, and accepts new ones after the overload', async () => {
  const { url, after, tally } = await serving();
  const streams = await Promise.all([ask(`${url}/api/v1/events`), ask(`${url}/api/v1/events`)]);
  expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  after(4, stalling);
  await Promise.all(streams.map((stream) => once(stream.resume(), 'end')));
  expect(tally().shed.get('events')).toBe(2);
  after(11, calm);
  const stream = await ask(`${url}/api/v1/events`);
  expect(stream.statusCode).toBe(200);
  stream.destroy();
});

test('stays ready, and /readyz?verbose names the exhausted resource, its usage and a remedy', async () => {
  const { url, after } = await serving();
  expect(await text(`${url}/readyz?verbose`)).toContain('[+]event-loop ok\n[+]heap ok\n');
  after(10, { ...stalling, live: { bytes: 81 * 2 ** 20, at: 70 } });
  const verbose = await ask(`${url}/readyz?verbose`);
  expect(verbose.statusCode).toBe(200);
  expect(await text(`${url}/readyz?verbose`)).toContain(
    `[!]event-loop late by 2.50 s in the last second: give the exporter more CPU, fewer clients, or fewer targets (shards); rejecting event streams, pages and whole scrapes
[!]heap 81% of 100 MiB in use after garbage collection: raise the memory limit, or give the exporter fewer targets (shards); rejecting event streams, pages and whole scrapes
`,
  );
  expect(await text(`${url}/livez?verbose`)).not.toContain('event-loop');
});

test('keeps rejecting pages while clients send many requests for them', async () => {
  const { url, after } = await serving();
  after(7, stalling);
  after(9, calm);
  await Promise.all(Array.from({ length: 25 }, () => text(`${url}/`)));
  after(9, calm);
  expect(await refusedOf(url)).toEqual([...paths.events, ...paths.page]);
  after(4, calm);
  expect(await refusedOf(url)).toEqual(paths.events);
});

test('rejects /probe at the heap usage at which it rejects pages, and only while the heap is that full', async () => {
  const { url, after, tally } = await serving();
  const heap = (ratio: number): Reading => ({ ...calm, live: { bytes: ratio * calm.heapLimit, at: 60 } });
  const statuses = async () => {
    const answers = await Promise.all(['/', '/probe?target=10.0.0.5:9650', '/metrics'].map((path) => ask(url + path)));
    for (const answer of answers) answer.resume();
    return answers.map(({ statusCode }) => statusCode);
  };
  after(4, heap(0.84));
  expect(await statuses()).toEqual([200, 200, 200]);
  after(4, heap(0.86));
  expect(await statuses()).toEqual([503, 503, 200]);
  const refused = await ask(`${url}/probe?target=10.0.0.5:9650`);
  expect(refused.headers).toMatchObject({ 'retry-after': '10', 'cache-control': 'no-store' });
  expect(String(await refused.toArray())).toBe('overloaded, rejecting /probe: /readyz?verbose says why\n');
  expect(tally().shed.get('probe')).toBe(2);
  // Pages are still rejected, because many clients request them.
  after(1, heap(0.7));
  expect(await statuses()).toEqual([503, 200, 200]);
});

test('the probe port rejects nothing', async () => {
  const { url, after } = await serving(true);
  after(10, stalling);
  for (const path of ['/livez', '/readyz', '/self/readyz'])
    expect((await ask(url + path)).headers['retry-after']).toBeUndefined();
});

test('tally() returns the same object while nothing changes, because it is the cache key of metrics and page', async () => {
  const { tally, after } = await serving();
  const before = tally();
  after(1, { ...calm, lag: 0.002 });
  expect(tally()).toBe(before);
  after(4, stalling);
  expect(tally()).not.toBe(before);
});
