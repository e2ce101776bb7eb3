// Handling of a request before it reaches a service: origin, host, header route, path.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { get } from '../contract/health.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { askRaw, headerOf } from '../support/raw-http.ts';

test.each([
  ['127.0.0.1:9650', 200],
  ['10.1.2.3', 200],
  ['[::1]:9650', 200],
  ['[::1]', 403],
  ['10.1.2.3:http', 200],
  ['[fe80::1%eth0]:9650', 403],
  ['user@localhost', 400],
  ['a b', 400],
  ['LOCALHOST:9650', 200],
  ['', 200],
  ['avalanche.default.svc:9650', 403],
  ['node.example', 200],
])('with localhost and node.example allowed, host "%s" gets %i', async (host, status) => {
  const node = await startTestNode({ httpAllowedHosts: ['localhost', 'Node.example'] });
  const answer = await askRaw(node.port, { method: 'GET', path: '/ext/health/liveness', headers: { Host: host } });
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.body).toBe('invalid host specified\n');
  if (status === 400) expect(answer.body).toBe('400 Bad Request: malformed Host header');
  expect(headerOf(answer, 'Node-Id')).toBe(status === 400 ? undefined : node.nodeId);
});

test('httpAllowedHosts * allows any host', async () => {
  const node = await startTestNode({ httpAllowedHosts: ['*'] });
  const answer = await askRaw(node.port, { method: 'GET', path: '/ext/health/liveness', headers: { Host: 'anything' } });
  expect(answer.status).toBe(200);
});

test.each([
  ['/ext//health?tag=a', 301, '/ext/health?tag=a'],
  ['/ext/x/../health/./liveness', 301, '/ext/health/liveness'],
  ['/ext/health/', 404, undefined],
  ['/ext/health/foo', 404, undefined],
  ['/ext/Health', 404, undefined],
  ['/', 404, undefined],
  ['/ext/%68ealth/liveness', 200, undefined],
  ['/ext/index/P/block', 404, undefined],
  ['/ext/health/liveness?tag=%', 200, undefined],
  ['/ext/%', 400, undefined],
  ['/ext//a%3Fb%23c?d', 301, '/ext/a%3Fb%23c?d'],
  ["/ext//!*'()", 301, '/ext/%21%2A%27%28%29'],
  ['/ext//%ff%e2%82%ac+[]', 301, '/ext/%FF%E2%82%AC+%5B%5D'],
])('GET %s gets %i', async (path, status, location) => {
  const node = await startTestNode();
  const answer = await get(node.port, path);
  expect([answer.status, headerOf(answer, 'Location')]).toEqual([status, location]);
  if (status === 404) expect(answer.body).toBe('404 page not found\n');
  if (status === 400) expect([answer.body, headerOf(answer, 'Node-Id')]).toEqual(['400 Bad Request', undefined]);
});

test('OPTIONS * gets an empty 200', async () => {
  const { port } = await startTestNode();
  const answer = await askRaw(port, { method: 'OPTIONS', path: '*' });
  const names = answer.headers.map(([name]) => name).sort();
  expect([answer.status, answer.body, names]).toEqual([200, '', ['Connection', 'Content-Length', 'Date']]);
});

test('the response to HEAD has Content-Length for a report and none for a redirect', async () => {
  const { port } = await startTestNode();
  const lengthOf = async (path: string) => headerOf(await askRaw(port, { method: 'HEAD', path }), 'Content-Length');
  expect([await lengthOf('/ext//health'), await lengthOf('/ext/health/liveness')]).toEqual([undefined, '29']);
});

test.each([
  ['http://127.0.0.1:9650/ext/health/liveness?tag=a', 'a.example', 200],
  ['HTTP://user@localhost/ext/health/liveness', 'localhost', 200],
  ['http://a.example/ext/health/liveness', 'localhost', 403],
  ['http:///ext/health/liveness', 'a.example', 403],
  ['http://localhost', 'localhost', 404],
  ['http://localhost?tag=a', 'localhost', 404],
])('the host in the request target %s takes precedence over Host: %s and gets %i', async (path, host, status) => {
  const node = await startTestNode();
  expect((await askRaw(node.port, { method: 'GET', path, headers: { Host: host } })).status).toBe(status);
});

test('two Host headers get 400, an Avalanche-Api-Route header without a handler gets an empty 404', async () => {
  const node = await startTestNode();
  const path = '/ext/health/liveness';
  const two = (name: string) =>
    askRaw(node.port, { method: 'GET', path, headers: { [name]: 'localhost', [name.toUpperCase()]: 'a' } });
  const { status, body } = await two('Host');
  expect([status, body]).toEqual([400, '400 Bad Request']);
  expect(await two('Avalanche-Api-Route')).toMatchObject({ status: 404, body: '' });
});

test('a kept-alive HTTP/1.0 connection gets Connection: keep-alive', async () => {
  const { url } = await startTestNode();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET /ext/health/liveness HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('\r\nConnection: keep-alive\r\n');
});

test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'CONNECT', 'BREW'])(
  '%s on liveness gets the same response as GET',
  async (method) => {
    const node = await startTestNode();
    const answer = await askRaw(node.port, { method, path: '/ext/health/liveness' });
    expect([answer.status, answer.body]).toEqual([200, method === 'HEAD' ? '' : '{"checks":{},"healthy":true}\n']);
  },
);

test('an unknown method gets 405 on a service, 404 on an unknown path, 403 for a host that is not allowed', async () => {
  const node = await startTestNode();
  const brew = (path: string, headers = {}) => askRaw(node.port, { method: 'BREW', path, headers });
  const refused = await brew('/ext/health');
  expect([refused.status, refused.body]).toEqual([405, 'rpc: POST method required, received BREW']);
  expect(headerOf(refused, 'Node-Id')).toBe(node.nodeId);
  expect((await brew('/nowhere')).status).toBe(404);
  expect((await brew('/ext/health', { Host: 'a.example' })).status).toBe(403);
  expect((await brew('/ext/health', { 'Content-Length': '4' })).status).toBe(405);
  await node.ticks(roundsToSettle);
  expect((await get(node.port, '/ext/health')).body).toContain('"outstandingRequests":0');
  const torn = await askRaw(node.port, { method: 'B@D', path: '/ext/health' });
  expect([torn.status, torn.body]).toEqual([400, '400 Bad Request']);
});

test('a pipelined request with an unknown method does not end the node', async () => {
  const node = await startTestNode();
  // One packet with a request and the head of the next one.
  const both = { Host: 'localhost', 'Content-Length': '0\r\n\r\nBREW /ext/health HTTP/1.1\r\nHost: localhost' };
  await Promise.allSettled([askRaw(node.port, { method: 'GET', path: '/ext/health', headers: both })]);
  expect((await get(node.port, '/ext/health/liveness')).status).toBe(200);
});

test.each(['?tag=%zz', '?tag=a;b', '?%zz=a', '?tag=%zz&tags=a'])(
  'a query of only malformed tags, %s, gets the whole report',
  async (query) => {
    const node = await startTestNode();
    await node.ticks(roundsToSettle);
    const checksOf = async (asked: string): Promise<readonly string[]> =>
      Object.keys(JSON.parse((await get(node.port, `/ext/health${asked}`)).body).checks);
    const all = await checksOf('');
    expect(await checksOf(query)).toEqual(all);
    // A valid tag in the same query still counts.
    expect((await checksOf(`${query}&tag=nobody`)).length).toBeLessThan(all.length);
  },
);

test.each([
  ['GET', '/ext/health?tag=schön', 200],
  ['GET', '/ext/health/liveness?tag=à', 200],
  ['PUT', '/ext/health?tag=schön', 405],
  ['GET', '/ext/schön', 404],
  ['POST', '/ext/health?tag=schön', 400],
  ['GET', 'schön', 400],
  ['BREW', 'ext/health', 400],
])('the unescaped request %s %s gets %i', async (method, path, status) => {
  const node = await startTestNode();
  await node.ticks(roundsToSettle);
  const answer = await askRaw(node.port, { method, path });
  expect([answer.status, headerOf(answer, 'Node-Id')]).toEqual([status, status === 400 ? undefined : node.nodeId]);
});

test('an unescaped tag counts as an unknown tag, and is escaped in redirects', async () => {
  const node = await startTestNode();
  await node.ticks(roundsToSettle);
  const checksOf = async (tag: string): Promise<readonly string[]> =>
    Object.keys(JSON.parse((await askRaw(node.port, { method: 'GET', path: `/ext/health?tag=${tag}` })).body).checks);
  expect(await checksOf('schön')).toEqual(await checksOf('nobody'));
  const moved = await askRaw(node.port, { method: 'GET', path: '/ext//schön?tag=à' });
  expect([moved.status, headerOf(moved, 'Location')]).toEqual([301, '/ext/sch%C3%B6n?tag=%C3%A0']);
});

test('an unknown method over HTTP/1.0 gets a response', async () => {
  const { url } = await startTestNode();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('BREW /ext/health/liveness HTTP/1.0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/ 200 OK\r\n/);
});

test('unescapes tags', async () => {
  const scenario = 'subnets: [{ name: mine, id: DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ, chains: [{ alias: my-l1 }] }]';
  const node = await startTestNode({}, scenario);
  await node.ticks(roundsToSettle);
  const body = async (tag: string): Promise<string> => (await get(node.port, `/ext/health?tag=${tag}`)).body;
  expect(await body('%44dGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ')).toContain('my-l1');
  expect(await body('nobody')).not.toContain('my-l1');
});

test.each([
  [['*'], 'http://a.example', '*'],
  [['http://a.example'], 'http://A.example', 'http://A.example'],
  [['http://a.example'], 'http://b.example', undefined],
  [['https://*.a.example'], 'https://B.a.example', 'https://B.a.example'],
  [['https://*.a.example'], 'https://a.example', undefined],
  [['https://*.a.example'], 'http://b.a.example', undefined],
  [['ab*ba'], 'aba', undefined],
])('with the origins %j allowed, %s gets %s', async (httpAllowedOrigins, origin, allowed) => {
  const node = await startTestNode({ httpAllowedOrigins });
  const path = '/ext/health/liveness';
  const plain = await askRaw(node.port, { method: 'GET', path, headers: { Origin: origin } });
  expect(headerOf(plain, 'Access-Control-Allow-Origin')).toBe(allowed);
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type accept',
  };
  const preflight = await askRaw(node.port, { method: 'OPTIONS', path, headers });
  const spelled = await askRaw(node.port, { method: 'get', path, headers: { Origin: origin } });
  expect(headerOf(spelled, 'Access-Control-Allow-Origin')).toBe(allowed);
  expect([preflight.status, preflight.body, headerOf(preflight, 'Access-Control-Allow-Origin')]).toEqual([200, '', allowed]);
});

test('a preflight for a header that is not allowed gets no Access-Control headers', async () => {
  const node = await startTestNode();
  const headers = { Origin: 'http://a', 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-secret' };
  const answer = await askRaw(node.port, { method: 'OPTIONS', path: '/ext/health', headers });
  expect(answer.headers.filter(([name]) => name.startsWith('Access-Control'))).toEqual([]);
});

test('of two Access-Control-Request-Headers the first counts', async () => {
  const node = await startTestNode();
  const [name, method] = ['Access-Control-Request-Headers', 'Access-Control-Request-Method'];
  const headers = { Origin: 'http://a', [method]: 'POST', [name]: 'accept', [name.toLowerCase()]: 'x-secret' };
  const answer = await askRaw(node.port, { method: 'OPTIONS', path: '/ext/health', headers });
  expect(headerOf(answer, 'Access-Control-Allow-Headers')).toBe('Accept');
});

test.each(['0.9', '2.0'])('HTTP/%s gets 505', async (version) => {
  const { port } = await startTestNode();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /ext/health/liveness HTTP/${version}\r\nHost: localhost\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 505 HTTP Version Not Supported: unsupported protocol version\r\n/);
});

test('a transfer coding other than chunked gets 501', async () => {
  const { port } = await startTestNode();
  for (const coding of ['gzip, chunked', 'gzip', 'identity']) {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': null, 'Transfer-Encoding': coding };
    const answer = await askRaw(port, { method: 'POST', path: '/ext/health', headers, body: '0\r\n\r\n' });
    expect([answer.status, answer.body]).toEqual([501, 'Unsupported transfer encoding']);
  }
});

test('a request that is not HTTP gets 400', async () => {
  const node = await startTestNode();
  const answer = await askRaw(node.port, { method: 'GET', path: '/ a b' });
  expect([answer.status, answer.body]).toEqual([400, '400 Bad Request']);
});

test('a body ends where its Content-Length says, and what follows is no request', async () => {
  const { port } = await startTestNode();
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '10' };
  const answer = await askRaw(port, { method: 'POST', path: '/ext/health', headers, body: '{"jsonrpc":"2.0"}' });
  expect([answer.status, JSON.parse(answer.body).error?.message]).toEqual([200, 'unexpected EOF']);
});

test('a body of another type gets 415 without 100 Continue', async () => {
  const { port } = await startTestNode();
  const headers = { Expect: '100-continue', 'Content-Type': 'text/plain', 'Content-Length': '9' };
  const answer = await askRaw(port, { method: 'POST', path: '/ext/health', headers });
  expect([answer.status, answer.body]).toEqual([415, 'rpc: unrecognized Content-Type: text/plain']);
});

test.each([
  [1_000, 200],
  [1_300, 431],
])('a request with %i subnets as tags gets %i', async (count, status) => {
  const node = await startTestNode();
  const path = `/ext/health/liveness?${'tag=2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r&'.repeat(count)}`;
  const answer = await askRaw(node.port, { method: 'GET', path, headers: { Host: 'localhost' } });
  expect(answer.status).toBe(status);
});

test.each([
  [180, 200],
  [210, 431],
])('a request with %i headers gets %i', async (count, status) => {
  const node = await startTestNode();
  const headers = Object.fromEntries(Array.from({ length: count }, (_, place) => [`X-${place}`, 'a']));
  expect((await askRaw(node.port, { method: 'GET', path: '/ext/health/liveness', headers })).status).toBe(status);
});

test.each([
  [9_000, '"result"'],
  [11_000, 'exceeded max values'],
])('a request with %i values gets %s', async (count, said) => {
  const node = await startTestNode();
  const headers = { 'Content-Type': 'application/json' };
  const body = `{"jsonrpc":"2.0","id":1,"method":"health.liveness","params":{"a":[${'{},'.repeat(count)}1]}}`;
  expect((await askRaw(node.port, { method: 'POST', path: '/ext/health', headers, body })).body).toContain(said);
});

test('a request larger than 1 MiB is cut off, and the node serves the next', async () => {
  const node = await startTestNode();
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  const asked = (padding: number): Promise<number> =>
    askRaw(node.port, {
      method: 'POST',
      path: '/ext/health',
      headers,
      body: `{"jsonrpc":"2.0","id":1,"method":"health.liveness",${' '.repeat(padding)}"params":{}}`,
    }).then(({ status }) => status);
  expect(await asked(2 ** 20 - 1024)).toBe(200);
  // The connection may be cut while the request is sent, or after.
  expect(await asked(2 ** 20).catch(() => Number.NaN)).toBeNaN();
  expect(await asked(0)).toBe(200);
});
