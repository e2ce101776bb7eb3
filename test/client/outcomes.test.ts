// Every outcome of a request, caused over a real socket.

import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, describe as group, test } from 'vitest';
import { giveAddresses } from '../../src/client/lookup.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { describe, outcomeKinds } from '../../src/client/outcome.ts';
import { notBootstrappedText } from '../../src/protocol/platform.ts';
import { clientOf, never } from '../support/asking.ts';
import { closedPort, type Served, serveAnswer, serveHttps, serveSocket } from '../support/serve.ts';
import { stoppedNode } from '../support/stopped-node.ts';

const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const pair = (name: string) => ({ key: readFileSync(tls(`${name}.key`)), cert: readFileSync(tls(`${name}.crt`)) });
const asksForCertificate = { requestCert: true, ca: readFileSync(tls('ca.crt')), rejectUnauthorized: true };
const trusting = { tls: { caFile: tls('ca.crt') } } as const;

const report = '{"checks":{},"healthy":true}';
const open: Served[] = [];
const seen = new Set<string>();
const kept = (served: Served): Served => {
  open.push(served);
  return served;
};
afterAll(() => Promise.all(open.map((served) => served.close())));

const answering = async (status: number, body: string | Uint8Array, headers?: Record<string, string>): Promise<string> =>
  kept(await serveAnswer(status, body, headers)).url;
const saying = async (...texts: readonly string[]): Promise<string> => {
  const talk = (socket: Socket): void => {
    socket.once('data', () => {
      for (const text of texts) socket.write(text);
    });
  };
  return kept(await serveSocket(talk)).url;
};
/** Sends the text and ends the connection. */
const ending = async (text: string): Promise<string> =>
  kept(await serveSocket((socket) => socket.once('data', () => socket.end(text)))).url;
const secured = async (name: string, more: object = {}): Promise<string> =>
  kept(await serveHttps({ ...pair(name), ...more }, (_request, response) => response.end(report))).url;
const resolvingTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_name, options, done) =>
    giveAddresses(
      addresses.map((address) => ({ address, family: isIP(address) })),
      options,
      done,
    );
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

interface Row {
  readonly node: string;
  readonly url: () => Promise<string>;
  readonly options?: Partial<ClientOptions>;
  readonly outcome: object;
}

const text = (part: string): unknown => expect.stringContaining(part);

const rows: readonly Row[] = [
  { node: 'is healthy', url: () => answering(200, report), outcome: { kind: 'ok', value: { healthy: true } } },
  {
    node: 'is unhealthy, with 503 and a report',
    url: () => answering(503, '{"checks":{},"healthy":false}'),
    outcome: { kind: 'ok', value: { healthy: false } },
  },
  {
    node: 'is behind a proxy that compresses',
    url: () => answering(200, gzipSync(report), { 'content-encoding': 'gzip' }),
    outcome: { kind: 'ok', value: { healthy: true } },
  },
  {
    node: 'is behind a proxy that compresses and names it x-gzip',
    url: () => answering(200, gzipSync(report), { 'content-encoding': 'X-GZip' }),
    outcome: { kind: 'ok', value: { healthy: true } },
  },
  { node: 'has a trusted TLS certificate', url: () => secured('server'), options: trusting, outcome: { kind: 'ok' } },
  {
    node: 'requests a client certificate that we have',
    url: () => secured('server', asksForCertificate),
    options: { tls: { caFile: tls('ca.crt'), certFile: tls('client.crt'), keyFile: tls('client.key') } },
    outcome: { kind: 'ok' },
  },
  {
    node: 'does not listen',
    url: async () => `http://127.0.0.1:${await closedPort()}`,
    outcome: { kind: 'refused', reason: text('ECONNREFUSED') },
  },
  {
    node: 'does not listen on any address of its name',
    url: async () => `http://localhost:${await closedPort()}`,
    outcome: { kind: 'refused', reason: text('ECONNREFUSED') },
  },
  {
    node: 'does not listen, and has an unreachable first address',
    url: async () => `http://node.example:${await closedPort()}`,
    options: { lookup: resolvingTo('ff02::1', '127.0.0.1') },
    outcome: { kind: 'refused', reason: text('ECONNREFUSED') },
  },
  {
    node: 'closes instead of answering',
    url: async () => kept(await serveSocket((socket) => socket.once('data', () => socket.end()))).url,
    outcome: { kind: 'reset' },
  },
  {
    node: 'resets instead of answering',
    url: async () => kept(await serveSocket((socket) => socket.once('data', () => socket.resetAndDestroy()))).url,
    outcome: { kind: 'reset' },
  },
  {
    node: 'closes in the middle of a body of known length',
    url: () => ending(`${head}Content-Length: 99\r\n\r\n{"ch`),
    outcome: { kind: 'reset' },
  },
  {
    node: 'closes in the middle of a chunked body',
    url: () => ending(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\n{"ch`),
    outcome: { kind: 'reset' },
  },
  {
    node: 'closes in the middle of the TLS handshake',
    url: async () => kept(await serveSocket((socket) => socket.once('data', () => socket.end()))).url.replace('http:', 'https:'),
    outcome: { kind: 'reset' },
  },
  {
    node: 'has a name that does not exist',
    url: async () => 'http://node.invalid:9650',
    outcome: { kind: 'dns', reason: text('node.invalid') },
  },
  {
    node: 'never answers',
    url: () => saying(),
    options: { timeoutMs: 100 },
    outcome: { kind: 'timeout', afterMs: 100, cause: 'response' },
  },
  {
    node: 'never ends its headers',
    url: () => saying('HTTP/1.1 200 OK\r\nDate:'),
    options: { timeoutMs: 100 },
    outcome: { kind: 'timeout', afterMs: 100, cause: 'response' },
  },
  {
    node: 'never ends its body',
    url: () => saying(`${head}Content-Length: 99\r\n\r\n{"ch`),
    // Long enough for the headers to arrive on a busy machine.
    options: { timeoutMs: 3000 },
    outcome: { kind: 'timeout', afterMs: 3000, cause: 'body' },
  },
  {
    node: 'never starts the TLS handshake',
    url: async () => (await saying()).replace('http:', 'https:'),
    options: { timeoutMs: 100 },
    outcome: { kind: 'timeout', afterMs: 100, cause: 'handshake' },
  },
  {
    node: 'has a name that is not resolved in time',
    url: async () => 'http://node.example',
    options: { timeoutMs: 100, lookup: () => undefined },
    outcome: { kind: 'timeout', afterMs: 100, cause: 'lookup' },
  },
  {
    node: 'is at an address that does not respond',
    url: async () => `http://127.0.0.1:${(await stoppedNode()).port}`,
    options: { timeoutMs: 100 },
    outcome: { kind: 'timeout', afterMs: 100, cause: 'connect' },
  },
  {
    node: 'has a certificate that has expired',
    url: () => secured('expired'),
    options: trusting,
    outcome: { kind: 'tls', reason: text('CERT_HAS_EXPIRED') },
  },
  {
    node: 'has a certificate for another name',
    url: () => secured('wrong-name'),
    options: trusting,
    outcome: { kind: 'tls', reason: text('ALTNAME') },
  },
  {
    node: 'has a certificate that is rejected for a reason without a code, as one signed with SHA-1',
    url: () => secured('critical'),
    options: { tls: { caFile: tls('critical.crt') } },
    outcome: { kind: 'tls', reason: 'unhandled critical extension' },
  },
  {
    node: 'requests a client certificate that we do not have',
    url: () => secured('server', { ...asksForCertificate, maxVersion: 'TLSv1.2' }),
    options: trusting,
    outcome: { kind: 'tls', reason: text('ALERT_HANDSHAKE_FAILURE') },
  },
  {
    node: 'does not speak HTTP',
    url: () => saying('220 mail ready\r\n'),
    outcome: { kind: 'network', reason: text('not HTTP: HPE_') },
  },
  {
    node: 'is at an address that cannot be connected to',
    // A multicast address: the kernel refuses it at once.
    url: async () => 'http://224.0.0.1:9650',
    options: { timeoutMs: 3_000 },
    outcome: { kind: 'network' },
  },
  { node: 'refuses our Host header', url: () => answering(403, 'invalid host specified\n'), outcome: { kind: 'host-forbidden' } },
  { node: 'forbids for another reason', url: () => answering(403, 'forbidden'), outcome: { kind: 'http-status', status: 403 } },
  {
    node: 'has no health API',
    url: () => answering(404, '404 page not found\n'),
    outcome: { kind: 'http-status', status: 404 },
  },
  {
    node: 'redirects',
    url: async () => answering(302, '', { location: await answering(200, report) }),
    outcome: { kind: 'http-status', status: 302 },
  },
  { node: 'answers 204', url: () => answering(204, ''), outcome: { kind: 'http-status', status: 204 } },
  { node: 'answers 500 with a report', url: () => answering(500, report), outcome: { kind: 'http-status', status: 500 } },
  {
    node: 'answers 404 and closes in the middle of the body',
    url: () => ending('HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n40'),
    outcome: { kind: 'http-status', status: 404 },
  },
  {
    node: 'switches to another protocol',
    url: () => saying('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    outcome: { kind: 'http-status', status: 101 },
  },
  {
    node: 'answers 200 without a body',
    url: () => answering(200, ''),
    outcome: { kind: 'not-json', reason: 'empty body, status 200' },
  },
  {
    node: 'answers 503 without a body',
    url: () => answering(503, ''),
    outcome: { kind: 'not-json', reason: 'empty body, status 503' },
  },
  {
    node: 'answers 503 with a page',
    url: () => answering(503, '<html>'),
    outcome: { kind: 'not-json', reason: '6 bytes, status 503', status: 503 },
  },
  {
    node: 'is behind a proxy that answers 503 with JSON',
    url: () => answering(503, '{"message":"failure to get a peer from the ring-balancer"}'),
    outcome: { kind: 'http-status', status: 503 },
  },
  {
    node: 'answers 503 with a report that is no report',
    url: () => answering(503, '{"checks":[],"healthy":false}'),
    outcome: { kind: 'malformed' },
  },
  {
    node: 'names an encoding that it does not use',
    url: () => answering(200, report, { 'content-encoding': 'gzip' }),
    outcome: { kind: 'not-json', reason: text('Content-Encoding') },
  },
  {
    node: 'sends a body above the limit',
    url: () => answering(200, ' '.repeat(1001)),
    options: { maxBodyBytes: 1000 },
    outcome: { kind: 'too-large', bound: 'bytes', limit: 1000 },
  },
  {
    node: 'sends a body at the limit',
    url: () => answering(200, report.padEnd(1000)),
    options: { maxBodyBytes: 1000 },
    outcome: { kind: 'ok' },
  },
  {
    node: 'sends a small body that exceeds the limit when decompressed',
    url: () => answering(200, gzipSync(Buffer.alloc(8 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }),
    options: { maxBodyBytes: 1000 },
    outcome: { kind: 'too-large', bound: 'bytes', limit: 1000 },
  },
  {
    node: 'sends an endlessly nested report',
    url: () => answering(200, `{"checks":{"a":{"message":${'['.repeat(100_000)}`),
    outcome: { kind: 'too-large', bound: 'depth', limit: 64 },
  },
  {
    node: 'sends a report with more checks than a node can have',
    url: () => answering(200, `{"checks":{"a":{}${',"a":{}'.repeat(60_000)}},"healthy":true}`),
    outcome: { kind: 'too-large', bound: 'checks', limit: 400 },
  },
  {
    node: 'sends a check with a name of one megabyte',
    url: () => answering(200, `{"checks":{"${'n'.repeat(1_000_000)}":{}},"healthy":true}`),
    outcome: { kind: 'too-large', bound: 'name', limit: 1024 },
  },
  {
    node: 'sends an array',
    url: () => answering(200, '[]'),
    outcome: { kind: 'malformed', reason: 'the response: must be an object' },
  },
  {
    node: 'sends a report without healthy',
    url: () => answering(200, '{"checks":{}}'),
    outcome: { kind: 'malformed', reason: 'healthy: must be a boolean' },
  },
  {
    node: 'sends checks that are not an object',
    url: () => answering(200, '{"checks":[],"healthy":true}'),
    outcome: { kind: 'malformed', reason: 'checks: must be an object of check results' },
  },
  {
    node: 'sends a check with a long name that is not an object',
    url: () => answering(200, `{"checks":{"${'n'.repeat(100)}":1},"healthy":true}`),
    outcome: { kind: 'malformed', reason: `checks: check "${'n'.repeat(42)}…${'n'.repeat(21)}" must be an object` },
  },
];

group('a node that', () => {
  test.each(rows)('$node gives $outcome.kind', async ({ url, options, outcome }) => {
    const client = clientOf(await url(), options);
    const answer = await client.health([], never);
    expect(answer.outcome).toMatchObject(outcome);
    expect(answer.endedAt).toBeGreaterThanOrEqual(answer.sentAt);
    seen.add(answer.outcome.kind);
    client.close();
  });

  test('sends a JSON-RPC error gives its code and message, bounded and on one line', async () => {
    const message = `start index (4) > last accepted index (3)\n\u0000\ud800${'x'.repeat(2000)}`;
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id: 1 });
    const client = clientOf(await answering(200, body));
    const { outcome } = await client.indexRpc('P/block', 'index.getLastAccepted', {}, never);
    const begins = text('start index (4) > last accepted index (3); \ufffd\ufffdxxx');
    expect(outcome).toMatchObject({ kind: 'rpc-error', code: -32000, message: begins });
    expect(outcome.kind === 'rpc-error' && outcome.message.length).toBe(501);
    seen.add(outcome.kind);
    client.close();
  });

  test.each([
    { text: `${notBootstrappedText}\n`, isBootstrapping: true },
    { text: 'Service Unavailable', isBootstrapping: undefined },
  ])('answers a method with 503 and $text is recognised as bootstrapping: $isBootstrapping', async (row) => {
    const client = clientOf(await answering(503, row.text));
    const { outcome } = await client.rpc('platform.getHeight', {}, never);
    expect(outcome).toEqual({ kind: 'http-status', status: 503, isBootstrapping: row.isBootstrapping, url: text('/ext/bc/P') });
    const sentence = outcome.kind === 'ok' ? '' : describe(outcome);
    expect(sentence.includes('the chain is not bootstrapped yet')).toBe(row.isBootstrapping === true);
    client.close();
  });

  test('gives any outcome except internal-error is covered by these tests', () => {
    expect([...seen].sort()).toEqual(outcomeKinds.filter((kind) => kind !== 'internal-error').sort());
  });
});
