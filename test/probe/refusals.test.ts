// Requests that /probe rejects, over real sockets, with a node that must not be contacted.

import { describe, expect, test } from 'vitest';
import { serveAddresses } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { healthy, longest, sampleOf, serveAt, startProbing } from '../support/probing.ts';

const loopback = (port: number): string => `allow: [{ cidr: 127.0.0.0/8, ports: [${port}] }]`;

test('with an empty allow-list, every target is 403, and the response names the setting', async () => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const { probe } = await startProbing('{}');
  for (const target of [`127.0.0.1:${node.port}`, 'node.example.com:9650', 'file:///etc/passwd', '']) {
    const { status, body, type } = await probe({ target });
    expect({ target, status, type }).toEqual({ target, status: 403, type: 'text/plain; charset=utf-8' });
    expect(body).toContain('probe.allow is empty');
  }
  expect(node.connections()).toBe(0);
});

test.each([
  ['another port', () => '127.0.0.1:7', 403, 'at port 7: add one such as { cidr: 127.0.0.1/32, ports: [7] }'],
  ['another network', (port: number) => `127.1.0.1:${port}`, 403, 'add one such as { cidr: 127.1.0.1/32, ports: ['],
  ['an IPv6 address', () => '[fd00::1]:7', 403, 'such as { cidr: "fd00::1/128", ports: [7] }'],
  [
    'a host name, if only a network is allowed',
    (port: number) => `node.example.com:${port}`,
    403,
    'add one such as { host: node.example.com, ports: [',
  ],
  ['localhost', () => 'localhost:7', 403, 'such as { host: localhost, cidr: 127.0.0.1/32, ports: [7] }'],
  ['the default port of the scheme', () => '127.0.0.1', 403, 'at port 80, the default of http: add'],
  ['an IPv4-mapped address', (port: number) => `http://[::ffff:127.0.0.1]:${port}`, 403, 'is never probed'],
  ['an IPv4-mapped address in hexadecimal', (port: number) => `http://[::ffff:7f00:1]:${port}`, 403, 'is never probed'],
  ['an IPv4-compatible address', (port: number) => `http://[::127.0.0.1]:${port}`, 403, 'is never probed'],
  ['a NAT64 address', (port: number) => `http://[64:ff9b::7f00:1]:${port}`, 403, 'is never probed'],
  ['a 6to4 address', (port: number) => `http://[2002:7f00:1::]:${port}`, 403, 'is never probed'],
  ['the unspecified address', (port: number) => `0.0.0.0:${port}`, 403, 'is never probed'],
  ['the unspecified IPv6 address', (port: number) => `http://[::]:${port}`, 403, 'is never probed'],
  ['a link-local address', (port: number) => `169.254.1.1:${port}`, 403, 'is never probed'],
  ['a link-local IPv6 address', (port: number) => `http://[fe80::1]:${port}`, 403, 'is never probed'],
  ['the metadata service', (port: number) => `169.254.169.254:${port}`, 403, 'is never probed'],
  ['the metadata service as a number', (port: number) => `2852039166:${port}`, 403, 'is never probed'],
  ['the IPv6 metadata service of AWS', (port: number) => `http://[fd00:ec2::254]:${port}`, 403, 'is never probed'],
  ['the metadata service of Alibaba', (port: number) => `100.100.100.200:${port}`, 403, 'is never probed'],
  ['multicast', (port: number) => `224.0.0.1:${port}`, 403, 'is never probed'],
  ['a file URL', () => 'file:///etc/passwd', 400, 'target must begin with http:// or https://'],
  ['a gopher URL', (port: number) => `gopher://127.0.0.1:${port}`, 400, 'target must begin with http:// or https://'],
  ['a Unix socket', () => 'unix:///var/run/docker.sock', 400, 'target must begin with http:// or https://'],
  ['a Unix socket in the notation of got', () => 'http://unix:/var/run/docker.sock:/', 403, 'no entry'],
  ['a user and a password', (port: number) => `http://a:secret@127.0.0.1:${port}`, 400, 'contains a user or a password'],
  ['a user without a scheme', (port: number) => `a@127.0.0.1:${port}`, 400, 'contains a user or a password'],
  ['a query', (port: number) => `http://127.0.0.1:${port}/?secret=1`, 400, 'has a query'],
  ['a path of the API', (port: number) => `http://127.0.0.1:${port}/ext/admin`, 400, "a path of the node's API"],
  ['an empty target', () => '', 400, 'target is missing'],
  ['a space', (port: number) => `127.0.0.1:${port} `, 400, 'target contains a space or a control character'],
  ['a line break in the host', (port: number) => `127.0.0\n.1:${port}`, 400, 'target contains a space or a control character'],
  ['a zero byte', (port: number) => `127.0.0.1:${port}\0`, 400, 'target contains a space or a control character'],
  ['a target that is too long', () => `http://${'a.'.repeat(2000)}b`, 400, 'target is too long'],
])('%s is rejected without a connection', async (_, targetAt, status, said) => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  // The widest possible list: addresses that are never probed are rejected anyway.
  const all = `allow: [{ cidr: 127.0.0.0/16, ports: [${node.port}] }]`;
  const never = `[{ cidr: 0.0.0.0/0, ports: [${node.port}] }, { cidr: "::/0", ports: [${node.port}] }]`;
  const { probe } = await startProbing(`{ ${all}, modules: [{ name: open, allow: ${never} }] }`);
  const target = targetAt(node.port);
  const modules = said === 'is never probed' ? ['default', 'open'] : ['default'];
  for (const module of modules) {
    const answer = await probe({ target, module });
    expect({ module, status: answer.status, body: answer.body }).toMatchObject({ module, status });
    expect(answer.body).toContain(said);
    expect(answer.body).not.toContain('secret');
  }
  expect(node.connections()).toBe(0);
});

test.each([
  [{ target: '127.0.0.1:1', module: 'other' }, undefined, 'unknown module "other": expected one of default'],
  [{ target: '127.0.0.1:1', debug: '1' }, undefined, 'debug must be true or false'],
  [{ target: '127.0.0.1:1', modul: 'x' }, undefined, 'unknown parameter "modul": expected one of target, module, debug'],
  [{ target: '127.0.0.1:1' }, 'soon', 'X-Prometheus-Scrape-Timeout-Seconds is not'],
  [{ target: '127.0.0.1:1' }, '-1', 'X-Prometheus-Scrape-Timeout-Seconds is not'],
  [{ target: '127.0.0.1:1' }, 'Infinity', 'X-Prometheus-Scrape-Timeout-Seconds is not'],
])('%j with the timeout %s is 400', async (query, timeout, said) => {
  const { probe } = await startProbing(`{ ${loopback(1)} }`);
  const { status, body } = await probe(query, timeout);
  expect({ status, body }).toMatchObject({ status: 400, body: expect.stringContaining(said) });
});

test('a duplicate target is 400, because it would be ambiguous which one was checked', async () => {
  const { url } = await startProbing(`{ ${loopback(1)} }`);
  const response = await fetch(`${url}/probe?target=127.0.0.1:1&target=10.0.0.1:1`);
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 400,
    body: 'target is given more than once\n',
  });
});

test('a target with an unescaped query is 400', async () => {
  const { url } = await startProbing(`{ ${loopback(1)} }`);
  const response = await fetch(`${url}/probe?target=http://127.0.0.1:1?x`);
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 400,
    body: expect.stringContaining('target has a query'),
  });
});

describe('a host name', () => {
  /** The same port on two loopback addresses: the node, and a server that must not be contacted. */
  const nodes = async () => {
    const port = await freePort();
    const [node, inner] = await Promise.all(['127.0.0.1', '127.0.0.2'].map((host) => serveAt(host, port, healthy)));
    if (node === undefined || inner === undefined) throw new Error('two servers');
    return { port, node, inner };
  };
  const rule = (host: string, port: number): string => `{ allow: [{ host: "${host}", cidr: 127.0.0.1, ports: [${port}] }] }`;

  test('is resolved once, so that the checked address is the one that is connected to', async () => {
    const { port, node, inner } = await nodes();
    const dns = await serveAddresses((_, nth) => [nth === 0 ? '127.0.0.1' : '127.0.0.2']);
    const { probe } = await startProbing(rule('*.example.com', port), dns.resolve);
    const answer = await probe({ target: `node.example.com:${port}` });
    expect(sampleOf(answer, 'probe_success')).toBe(1);
    expect({ asked: dns.asked(), inner: inner.connections() }).toEqual({ asked: ['node.example.com'], inner: 0 });
    expect(node.connections()).toBeGreaterThan(0);

    const again = await probe({ target: `node.example.com:${port}` });
    expect(again).toMatchObject({ status: 403, body: expect.stringContaining('with the address 127.0.0.2') });
    expect(inner.connections()).toBe(0);
  });

  test('with several addresses is connected to only at the allowed one', async () => {
    const { port, node, inner } = await nodes();
    const dns = await serveAddresses(() => ['127.0.0.2', '169.254.169.254', '127.0.0.1']);
    const { probe } = await startProbing(rule('*', port), dns.resolve);
    expect(sampleOf(await probe({ target: `node.example.com:${port}` }), 'snowgauge_up')).toBe(1);
    expect(inner.connections()).toBe(0);
    expect(node.connections()).toBeGreaterThan(0);
  });

  test.each([
    ['a link-local address', '169.254.169.254', 'resolves to an address that is never probed'],
    [
      'a loopback address without an allowed network',
      '127.0.0.1',
      'with the address 127.0.0.1: add one such as { host: node.example.com, cidr: 127.0.0.1/32, ports: [',
    ],
    ['another loopback address', '127.0.1.1', 'such as { host: node.example.com, cidr: 127.0.1.1/32, ports: ['],
    ['the IPv6 loopback address', '::1', 'such as { host: node.example.com, cidr: "::1/128", ports: ['],
  ])('that resolves to %s is rejected', async (_, address, said) => {
    const { port, node } = await nodes();
    const { probe } = await startProbing(`{ allow: [{ host: "*", ports: [${port}] }] }`, async () => [address]);
    const answer = await probe({ target: `node.example.com:${port}` });
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining(said) });
    expect(node.connections()).toBe(0);
  });

  test.each([
    ['*.example.com', 'example.com'],
    ['*.example.com', 'badexample.com'],
    ['*.example.com', 'node.example.com.evil.org'],
    ['node.example.com', 'other.node.example.com'],
  ])('is not resolved if the pattern does not allow it: %s, %s', async (pattern, host) => {
    const dns = await serveAddresses(() => ['127.0.0.1']);
    const { probe } = await startProbing(rule(pattern, 9650), dns.resolve);
    expect(await probe({ target: `${host}:9650` })).toMatchObject({ status: 403 });
    expect(dns.asked()).toEqual([]);
  });

  test.each(['NODE.Example.com', 'node.example.com.', 'a.b.example.com'])('is allowed by *.example.com: %s', async (host) => {
    const { port } = await nodes();
    const dns = await serveAddresses(() => ['127.0.0.1']);
    const { probe } = await startProbing(rule('*.example.com', port), dns.resolve);
    expect(sampleOf(await probe({ target: `${host}:${port}` }), 'probe_success')).toBe(1);
  });

  test.each(['node.example.com', 'node.example.com.'])('is resolved as written, also with a final dot: %s', async (host) => {
    const asked: string[] = [];
    const { probe } = await startProbing(rule('node.example.com', 9650), async (name) => {
      asked.push(name);
      return ['10.0.0.1'];
    });
    expect(await probe({ target: `${host}:9650` })).toMatchObject({ status: 403 });
    expect(asked).toEqual([host]);
  });

  test.each([
    ['does not exist', () => [] as const, longest],
    ['is not resolved in time', () => undefined, '0.8'],
  ])('that %s has probe_success 0', async (_, answer, timeout) => {
    const dns = await serveAddresses(answer);
    const { probe } = await startProbing(rule('*', 9650), dns.resolve);
    const probed = await probe({ target: 'node.example.com:9650' }, timeout);
    expect({ status: probed.status, success: sampleOf(probed, 'probe_success'), up: sampleOf(probed, 'snowgauge_up') }).toEqual({
      status: 200,
      success: 0,
      up: 0,
    });
  });
});

test('a host name that libraries treat as a Unix socket does not bypass the allow-list', async () => {
  const dns = await serveAddresses(() => ['127.0.0.1']);
  const { probe } = await startProbing('{ allow: [{ host: "*", cidr: 127.0.0.1, ports: [80] }] }', dns.resolve);
  const answer = await probe({ target: 'http://unix:/var/run/docker.sock:/', debug: 'true' });
  expect(answer.body).toContain('probe_success 0');
  expect(answer.body).not.toContain('connected to');
});

test('a redirect is not followed', async () => {
  const inner = await serveAt('127.0.0.1', 0, healthy);
  const node = await serveAt('127.0.0.1', 0, (request, response) => {
    request.resume();
    response.writeHead(307, { Location: `http://127.0.0.1:${inner.port}/ext/health` }).end();
  });
  const { probe } = await startProbing(`{ allow: [{ cidr: 127.0.0.1, ports: [${node.port}, ${inner.port}] }] }`);
  expect(sampleOf(await probe({ target: `127.0.0.1:${node.port}` }), 'probe_success')).toBe(0);
  expect({ asked: node.connections() > 0, followed: inner.connections() }).toEqual({ asked: true, followed: 0 });
});

test('reading an endless body stops at maxBodySize', async () => {
  let sent = 0;
  const node = await serveAt('127.0.0.1', 0, (request, response) => {
    request.resume();
    const chunk = Buffer.alloc(65_536, ' ');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const settings = `allow: [{ cidr: 127.0.0.1, ports: [${node.port}] }], modules: [{ name: default, maxBodySize: 64KiB, indexes: [] }]`;
  const { probe } = await startProbing(`{ ${settings} }`);
  const answer = await probe({ target: `127.0.0.1:${node.port}`, debug: 'true' });
  expect(answer.body).toContain('the response is larger than 65536 bytes');
  expect(answer.body).toContain('probe_success 0');
  // Three requests, and the buffers of their sockets.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});
