// The routes, over real sockets.

import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readinessParts } from '../../src/server/probes.ts';
import type { MetricsReply } from '../../src/server/reply.ts';
import { standbyRoutes } from '../../src/server/standby.ts';
import { metricsPage, serveExporter } from '../support/exporter-server.ts';
import { noon } from '../support/snapshot.ts';

const reach = async (url: string, path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
};

/** The whole response to a request as it is written. */
const typed = (port: number, head: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(head);
  return text(socket);
};

describe('paths', () => {
  test.each([
    { path: '/', status: 200, type: 'text/html; charset=utf-8', body: /<h1><a href="\.\/">snowgauge<\/a>/ },
    { path: '/metrics', status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: /^snowgauge_up 1\n$/ },
    {
      path: '/metrics?name[]=a',
      status: 400,
      type: 'text/plain; charset=utf-8',
      body: /^name\[\]: no metric family is called a\n$/,
    },
    { path: '/livez', status: 200, type: 'text/plain; charset=utf-8', body: /^ok\n$/ },
    { path: '/readyz', status: 200, type: 'text/plain; charset=utf-8', body: /^ok\n$/ },
    { path: '/api/v1/status', status: 200, type: 'application/json; charset=utf-8', body: /^\{"version":"0\.0\.0-test"/ },
    { path: '/api/v1/fleet', status: 200, type: 'application/json; charset=utf-8', body: /"targets":\[\{"name":"node"/ },
    { path: '/metrics/', status: 404, type: 'text/plain; charset=utf-8', body: /not found/ },
    { path: '/nothing', status: 404, type: 'text/plain; charset=utf-8', body: /not found/ },
    { path: '/__proto__', status: 404, type: 'text/plain; charset=utf-8', body: /not found/ },
    { path: '/%', status: 404, type: 'text/plain; charset=utf-8', body: /not found/ },
  ])('GET $path is $status $type', async ({ path, status, type, body }) => {
    const { url } = await serveExporter();
    const headers = { 'accept-encoding': 'identity' };
    const answer = await reach(url, path, { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.body).toMatch(body);

    const head = await reach(url, path, { method: 'HEAD', headers });
    expect(head.status).toBe(status);
    expect(head.body).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.body)));
  });

  test('the body of a 404 lists the available paths in order', async () => {
    const { url } = await serveExporter();
    const { body } = await reach(url, '/nothing');
    const paths = /: (\/, .*), \/self\/startupz, /.exec(body)?.[1]?.split(', ') ?? [];
    expect(paths).toContain('/targets/NAME/metrics');
    expect(paths).toEqual([...paths].sort());
  });

  test.each([
    { method: 'POST', path: '/metrics', status: 405, allow: 'GET, HEAD' },
    { method: 'DELETE', path: '/', status: 405, allow: 'GET, HEAD' },
    { method: 'OPTIONS', path: '/readyz', status: 405, allow: 'GET, HEAD' },
    { method: 'POST', path: '/nothing', status: 404, allow: null },
  ])('$method $path is $status', async ({ method, path, status, allow }) => {
    const { url } = await serveExporter();
    const answer = await reach(url, path, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each([
    {
      method: 'PUT',
      path: '/api/v1/maintenance',
      paths: 'all',
      status: 503,
      allow: null,
      body: /valid configuration .*\nurl: none/,
    },
    { method: 'POST', path: '/metrics', paths: 'all', status: 405, allow: 'GET, HEAD', body: /only GET and HEAD/ },
    { method: 'POST', path: '/livez', paths: 'probes', status: 405, allow: 'GET, HEAD', body: /only GET and HEAD/ },
    { method: 'PUT', path: '/api/v1/maintenance', paths: 'probes', status: 404, allow: null, body: /not found/ },
  ] as const)(
    'without a valid configuration, $method $path is $status on $paths',
    async ({ method, path, paths, ...expected }) => {
      const { url } = await serveExporter({
        routes: standbyRoutes({ errors: () => ['url: none'], metrics: metricsPage }, paths),
      });
      const { status, headers, body } = await reach(url, path, { method });
      expect([status, headers.get('allow')]).toEqual([expected.status, expected.allow]);
      expect(body).toMatch(expected.body);
    },
  );

  test.each([
    { target: 'http://10.0.0.5:9652/metrics', status: 200, body: 'snowgauge_up 1\n' },
    { target: 'HTTP://10.0.0.5:9652/livez?verbose', status: 200, body: '[+]ping ok' },
    { target: 'http://10.0.0.5:9652?part=page', status: 200, body: '<main id="page">' },
    { target: 'https://10.0.0.5:9652/api/v1/sd', status: 200, body: '"targets":["10.0.0.5:9652"]' },
    { method: 'POST', target: 'http://10.0.0.5:9652/metrics', status: 405, body: 'only GET and HEAD' },
    { target: 'http://10.0.0.5:9652/nothing', status: 404, body: 'not found' },
    { target: 'http://evil.example/metrics', status: 403, body: 'Host header not allowed' },
    { target: 'http://evil.example/livez', status: 200, body: 'ok\n' },
    { target: 'http://user:password@evil.example/metrics', status: 403, body: 'Host header not allowed' },
    { target: 'ftp://10.0.0.5/metrics', status: 404, body: 'not found' },
  ])(
    'a target with scheme and host, as to a proxy, is served as its path: $target is $status',
    async ({ method, target, ...expected }) => {
      const { port } = await serveExporter();
      const answer = await typed(port, `${method ?? 'GET'} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected.status} `));
      expect(answer).toContain(expected.body);
    },
  );

  test('/metrics gets the Accept headers of the scraper, and its headers and bytes are sent unchanged', async () => {
    const asked: (string | undefined)[] = [];
    const metrics: MetricsReply = (accept, acceptEncoding) => {
      asked.push(accept, acceptEncoding);
      return { body: new Uint8Array([1, 2, 0, 255]), headers: { 'Content-Type': 'application/x', Vary: 'Accept' } };
    };
    const { url } = await serveExporter({ metrics });
    const response = await fetch(`${url}/metrics`, {
      headers: { accept: 'application/openmetrics-text', 'accept-encoding': 'gzip' },
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([1, 2, 0, 255]));
    expect(response.headers.get('vary')).toBe('Accept');
    expect(asked).toEqual(['application/openmetrics-text', 'gzip']);
  });

  test.each([
    { path: '/metrics?name[]=snowgauge_up&target=node', times: 1 },
    { path: '/targets/node/metrics?x=', times: 1 },
    { path: '/exporter/metrics?x=', times: 1 },
    { path: '/metrics?name[]=snowgauge_up&name[]=snowgauge_down&name[]=', times: 1 },
    { path: '/targets/node/metrics?name[]=snowgauge_up&name[]=', times: 1 },
    { path: '/exporter/metrics?name[]=snowgauge_build_info&name[]=', times: 1 },
  ])('concurrent requests for the same part of the page share one rendering: $path', async ({ path, times }) => {
    let made = 0;
    const metrics: MetricsReply = async () => {
      made += 1;
      return { body: 'snowgauge_up 1\n', headers: {} };
    };
    const { url } = await serveExporter({ metrics });
    const all = Array.from({ length: 20 }, (_, at) => reach(url, path.endsWith('=') ? `${path}${at}` : path));
    expect((await Promise.all(all)).map(({ body }) => body)).toEqual(Array(20).fill('snowgauge_up 1\n'));
    expect(made).toBe(times);
  });

  test('the cache key of a part of the page has its known families in one order, and no unknown names', async () => {
    const asked: (readonly string[] | undefined)[] = [];
    const metrics: MetricsReply = async (_, __, part) => {
      asked.push(part?.names && [...part.names]);
      return { body: '', headers: {} };
    };
    const { url } = await serveExporter({ metrics, replies: { keptMs: 300_000 } });
    for (const query of ['', '&name[]=a', '&name[]=b', '&name[]=snowgauge_up', '&name[]=snowgauge_up&name[]=process_open_fds'])
      await reach(url, `/metrics?target=node${query}`);
    await reach(url, '/metrics?target=node&name[]=process_open_fds&name[]=snowgauge_up&name[]=process_open_fds');
    expect(asked).toEqual([undefined, ['snowgauge_up'], ['process_open_fds', 'snowgauge_up']]);
  });

  test('the body of a request is not read, and the connection is closed after the response', async () => {
    const { url } = await serveExporter();
    const connection = await new Promise<string | undefined>((resolve, reject) => {
      const asking = request(`${url}/metrics`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.headers.connection));
      });
      asking.on('error', reject);
      asking.write('endless');
    });
    expect(connection).toBe('close');
  });
});

describe("the exporter's own probes", () => {
  const tickedAt = (ago: number) => ({ lastTick: () => noon - ago });
  test.each([
    { when: 'the poller ticks', path: '/livez', given: tickedAt(1), status: 200, body: 'ok\n' },
    {
      when: 'verbose is requested',
      path: '/livez?verbose',
      given: tickedAt(1),
      status: 200,
      body: '[+]ping ok\n[+]poller ok\nlivez check passed\n',
    },
    {
      when: 'verbose is requested',
      path: '/readyz?verbose=1',
      given: tickedAt(1),
      status: 200,
      body: '[+]ping ok\n[+]poller ok\n[+]shutdown ok\nreadyz check passed\n',
    },
    {
      when: 'the poller has stopped',
      path: '/livez',
      given: tickedAt(31),
      status: 503,
      body: '[+]ping ok\n[-]poller failed: no heartbeat for 31 s\nlivez check failed\n',
    },
    {
      when: 'the poller has stopped',
      path: '/readyz',
      given: tickedAt(31),
      status: 503,
      body: '[+]ping ok\n[-]poller failed: no heartbeat for 31 s\n[+]shutdown ok\nreadyz check failed\n',
    },
    {
      when: 'the exporter is stopping',
      path: '/readyz',
      given: { ...tickedAt(1), stopping: true },
      status: 503,
      body: '[+]ping ok\n[+]poller ok\n[-]shutdown failed: the exporter is stopping\nreadyz check failed\n',
    },
    { when: 'the exporter is stopping', path: '/livez', given: { ...tickedAt(1), stopping: true }, status: 200, body: 'ok\n' },
  ])('$path is $status when $when', async ({ path, given, status, body }) => {
    const { url } = await serveExporter(given);
    expect(await reach(url, path)).toMatchObject({ status, body });
  });
});

test('docs/probes.md has each part of /readyz?verbose, besides overload, that can fail or warn', async () => {
  const text = await readFile('docs/probes.md', 'utf8');
  const passing = { configurationFault: null, waitsFor: null, lists: null, stateDir: { newer: [] }, watched: undefined };
  const parts = readinessParts({ lastTick: 0, stopping: false, ...passing }, 0);
  const names = parts.map(({ name }) => name).filter((name) => name !== 'ping');
  expect(names.filter((name) => !new RegExp(`^- .*\\[[-!]\\]${name}\\b`, 'm').test(text))).toEqual([]);
});
