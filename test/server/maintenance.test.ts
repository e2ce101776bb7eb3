// The API of maintenance windows over real sockets: authorization and responses.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileReader } from '../../src/client/files.ts';
import { silentLog } from '../../src/log.ts';
import { type ConfiguredWindow, createWindows } from '../../src/maintenance/windows.ts';
import { refusalOf } from '../../src/server/sender.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { temporaryFolder } from '../support/events.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { askRaw, headerOf, type RawRequest } from '../support/raw-http.ts';
import { noon, targetOptions, targetsOf } from '../support/snapshot.ts';

const path = '/api/v1/maintenance';
const json = { 'Content-Type': 'application/json' };
const good = JSON.stringify({ for: '2h', reason: 'upgrade' });

const serving = async (tokenFile?: string, configured: readonly ConfiguredWindow[] = [], requestMs = 300_000) => {
  const windows = createWindows({
    saved: [],
    configured,
    now: () => noon,
    steadyNow: () => noon,
    log: silentLog,
    save: async () => true,
    changed: () => undefined,
  });
  const read = fileReader();
  const token = () => (tokenFile === undefined ? undefined : read(tokenFile));
  const targets = targetsOf(...['a', 'b'].map((name) => newTarget(targetOptions({ name }))));
  const { port, close } = await serveExporter({ targets, maintenance: { windows, token }, options: { requestMs } });
  const ask = async (given: Partial<RawRequest>) => {
    const answer = await askRaw(port, { method: 'PUT', path, body: good, ...given, headers: { ...json, ...given.headers } });
    return { status: answer.status, body: JSON.parse(answer.body), allow: headerOf(answer, 'Allow') };
  };
  return { port, close, windows, ask };
};

const window = { start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T14:00:00.000Z', reason: 'upgrade', source: 'api' };

describe('a window', () => {
  test('is started, listed and ended', async () => {
    const { ask } = await serving();
    expect(await ask({})).toMatchObject({ status: 200, body: { window, saved: true } });
    const ofA = { ...window, targets: ['a'], end: '2026-11-20T12:01:00.000Z' };
    const body = JSON.stringify({ target: 'a', for: '1m', reason: 'upgrade' });
    expect((await ask({ body })).body).toEqual({ window: ofA, saved: true });
    const get = { method: 'GET', body: null };
    expect((await ask(get)).body).toEqual({ windows: [ofA, window] });
    expect((await ask({ method: 'DELETE', path: `${path}?target=a`, body: null })).body).toEqual({
      ended: [ofA],
      saved: true,
      windows: [window],
    });
    expect((await ask({ method: 'DELETE', body: null })).body).toEqual({ ended: [window], saved: true, windows: [] });
    expect((await ask(get)).body).toEqual({ windows: [] });
  });

  test('of the configuration is listed, and cannot be ended', async () => {
    const { ask } = await serving(undefined, [{ start: noon, end: noon + 7200, reason: 'upgrade', targets: ['b'] }]);
    const planned = { ...window, targets: ['b'], source: 'configuration' };
    expect((await ask({ method: 'DELETE', body: null })).body).toEqual({ ended: [], saved: true, windows: [planned] });
  });

  test('is started from a chunked body after Expect: 100-continue', async () => {
    const { port, windows } = await serving();
    const status = await new Promise((resolve, reject) => {
      const headers = { ...json, Expect: '100-continue', 'Transfer-Encoding': 'chunked' };
      const asking = request({ port, host: '127.0.0.1', path, method: 'PUT', headers }, (response) =>
        resolve(response.statusCode),
      );
      asking.on('error', reject);
      asking.on('continue', () => {
        asking.write(good.slice(0, 5));
        asking.end(good.slice(5));
      });
      asking.flushHeaders();
    });
    expect(status).toBe(200);
    expect(windows.list()).toHaveLength(1);
  });
});

test('at the maximum number of windows, one can be replaced, and a new one is rejected with 409', async () => {
  const { windows, ask } = await serving();
  await windows.start({ target: 'a', seconds: 60, reason: 'r' });
  for (let at = 1; at < 1001; at += 1) await windows.start({ target: `t${at}`, seconds: 60, reason: 'r' });
  const error = 'there are 1001 windows, the maximum: end some first';
  expect(await ask({})).toMatchObject({ status: 409, body: { error } });
  expect((await ask({ body: JSON.stringify({ target: 'a', for: '2h', reason: 'longer' }) })).status).toBe(200);
  expect(windows.list()).toHaveLength(1001);
  await windows.end('a');
  expect((await ask({})).status).toBe(200);
});

describe('an invalid request starts no window', () => {
  test.each([
    { body: '{"for":"2h"', says: 'send {"for": "2h", "reason": "…"}' },
    { body: '[]', says: 'send {"for": "2h", "reason": "…"}' },
    { body: '{"for":"2h","reason":"r","until":"x"}', says: 'send {"for": "2h", "reason": "…"}' },
    { body: '{"for":7200,"reason":"r"}', says: 'send {"for": "2h", "reason": "…"}' },
    { body: '{"for":"24h1s","reason":"r"}', says: 'for "24h1s" must be a duration from 1s to 24h' },
    { body: '{"for":"999ms","reason":"r"}', says: 'for "999ms" must be a duration from 1s to 24h' },
    { body: '{"for":"-2h","reason":"r"}', says: 'for "-2h" must be a duration from 1s to 24h' },
    { body: '{"for":"2","reason":" "}', says: 'must be a duration from 1s to 24h, such as 2h; reason is empty: say why' },
    { body: '{"for":"2h","reason":"r","target":"c"}', says: 'unknown target "c": expected one of a, b' },
    { body: JSON.stringify({ for: '2h', reason: 'r'.repeat(257) }), says: 'reason is longer than 256 characters' },
    { body: JSON.stringify({ for: '2h', reason: `${'r\n'.repeat(100)}r` }), says: 'reason is longer than 256 characters' },
  ])('$body', async ({ body, says }) => {
    const { ask, windows } = await serving();
    expect(await ask({ body })).toMatchObject({ status: 400, body: { error: expect.stringContaining(says) } });
    expect(windows.list()).toEqual([]);
  });

  test.each([
    { what: 'a form', given: { headers: { 'Content-Type': 'text/plain' } }, status: 415 },
    { what: 'no content type', given: { headers: { 'Content-Type': null } }, status: 415 },
    {
      what: 'a content type that only starts with application/json',
      given: { headers: { 'Content-Type': 'application/json-patch+json' } },
      status: 415,
    },
    { what: 'a body of 4 KiB + 1 byte', given: { body: good.padEnd(4097) }, status: 413 },
    { what: 'a body of 4 KiB', given: { body: good.padEnd(4096) }, status: 200 },
    {
      what: 'a content type with a charset',
      given: { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
      status: 200,
    },
  ])('$what is $status', async ({ given, status }) => {
    const { ask, windows } = await serving();
    expect((await ask(given)).status).toBe(status);
    expect(windows.list()).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each([
    { method: 'DELETE', query: 'targets=a', says: 'unknown parameter "targets": expected target' },
    { method: 'DELETE', query: 'target=a&target=b', says: 'target is given more than once' },
    { method: 'DELETE', query: 'target=c', says: 'unknown target "c": expected one of a, b' },
    { method: 'PUT', query: 'target=a', says: 'unknown parameter "target": send it in the body' },
  ])('$method ?$query is 400 and changes no window', async ({ method, query, says }) => {
    const { ask, windows } = await serving();
    await windows.start({ target: 'a', seconds: 60, reason: 'r' });
    const before = windows.list();
    const body = method === 'PUT' ? good : null;
    expect(await ask({ method, path: `${path}?${query}`, body })).toMatchObject({ status: 400, body: { error: says } });
    expect(windows.list()).toEqual(before);
  });

  test('a truncated body starts nothing', async () => {
    const { port, windows } = await serving();
    const asking = request({ port, host: '127.0.0.1', path, method: 'PUT', headers: { ...json, 'Content-Length': 100 } });
    const gone = new Promise((resolve) => asking.on('close', resolve));
    asking.on('error', () => undefined);
    asking.write(good, () => asking.destroy());
    await gone;
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
    expect(windows.list()).toEqual([]);
  });

  test('POST is 405, and Allow has the other methods', async () => {
    const { port } = await serving();
    const answer = await askRaw(port, { method: 'POST', path, headers: json, body: good });
    expect([answer.status, headerOf(answer, 'Allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
  });

  test('without maintenance windows, the path is 404', async () => {
    const { url } = await serveExporter();
    expect((await fetch(url + path)).status).toBe(404);
  });
});

describe('without a token', () => {
  test.each([
    { headers: {}, status: 200 },
    { headers: { Host: 'localhost:9652' }, status: 200 },
    { headers: { Host: '[::1]:9652' }, status: 200 },
    { headers: { Host: 'rebound.example:9652' }, status: 403, read: 403 },
    { headers: { Host: 'localhost.example' }, status: 403, read: 403 },
    { headers: { Host: '10.0.0.7:9652' }, status: 403 },
    { headers: { Origin: 'http://127.0.0.1:9652' }, status: 403 },
    { headers: { Origin: 'null' }, status: 403 },
    { headers: { 'X-Forwarded-For': '10.0.0.1' }, status: 403 },
    { headers: { Forwarded: 'for=10.0.0.1' }, status: 403 },
    { headers: { Via: '1.1 proxy' }, status: 403 },
    { headers: { Authorization: 'Bearer anything' }, status: 200 },
  ])('$headers is $status', async ({ headers, status, read = 200 }) => {
    const { ask, port, windows } = await serving();
    const answer = await ask({ headers });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.error).toMatch(/: (?:use|connect to) /);
    expect(windows.list()).toHaveLength(status === 200 ? 1 : 0);
    // Ending a window needs the same authorization.
    await windows.start({ seconds: 60, reason: 'r' });
    expect((await ask({ method: 'DELETE', headers, body: null })).status).toBe(status);
    expect(windows.list()).toHaveLength(status === 200 ? 0 : 1);
    // Reading needs no more than the status page does.
    expect((await askRaw(port, { method: 'GET', path, headers })).status).toBe(read);
  });

  test('a loopback address other than 127.0.0.1 is rejected with 403', async () => {
    const { port, windows } = await serving();
    const status = await new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', localAddress: '127.0.0.6', path, method: 'PUT', headers: json };
      const asking = request(options, (response) => resolve(response.statusCode));
      asking.on('error', reject);
      asking.end(good);
    });
    expect({ status, windows: windows.list() }).toEqual({ status: 403, windows: [] });
  });

  test.each([
    { address: '127.0.0.1', refused: false },
    { address: '::1', refused: false },
    { address: '::ffff:127.0.0.1', refused: false },
    { address: '::ffff:10.0.0.1', refused: true },
    { address: '10.127.0.0', refused: true },
    { address: '10.0.0.1', refused: true },
    { address: 'fe80::1', refused: true },
    { address: '', refused: true },
  ])('a request from "$address" is rejected: $refused', ({ address, refused }) => {
    const sender = { address, headers: { host: 'localhost' }, body: async () => undefined, mayTake: () => undefined };
    const refusal = refusalOf(sender, undefined);
    expect(refusal !== undefined).toBe(refused);
    if (refused) expect(refusal).toContain('kubectl port-forward');
  });
});

describe('with a token', () => {
  const secret = 'c29tZS10b2tlbg==';
  test.each([
    { authorization: `Bearer ${secret}`, status: 200 },
    { authorization: `bearer ${secret}`, status: 200 },
    { authorization: null, status: 403 },
    { authorization: 'Bearer ', status: 403 },
    { authorization: `Bearer ${secret}x`, status: 403 },
    { authorization: `Bearer ${secret.slice(1)}`, status: 403 },
    { authorization: `Basic ${secret}`, status: 403 },
    { authorization: secret, status: 403 },
  ])('the Authorization header $authorization is $status, whatever the Host header', async ({ authorization, status }) => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, `${secret}\n`);
    const { ask, windows } = await serving(file);
    const answer = await ask({ headers: { Authorization: authorization, Host: 'snowgauge.example' } });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
    expect(windows.list()).toHaveLength(status === 200 ? 1 : 0);
  });

  test('a request with an Origin header is rejected, and a changed token file takes effect at once', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, 'first');
    const { ask } = await serving(file);
    const headers = { Authorization: 'Bearer first' };
    expect((await ask({ headers: { ...headers, Origin: 'http://a.example' } })).status).toBe(403);
    expect((await ask({ headers })).status).toBe(200);
    await writeFile(file, 'second one');
    expect((await ask({ headers })).status).toBe(403);
  });

  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const long = chunk(good.padEnd(5000));
  test.each([
    { what: 'nothing', head: 'Content-Length: 100', first: '', every: '', status: 408 },
    { what: 'all but one byte', head: `Content-Length: ${good.length + 1}`, first: good, every: '', status: 408 },
    { what: 'one byte at a time', head: 'Content-Length: 4000', first: good, every: ' ', status: 408 },
    { what: 'one chunk at a time', head: 'Transfer-Encoding: chunked', first: chunk(good), every: chunk(' '), status: 408 },
    { what: 'more than the limit', head: 'Transfer-Encoding: chunked', first: long, every: long, status: 413 },
  ])('a body of which $what arrives gets $status in time, and starts nothing', async ({ head, first, every, status }) => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, secret);
    const { port, close, windows } = await serving(file, [], 500);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    let answer = '';
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString();
    });
    const closed = once(socket, 'close');
    const headers = `Host: a\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n${head}`;
    socket.write(`PUT ${path} HTTP/1.1\r\n${headers}\r\n\r\n${first}`);
    const dripping = setInterval(() => socket.write(every), 50);
    onTestFinished(() => clearInterval(dripping));
    expect((await askRaw(port, { method: 'GET', path: '/livez' })).status).toBe(200);
    await closed;
    // The server notices the end after the client does.
    await close();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(windows.list()).toEqual([]);
  });

  test.each([
    {
      file: 'that does not exist',
      content: undefined,
      says: 'maintenance.tokenFile cannot be read (there is no such file): check its path and permissions',
    },
    { file: 'that is empty', content: ' \n', says: 'maintenance.tokenFile is empty: write a token into it' },
  ])('a token file $file rejects every token', async ({ content, says }) => {
    const file = join(await temporaryFolder(), 'token');
    if (content !== undefined) await writeFile(file, content);
    const { ask } = await serving(file);
    for (const authorization of ['Bearer ', 'Bearer x', null])
      expect(await ask({ headers: { Authorization: authorization } })).toMatchObject({ status: 403, body: { error: says } });
  });
});
