// Malicious or careless clients of the exporter, each against a server on a real socket.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientSettings } from '../../src/commands/client-settings.ts';
import { networksOf } from '../../src/networks.ts';
import { hostAllowed } from '../../src/server/allowed-hosts.ts';
import { temporaryFolder } from '../support/events.ts';
import { type Given, serveExporter } from '../support/exporter-server.ts';
import { freePort } from '../support/free-port.ts';
import { askRaw, headerOf } from '../support/raw-http.ts';
import { startRun } from '../support/run-process.ts';

const scraped = { 'X-Prometheus-Scrape-Timeout-Seconds': '10', 'Accept-Encoding': 'gzip' };

const clients = (allowedHosts: readonly string[], proxies: readonly string[] = []): Pick<Given, 'clients'> => ({
  clients: () => ({ allowedHosts, isTrustedProxy: networksOf(proxies) }),
});

describe('a browser page under a foreign name (DNS rebinding)', () => {
  const browser = { 'Accept-Encoding': 'gzip, deflate', 'Accept-Language': 'en' };
  test.each([
    // A name that somebody may have registered is rejected for every path and header.
    ['evil.example', '/', {}, 403],
    ['evil.example:9652', '/metrics', {}, 403],
    ['evil.example', '/api/v1/status', browser, 403],
    ['evil.example', '/api/v1/events', browser, 403],
    ['evil.example', '/targets/node/metrics', browser, 403],
    ['localhost.evil.example', '/', browser, 403],
    ['127.0.0.1.evil.example', '/', browser, 403],
    ['svc.example', '/', browser, 403],
    ['evilsvc.example.', '/', browser, 403],
    ['xlocalhost.dev', '/', browser, 403],
    ['[evil.example]', '/', browser, 403],
    ['evil.example:a:b', '/', browser, 403],
    // A page may set a scraper's header, but cannot remove those of its browser.
    ['evil.example', '/metrics', { ...browser, 'X-Prometheus-Scrape-Timeout-Seconds': '10' }, 403],
    // For a range, a browser itself accepts no compression.
    [
      'evil.example',
      '/api/v1/status',
      { 'X-Prometheus-Scrape-Timeout-Seconds': '10', Range: 'bytes=0-', 'Accept-Encoding': 'identity' },
      403,
    ],
    // A scraper sends its own header, and may use any name.
    ['node1.example.com:9652', '/metrics', scraped, 200],
    ['node1.example.com', '/api/v1/status', { 'X-Prometheus-Refresh-Interval-Seconds': '60' }, 200],
    // Names that nobody can register.
    ['localhost:9652', '/', browser, 200],
    ['snowgauge', '/', browser, 200],
    ['snowgauge.monitoring.svc:9652', '/', browser, 200],
    ['snowgauge-0.snowgauge.monitoring.svc.cluster.local', '/', browser, 200],
    ['host.docker.internal', '/', browser, 200],
    ['10.1.2.3:9652', '/', browser, 200],
    ['[fd00::1]:9652', '/', browser, 200],
    // Configured names.
    ['status.example.com', '/', browser, 200],
    ['STATUS.example.com.', '/', browser, 200],
    ['x.status.example.com', '/', browser, 403],
    ['a.pages.example', '/', browser, 200],
    ['pages.example', '/', browser, 403],
    // Services and pods of a cluster with its own domain, as the chart configures for `clusterDomain`.
    ['snowgauge.monitoring.svc.corp.example:9652', '/', browser, 200],
    ['snowgauge-0.snowgauge-pods.monitoring.svc.corp.example', '/', browser, 200],
    ['snowgauge.other.svc.corp.example', '/', browser, 403],
    // The names of shards, from listen.externalAddress.
    ['gauge-0.shards.example:9652', '/', browser, 200],
    ['gauge-999.shards.example', '/', browser, 200],
    ['gauge-01.shards.example', '/', browser, 403],
    ['gauge-1000.shards.example', '/', browser, 403],
    ['gauge-.shards.example', '/', browser, 403],
    ['gauge-{shard}.shards.example', '/', browser, 403],
    ['evil.gauge-1.shards.example', '/', browser, 403],
    ['gauge-1.evil.example', '/', browser, 403],
    // The kubelet's probes may use any name.
    ['evil.example', '/livez', {}, 200],
    ['evil.example', '/readyz', {}, 200],
    ['evil.example', '/self/livez', {}, 200],
  ])('Host: %s at %s with the headers %j gets %i', async (host, path, headers, status) => {
    const allowed = ['status.example.com', '*.pages.example', '*.monitoring.svc.corp.example', 'gauge-{shard}.shards.example'];
    const { port } = await serveExporter(clients(allowed));
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, headers: { ...headers, Host: host }, agent: false }, resolve).on('error', reject);
    });
    answer.destroy();
    expect(answer.statusCode).toBe(status);
  });

  test('reads the page under the name of any shard in listen.externalAddress', () => {
    const { allowedHosts } = clientSettings(undefined, { externalAddress: 'gauge-{shard}.example.com:9652' });
    const isAllowed = (host: string) => hostAllowed({ host }, allowedHosts);
    expect(['gauge-2.example.com:9652', 'gauge-x.example.com', 'gauge.example.com'].map(isAllowed)).toEqual([true, false, false]);
  });

  test('gets a 403 that names the setting server.allowedHosts', async () => {
    const { port } = await serveExporter();
    const answer = await askRaw(port, { method: 'GET', path: '/', headers: { Host: 'evil.example' } });
    expect(answer.body).toBe(
      'Host header not allowed: use the IP address, or add the name to server.allowedHosts (in the chart, a cluster domain to clusterDomain)\n',
    );
  });

  test.each(['all', 'probes'] as const)(
    'gets no reason from a probe, only its status and "ok" or "not ok" (paths: %s)',
    async (paths) => {
      const { port } = await serveExporter({ ...clients(['status.example.com']), options: { paths } });
      const read = async (path: string, host: string) => {
        const { status, body } = await askRaw(port, { method: 'GET', path, headers: { Host: host } });
        return [status, body];
      };
      expect(await read('/readyz?verbose', 'evil.example')).toEqual([200, 'ok\n']);
      for (const path of ['/targets/node/readyz?verbose', '/self/readyz', '/targets/other/readyz', '/self/other']) {
        const [status, body] = await read(path, 'status.example.com');
        expect(body).toMatch(/^(?:Unknown|unknown probe:) .{20}/);
        expect(await read(path, 'evil.example'), path).toEqual([status, 'not ok\n']);
      }
      expect((await read('/readyz?verbose', 'localhost'))[1]).toContain('[+]ping ok');
    },
  );
});

describe('the rate limit', () => {
  const ask = async (port: number, path: string, from?: string): Promise<number> => {
    const headers = from === undefined ? {} : { 'X-Forwarded-For': from };
    return (await askRaw(port, { method: 'GET', path, headers })).status;
  };

  test('rejects further requests with 429 and Retry-After, but not probes, scrapes and service discovery', async () => {
    const { port } = await serveExporter({ options: { perSecond: 1, burst: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push(await ask(port, `/api/v1/status?x=${count}`));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const told = await askRaw(port, { method: 'GET', path: '/' });
    expect([told.status, headerOf(told, 'retry-after')]).toEqual([429, '1']);
    for (const path of ['/livez', '/readyz', '/metrics', '/api/v1/sd', '/self/livez']) expect(await ask(port, path)).toBe(200);
  });

  test('counts service discovery separately', async () => {
    const { port } = await serveExporter({ options: { perSecond: 1, burst: 2 } });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push(await ask(port, '/api/v1/sd'));
    expect([...statuses, await ask(port, '/'), await ask(port, '/metrics')]).toEqual([200, 200, 429, 200, 200]);
  });

  test('allows requests again after a second', async () => {
    let now = 1000;
    const { port } = await serveExporter({ now: () => now, lastTick: () => now, options: { perSecond: 1, burst: 1 } });
    expect([await ask(port, '/'), await ask(port, '/')]).toEqual([200, 429]);
    now += 1;
    expect([await ask(port, '/'), await ask(port, '/')]).toEqual([200, 429]);
  });

  test('counts clients behind a trusted proxy by the address that the proxy saw', async () => {
    const { port } = await serveExporter({ ...clients([], ['127.0.0.0/8', '10.0.0.0/8']), options: { perSecond: 1, burst: 1 } });
    expect([await ask(port, '/', '192.0.2.1'), await ask(port, '/', '192.0.2.1')]).toEqual([200, 429]);
    // An address added by the client itself does not count.
    expect(await ask(port, '/', '198.51.100.9, 192.0.2.1')).toBe(429);
    expect(await ask(port, '/', '192.0.2.1, 10.1.1.1')).toBe(429);
    expect(await ask(port, '/', '192.0.2.1:49152, 10.1.1.1:50000')).toBe(429);
    expect(await ask(port, '/', '192.0.2.2')).toBe(200);
    expect(await ask(port, '/', '2001:db8::1')).toBe(200);
    expect(await ask(port, '/', '[2001:db8::1]:49152')).toBe(429);
    expect([await ask(port, '/', '192.0.2.3:1'), await ask(port, '/', '[2001:db8::3]')]).toEqual([200, 200]);
  });

  test('ignores X-Forwarded-For without a trusted proxy', async () => {
    const { port } = await serveExporter({ options: { perSecond: 1, burst: 1 } });
    expect([await ask(port, '/', '192.0.2.1'), await ask(port, '/', '192.0.2.2')]).toEqual([200, 429]);
  });

  test('does not apply to a thousand scrapes at once', async () => {
    const { port } = await serveExporter({ options: { perSecond: 1, burst: 1 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    onTestFinished(() => agent.destroy());
    const statuses = await Promise.all(
      Array.from(
        { length: 1000 },
        () =>
          new Promise<number | undefined>((resolve, reject) => {
            get({ port, host: '127.0.0.1', path: '/metrics', agent }, (answer) => {
              answer.resume().once('end', () => resolve(answer.statusCode));
            }).on('error', reject);
          }),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('limits one address to half of the event streams', async () => {
    const { port } = await serveExporter({ options: { events: { maxOfAddress: 2, maxClients: 4 } } });
    const streams = await Promise.all(
      Array.from(
        { length: 3 },
        () =>
          new Promise<IncomingMessage>((resolve, reject) => {
            const asked = get({ port, host: '127.0.0.1', path: '/api/v1/events', agent: false }, resolve).on('error', reject);
            onTestFinished(() => void asked.destroy());
          }),
      ),
    );
    expect(streams.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 503]);
  });
});

describe('a slow reader', () => {
  /** The head of a response whose body is not read. */
  const head = (port: number, path: string, localAddress = '127.0.0.1'): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }, () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
      );
      onTestFinished(() => void socket.destroy());
      socket.once('data', (chunk: Buffer) => {
        socket.pause();
        resolve(chunk.toString('latin1', 0, 12));
      });
      socket.on('error', reject);
    });
  const size = 8 * 1024 * 1024;
  const options = { maxBufferedBytes: 2 * size, maxLarge: 100 };

  test('holds the same body as other slow readers, which counts only once', async () => {
    const body = Buffer.alloc(size, 'a');
    const { port } = await serveExporter({ metrics: () => ({ body, headers: {} }), options });
    const heads = await Promise.all(Array.from({ length: 12 }, () => head(port, '/metrics')));
    expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200']));
  });

  test('holds at most half of maxBufferedBytes per address, others get 503', async () => {
    const { port } = await serveExporter({ metrics: () => ({ body: Buffer.alloc(size, 'a'), headers: {} }), options });
    const heads: string[] = [];
    for (const last of [2, 2, 3, 3, 4]) heads.push(await head(port, '/metrics', `127.0.0.${last}`));
    expect(heads.map((one) => one.slice(-3))).toEqual(['200', '503', '200', '503', '503']);
    expect((await askRaw(port, { method: 'GET', path: '/livez' })).status).toBe(200);
  });
});

describe('a request', () => {
  test.each([
    [90, 200],
    [110, 431],
  ])('with %i headers gets %i', async (count, status) => {
    const { port } = await serveExporter();
    const headers = Object.fromEntries(Array.from({ length: count }, (_, place) => [`X-${place}`, 'a']));
    expect((await askRaw(port, { method: 'GET', path: '/livez', headers })).status).toBe(status);
  });
});

test('many connections from one address are closed before an active one from another address', async () => {
  const { port } = await serveExporter({ options: { maxConnections: 8 } });
  const open = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const honest = await open('127.0.0.2');
  honest.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(honest, 'data');
  const many = await Promise.all(Array.from({ length: 30 }, () => open('127.0.0.3')));
  await expect.poll(() => many.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(23);
  honest.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = await once(honest, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
});

describe('many clients behind one address', () => {
  const answered = async (socket: Socket, path: string): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    return String(answer);
  };
  const open = async (port: number): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };

  test('make room for a new connection by closing the idle one that was used longest ago', async () => {
    const { port } = await serveExporter({ options: { maxConnections: 4, idleMs: 0 } });
    const stream = await open(port);
    expect(await answered(stream, '/api/v1/events')).toContain('text/event-stream');
    const idle = await Promise.all([open(port), open(port), open(port)]);
    // The first was used last, so it is closed last.
    const [first, second, third] = idle;
    for (const socket of idle.toReversed()) expect(await answered(socket, '/livez')).toContain('200 OK');
    expect(await answered(await open(port), '/livez')).toContain('200 OK');
    await expect.poll(() => third?.closed).toBe(true);
    expect([stream.closed, first?.closed, second?.closed]).toEqual([false, false, false]);
  });

  test('that all read event streams make room for a new connection by closing the oldest', async () => {
    const { port } = await serveExporter({ options: { maxConnections: 3 } });
    const streams: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = await open(port);
      expect(await answered(socket, '/api/v1/events')).toContain('text/event-stream');
      streams.push(socket);
    }
    const late = await open(port);
    expect(await answered(late, '/livez')).toContain('200 OK');
    await expect.poll(() => streams.map((socket) => socket.closed)).toEqual([true, false, false]);
  });

  test('with 600 silent connections do not affect scrapes, probes, or connections to the probe port', async () => {
    const probesPort = await freePort();
    const file = join(await temporaryFolder(), 'snowgauge.yaml');
    const targets = [{ name: 'node', url: 'http://127.0.0.1:9' }];
    await writeFile(file, JSON.stringify({ probes: { port: probesPort }, targets }));
    const run = await startRun(file);
    const kubelet = await open(probesPort);
    expect(await answered(kubelet, '/readyz')).toContain('200 OK');
    const { port } = new URL(run.url);
    const silent = await Promise.all(Array.from({ length: 600 }, () => open(Number(port))));
    await expect.poll(() => silent.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(88);
    expect((await run.get('/metrics')).status).toBe(200);
    expect((await run.get('/readyz')).status).toBe(200);
    // The kubelet's connection from before.
    expect(await answered(kubelet, '/readyz')).toContain('200 OK');
    expect(kubelet.closed).toBe(false);
  });
});
