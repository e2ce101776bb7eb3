// The messages for failures: which URL, what is wrong, what to do. Over real sockets, TLS and redirects.

import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describe, type Failure, faultText } from '../../src/client/outcome.ts';
import { clientOf, never } from '../support/asking.ts';
import { startTestNode } from '../support/node.ts';
import { closedPort, type Served, serveAnswer, serveHttp, serveHttps, serveSocket } from '../support/serve.ts';

const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const pair = { key: readFileSync(tls('server.key')), cert: readFileSync(tls('server.crt')) };

const urlOf = async (server: Promise<Served>): Promise<string> => {
  const { url, close } = await server;
  onTestFinished(() => close());
  return url;
};

const failureAt = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Failure> => {
  const client = clientOf(url, { headers, tls: { caFile: tls('ca.crt') } });
  const { outcome } = await client.health(['s3cret'], never);
  client.close();
  if (outcome.kind === 'ok') throw new Error('the node answers');
  return outcome;
};

const told = async (url: string, headers?: Readonly<Record<string, string>>): Promise<string> =>
  describe(await failureAt(url, headers));

const secured = (): Promise<string> => urlOf(serveHttps(pair, (_request, response) => response.end()));

test('a failure names the requested URL without the path of a proxy and without tags', async () => {
  const url = await urlOf(serveAnswer(404, 'page not found'));
  const remedy = 'is this a node, and is its health API on (--api-health-enabled)?';
  expect(await told(`${url}/nodes/a/`)).toBe(`HTTP status 404 at ${url}/…/ext/health: ${remedy}`);
});

test('401 says to set credentials', async () => {
  const url = await urlOf(serveAnswer(401, 'Unauthorized\n'));
  const remedy = 'set `authorization` in the configuration, or use --bearer-file or --basic-file';
  expect(await told(url)).toBe(`HTTP status 401 at ${url}/ext/health: ${remedy}`);
});

test.each([
  { status: 502, says: 'HTTP status 502' },
  { status: 504, says: 'HTTP status 504' },
  // A node says 503 too, with a report.
  { status: 503, says: 'the response is not JSON (20 bytes, status 503)' },
])('a page with status $status comes from a proxy and asks whether the node is running', async ({ status, says }) => {
  const url = await urlOf(serveAnswer(status, '<h1>Bad Gateway</h1>'));
  const remedy = 'a proxy in between gets no response from the node: is the node running?';
  expect(await told(url)).toBe(`${says} at ${url}/ext/health: ${remedy}`);
});

test.each([200, 503])(
  'an empty body of the health API with status %i says that a node may not have encoded its checks',
  async (status) => {
    const url = await urlOf(serveAnswer(status, ''));
    const remedy = 'a node sends this if it cannot encode the details of a check: see its log, and check its plugin VMs';
    expect(await told(url)).toBe(`the response is not JSON (empty body, status ${status}) at ${url}/ext/health: ${remedy}`);
  },
);

test('a very long URL is cut to 200 characters', async () => {
  expect((await failureAt(`http://${'a.'.repeat(120)}invalid`)).url).toHaveLength(200);
});

test.each([
  { port: 'of an HTTP server', url: () => urlOf(serveAnswer(200, '{}')) },
  {
    port: 'that answers 400 in plain HTTP, as Go does',
    url: () => urlOf(serveSocket((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  },
])('TLS to a plain HTTP port $port says to use http://', async ({ url }) => {
  const asked = (await url()).replace('http:', 'https:');
  expect(await told(asked)).toMatch(
    new RegExp(`^TLS failed \\([A-Z_]+\\) at ${asked}/ext/health: the port does not speak TLS: use http://$`),
  );
});

test.each([
  { port: 'of Go', url: () => urlOf(serveAnswer(400, 'Client sent an HTTP request to an HTTPS server.\n')) },
  { port: 'of nginx', url: () => urlOf(serveAnswer(400, '<h1>The plain HTTP request was sent to HTTPS port</h1>')) },
  {
    port: 'that sends a TLS alert',
    url: () => urlOf(serveSocket((socket) => socket.once('data', () => socket.end('\x15\x03\x01\x00\x02\x02\x46')))),
  },
])('plain HTTP to a TLS port $port says to use https://', async ({ url }) => {
  const asked = await url();
  expect(await told(asked)).toMatch(
    new RegExp(
      `^(?:HTTP status 400|network error \\(not HTTP: .*\\)) at ${asked}/ext/health: the port speaks TLS: use https://$`,
    ),
  );
});

test.each([
  { scheme: 'http', remedy: 'the port may speak TLS: try https://' },
  { scheme: 'https', remedy: 'the port may not speak TLS: try http://' },
])('a port that resets every $scheme request suggests the other scheme', async ({ scheme, remedy }) => {
  const url = await urlOf(serveSocket((socket) => socket.once('data', () => socket.resetAndDestroy())));
  expect(await told(url.replace('http', scheme))).toMatch(new RegExp(`^connection reset \\(.*\\) at .*/ext/health: ${remedy}$`));
});

test('a node that has answered before and now resets gets no suggestion of another scheme', async () => {
  let asked = 0;
  const url = await urlOf(
    serveHttp((_request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(200, { connection: 'close' }).end('{"checks":{},"healthy":true}');
      else response.destroy();
    }),
  );
  const client = clientOf(url);
  await client.health([], never);
  const { outcome } = await client.health([], never);
  client.close();
  expect(outcome).toMatchObject({ kind: 'reset' });
  expect(outcome).not.toHaveProperty('maySpeak');
});

test('another 400 response does not suggest another scheme', async () => {
  const other = await urlOf(serveAnswer(400, 'bad request'));
  expect(await told(other)).toBe(`HTTP status 400 at ${other}/ext/health`);
});

test.each([{ ca: {} }, { ca: { tls: { caFile: tls('other-ca.crt') } } }])(
  'a certificate of an untrusted authority says to name the authority, case %#',
  async ({ ca }) => {
    const client = clientOf(await secured(), ca);
    const { outcome } = await client.health([], never);
    client.close();
    expect(outcome.kind === 'ok' || describe(outcome)).toMatch(
      /^TLS failed \(.*\) at .*: name its certificate authority in `tls\.caFile` of the configuration, or use --ca-file$/,
    );
  },
);

test('tls.caFile may have only an intermediate authority', async () => {
  const issued = { key: readFileSync(tls('issued.key')), cert: readFileSync(tls('issued.crt')) };
  const url = await urlOf(serveHttps(issued, (_request, response) => response.end('{"checks":{},"healthy":true}')));
  const client = clientOf(url, { tls: { caFile: tls('issuing.crt') } });
  const { outcome } = await client.health([], never);
  client.close();
  expect(outcome.kind).toBe('ok');
});

test('an expired certificate says to renew it', async () => {
  const expired = { key: readFileSync(tls('expired.key')), cert: readFileSync(tls('expired.crt')) };
  const url = await urlOf(serveHttps(expired, (_request, response) => response.end()));
  expect(await told(url)).toMatch(/^TLS failed \(CERT_HAS_EXPIRED: .*\) at \S+: renew the certificate of the node$/);
});

test.each<{ failure: Failure; snowgauge: string; server: string }>([
  {
    failure: { kind: 'tls', reason: 'CERT_HAS_EXPIRED' },
    snowgauge: ': renew the certificate of snowgauge',
    server: ': renew the certificate of the server',
  },
  {
    failure: { kind: 'tls', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', isUntrusted: true },
    snowgauge: ': name its certificate authority with --ca-file',
    server: ': name its certificate authority in `tls.caFile` of the source',
  },
  {
    failure: { kind: 'timeout', afterMs: 5, cause: 'response' },
    snowgauge: ': snowgauge may be starting, overloaded or hung',
    server: ': the server may be starting, overloaded or hung',
  },
  { failure: { kind: 'refused', reason: 'ECONNREFUSED', isRemote: true }, snowgauge: '', server: '' },
  { failure: { kind: 'not-json', reason: 'Content-Encoding not kept: Z_DATA_ERROR' }, snowgauge: '', server: '' },
  { failure: { kind: 'too-large', bound: 'beside', limit: 5 }, snowgauge: '', server: '' },
])('a $failure.kind failure of something that is not a node has no advice about nodes', ({ failure, ...remedies }) => {
  expect(describe(failure, 'snowgauge')).toBe(`${faultText(failure)}${remedies.snowgauge}`);
  expect(describe(failure, 'server')).toBe(`${faultText(failure)}${remedies.server}`);
});

test.each([
  'TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'SSLV3_ALERT_CERTIFICATE_EXPIRED',
  'TLSV1_ALERT_UNKNOWN_CA',
  'SSLV3_ALERT_BAD_CERTIFICATE',
])('the alert %s says to name a client certificate that the node accepts', (alert) => {
  expect(describe({ kind: 'tls', reason: `ERR_SSL_${alert}`, url: 'https://node' })).toMatch(
    /: name a client certificate in `tls\.certFile` and .*: the node must accept it$/,
  );
});

test.each([
  { certificate: 'wrong-name', headers: {} },
  // The certificate is for the URL.
  { certificate: 'server', headers: { host: 'node.example' } },
])('a certificate for another name says to use one of its names, with the headers $headers', async ({ certificate, headers }) => {
  const pair = { key: readFileSync(tls(`${certificate}.key`)), cert: readFileSync(tls(`${certificate}.crt`)) };
  const url = await urlOf(serveHttps(pair, (_request, response) => response.end()));
  const client = clientOf(url, { tls: { caFile: tls('ca.crt') }, headers });
  const { outcome } = await client.health([], never);
  client.close();
  const remedy = 'use a name of the certificate in the URL or header Host';
  expect(outcome.kind === 'ok' || describe(outcome)).toMatch(
    new RegExp(`^TLS failed \\(ERR_TLS_CERT_ALTNAME_INVALID: [^)]*[^:\\s)]\\) at \\S+: ${remedy}$`),
  );
});

test('an unknown host name and a response that is not JSON say what to check', async () => {
  expect(await told('http://node.invalid')).toMatch(/^name resolution failed \(.*ENOTFOUND.*\) at \S+: check the host name$/);
  const url = await urlOf(serveAnswer(200, '<html>'));
  expect(await told(url)).toMatch(/^the response is not JSON \(.*\) at \S+: is this the URL of a node\?$/);
});

test.each([
  { location: 'https://u:s3cret@node.example/a/ext/health?token=s3cret#s3cret', to: 'https://node.example/…' },
  { location: '//u:s3cret@node.example', to: 'http://node.example' },
  { location: 'ftp://u:s3cret@node.example/', to: 'an address that is not a URL' },
  { location: 'http://u:s3cret@', to: 'an address that is not a URL' },
])('a redirect to $location is not followed, and reported without its secrets', async ({ location, to }) => {
  const url = await urlOf(serveAnswer(302, '', { location }));
  expect(await told(url)).toBe(
    `HTTP status 302 at ${url}/ext/health: a redirect to ${to}, which is not followed: write the URL of the node itself`,
  );
});

test.each(['/ext/health/', '/login?next=s3cret', `/${'a'.repeat(4000)}`])(
  'a redirect on the same host to %s suggests a proxy and does not repeat the URL',
  async (location) => {
    const url = await urlOf(serveAnswer(302, '', { location }));
    expect(await told(`${url}/a`)).toBe(
      `HTTP status 302 at ${url}/…/ext/health: a redirect on the same host, probably by a proxy: write the URL of the node behind it`,
    );
  },
);

test('a Location header with another status is not a redirect', async () => {
  const url = await urlOf(serveAnswer(201, '', { location: '/a' }));
  expect(await told(url)).toBe(`HTTP status 201 at ${url}/ext/health`);
});

test('a refused Host header is named, with how to allow it', async () => {
  const { url } = await startTestNode({ httpAllowedHosts: ['node.example'] });
  const named = url.replace('127.0.0.1', 'localhost');
  const remedy = 'add the name to --http-allowed-hosts of the node, or write an IP address in the URL';
  expect(await told(named)).toBe(
    `HTTP status 403, the node refuses the Host header ${new URL(named).host} at ${named}/ext/health: ${remedy}`,
  );
  expect(await told(url, { Host: 'other.example' })).toMatch(
    /the Host header other\.example at \S+: add the name to --http-allowed-hosts of the node$/,
  );
});

test('a closed port on another host may be a node that listens on 127.0.0.1 only; on this host no node listens', async () => {
  const port = await closedPort();
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await told(`http://${host}:${port}`)).toMatch(
      /^connection refused \(.*\) at http:\S+\/ext\/health: check that the node runs in the same pod or host, and listens on this port$/,
    );
  const [outside] = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family }) => !internal && family === 'IPv4'),
  );
  if (outside === undefined) return;
  expect(await told(`http://${outside.address}:${port}`)).toMatch(
    /^connection refused .* at http:\S+\/ext\/health: is the node running\? It listens on 127\.0\.0\.1 only, unless --http-host names another address$/,
  );
});

const port = 'check that the port is open (firewall, NetworkPolicy)';
const state = 'the node may be starting, overloaded or hung';

test.each<{ failure: Failure; says: string }>([
  { failure: { kind: 'timeout', afterMs: 5, cause: 'connect' }, says: `no connection within 5 ms: ${port}` },
  { failure: { kind: 'timeout', afterMs: 5, cause: 'response' }, says: `connected, but no response within 5 ms: ${state}` },
  {
    failure: { kind: 'timeout', afterMs: 5, cause: 'handshake' },
    says: `connected, but TLS handshake not complete within 5 ms: ${state}, or the port may not speak TLS`,
  },
  {
    failure: { kind: 'timeout', afterMs: 5, cause: 'lookup' },
    says: 'host name not resolved within 5 ms: check that the DNS server can be reached (firewall, NetworkPolicy)',
  },
  {
    failure: { kind: 'timeout', afterMs: 5, cause: 'queue' },
    says: 'no free connection within 5 ms: earlier requests to the node have not ended: see their errors',
  },
  {
    failure: { kind: 'timeout', afterMs: 5, cause: 'body' },
    says: 'response not complete within 5 ms: raise the timeout if the node or the connection is slow',
  },
  ...['getaddrinfo EAI_AGAIN', 'queryA ESERVFAIL'].map((reason) => ({
    failure: { kind: 'dns', reason } as const,
    says: `name resolution failed (${reason}): check the DNS server, and that it can be reached (firewall, NetworkPolicy)`,
  })),
  {
    failure: { kind: 'tls', reason: 'CERT_NOT_YET_VALID' },
    says: 'TLS failed (CERT_NOT_YET_VALID): check the clocks of this host and of the certificate authority',
  },
  {
    failure: { kind: 'http-status', status: 403 },
    says: 'HTTP status 403: probably by a proxy in between: check its access rules, and the credentials',
  },
  {
    failure: { kind: 'http-status', status: 429 },
    says: 'HTTP status 429: a proxy in between limits the rate of requests: write the URL of the node behind it',
  },
  {
    failure: { kind: 'http-status', status: 503 },
    says: 'HTTP status 503: a proxy in between gets no response from the node: is the node running?',
  },
  {
    failure: { kind: 'http-status', status: 503, isBootstrapping: true },
    says: 'HTTP status 503, the chain is not bootstrapped yet',
  },
  {
    failure: { kind: 'malformed', reason: 'checks: must be an object' },
    says: 'unexpected response (checks: must be an object): is this the URL of a node, and is its version supported?',
  },
  ...['EHOSTUNREACH', 'ENETUNREACH'].map((code) => ({
    failure: { kind: 'network', reason: `connect ${code} 10.0.0.1:9650` } as const,
    says: `network error (connect ${code} 10.0.0.1:9650): check the address, and the route to it (firewall, NetworkPolicy)`,
  })),
])('$failure.kind $failure.cause $failure.reason says how far the request got and what to check', ({ failure, says }) => {
  expect(describe(failure)).toBe(says);
});
