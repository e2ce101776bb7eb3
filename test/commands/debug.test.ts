// `snowgauge debug`: the trace of one poll over real sockets and real TLS, and the secrets it must not print.

import { readFileSync } from 'node:fs';
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { targetFrom } from '../../src/config/target.ts';
import { poll } from '../../src/poller/poll.ts';
import { indexNames } from '../../src/protocol/paths.ts';
import { sources } from '../../src/sources/sources.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { fileOf, typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { startCommand } from '../support/running-command.ts';
import { closedPort, type Served, serveAnswer, serveHttp, serveHttps, serveSocket } from '../support/serve.ts';
import { stoppedNode } from '../support/stopped-node.ts';

const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const subnet = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

const settled = async (options: Parameters<typeof startTestNode>[0] = {}, scenario = '') => {
  const node = await startTestNode(options, scenario);
  await node.ticks(roundsToSettle);
  return node;
};

const used = async (server: Promise<Served>): Promise<Served> => {
  const served = await server;
  onTestFinished(() => served.close());
  return served;
};

/** Forwards every request to the node. */
const passOn = (url: string) => (request: IncomingMessage, response: ServerResponse) => {
  const { method, headers, url: path = '' } = request;
  const inner = ask(url + path, { method, headers: { ...headers, host: 'localhost' } }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  request.pipe(inner);
};

const patient = ['--timeout', '50s'];
const debug = (...args: readonly string[]) => typed(['debug', ...patient, ...args]);

/** Parses the single line of JSON output. */
const debugJson = async (...args: readonly string[]) => {
  const { stdout, stderr, code } = await debug('--json', ...args);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return { ...JSON.parse(stdout), stderr, code };
};

describe('snowgauge debug', () => {
  test('exits with 0 for a healthy node and prints each request in order with its parsed result', async () => {
    const { url, nodeId } = await settled({ indexEnabled: true });
    const { stdout, stderr, code } = await debug(url);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const { host } = new URL(url);
    expect(stdout).toMatch(
      new RegExp(`^connection 1\n  resolved  127.0.0.1: IP address, no lookup\n  connected to ${host} in [0-9.]+ ms\n`),
    );
    expect(stdout).toMatch(
      /\n1\. GET \/ext\/health\/readiness \(connection 1\)\n {2}response {2}200, \d+ bytes, application\/json, in [0-9.]+ ms, headers after [0-9.]+ ms\n {2}parsed {4}healthy, 1 check, none failing\n/,
    );
    expect(stdout).toMatch(/\n2\. GET \/ext\/health \(connection 2\)\n.*\n {2}parsed {4}healthy, \d+ checks, none failing\n/);
    expect(stdout).toMatch(
      /\n\d+\. POST \/ext\/index\/P\/block index\.getLastAccepted \(connection \d, kept alive\)\n.*\n {2}parsed {4}index \d+, \w+, accepted 2/,
    );
    expect(stdout).toMatch(/\n\d+\. POST \/ext\/info info\.getNodeID .*\n {2}response {2}200, .*\n {2}parsed {4}NodeID-\w+\n/);
    expect(stdout).toMatch(/info\.uptime .*\n.*\n {2}parsed {4}uptime ratio [01]/);
    expect(stdout).toMatch(/info\.getNodeVersion .*\n.*\n {2}parsed {4}avalanchego\//);
    expect(stdout).toMatch(/info\.peers .*\n.*\n {2}parsed {4}\d+ peers\n/);
    expect(stdout).toMatch(/info\.upgrades .*\n.*\n {2}parsed {4}[a-z]/);
    expect(stdout).toContain(`  node ID   ${nodeId}\n`);
    expect(stdout).toContain('  interval  30 s, as configured; one poll cannot measure it\n');
    expect(stdout).toMatch(
      /\n {2}last run {2}ended 2027-01-15T08:.*Z, took [0-9.]+ ms\n {2}P\/block {3}ok, last accepted index \d+\n/,
    );
    expect(stdout).toMatch(/\nhealthy: True .*\nready: True .*\nlive: True .*\n$/);
  });

  test('exits with 1 for an unhealthy node and names the failing checks', async () => {
    const { url } = await settled({}, 'faults: [{ fault: check-fails, at: 0s, check: database, error: closed }]');
    const { requests, conditions, indexes, code } = await debugJson(url);
    expect(code).toBe(1);
    expect(requests[1]).toMatchObject({
      path: '/ext/health',
      status: 503,
      outcome: 'ok',
      parsed: { healthy: false, failing: ['database'], failingCount: 1 },
    });
    expect(conditions[0]).toMatchObject({ type: 'Healthy', status: 'False' });
    expect(indexes[0]).toEqual({ name: 'P/block', state: 'off' });
    expect((await debug(url)).stdout).toMatch(/parsed {4}unhealthy, \d+ checks, 1 failing: database\n/);
  });

  test('queries the given tags, and exits with 3 for an unknown tag', async () => {
    const { url } = await settled({}, `subnets: [{ name: mine, id: ${subnet}, chains: [{ alias: my-l1 }] }]`);
    const known = await debugJson(url, '--tag', subnet);
    expect(known).toMatchObject({ code: 0, tags: [subnet] });
    expect(known.requests.map(({ path }: { readonly path: string }) => path)).toContain(`/ext/health?tag=${subnet}`);
    expect(await debugJson(url, '--tag', 'typo')).toMatchObject({ code: 3 });
  });

  test('sends the same requests as a poll of the exporter, with all indexes', async () => {
    const node = await settled({ indexEnabled: true });
    const asked: string[] = [];
    const { url } = await used(
      serveHttp((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        passOn(node.url)(request, response);
      }),
    );
    const { options, client } = targetFrom({ url, indexes: [...indexNames] });
    const made = createClient({ ...client, userAgent: 'snowgauge/test', timeoutMs: 50_000 }, () => 1_800_000_000);
    await poll({ table: sources, state: () => newTarget(options), client: made, now: () => 1_800_000_000 });
    made.close();
    const polled = asked.splice(0);
    const { requests } = await debugJson(url);
    expect(asked.length).toBeGreaterThan(5);
    expect([...asked].sort()).toEqual([...polled].sort());
    expect(requests.map(({ method, path }: Record<string, string>) => `${method} ${path}`).sort()).toEqual([...asked].sort());
    // Two sources need the upgrades, which are requested once.
    const methods = requests.flatMap(({ rpc }: { readonly rpc?: string }) => rpc ?? []);
    expect(methods.filter((rpc: string) => rpc === 'info.upgrades')).toHaveLength(1);
  });
});

describe('snowgauge debug: the connection', () => {
  const secured = async (name: string) => {
    const node = await settled();
    const pair = { key: readFileSync(tls(`${name}.key`)), cert: readFileSync(tls(`${name}.crt`)) };
    const { url } = await used(serveHttps(pair, passOn(node.url)));
    return url.replace('127.0.0.1', 'localhost');
  };

  test('over TLS prints addresses, version, cipher, certificate and that it is verified', async () => {
    const url = await secured('server');
    const { connections, code } = await debugJson(url, '--ca-file', tls('ca.crt'));
    expect(code).toBe(0);
    expect(connections[0]).toMatchObject({
      id: 1,
      host: 'localhost',
      peer: `127.0.0.1:${new URL(url).port}`,
      resolvedSeconds: expect.any(Number),
      connectedSeconds: expect.any(Number),
      tlsSeconds: expect.any(Number),
      tls: {
        version: 'TLSv1.3',
        cipher: expect.stringMatching(/^TLS_/),
        certificate: { subject: 'CN=localhost', issuer: 'CN=snowgauge tests', validTo: '2120-01-01T00:00:00.000Z' },
        verified: true,
      },
    });
    expect(connections[0].addresses).toContain('127.0.0.1');
  });

  test.each([
    { name: 'expired', why: 'CERT_HAS_EXPIRED', until: '2020-01-02' },
    { name: 'wrong-name', why: 'ERR_TLS_CERT_ALTNAME_INVALID', until: '2120-01-01' },
  ])(
    'exits with 3 for a certificate that is $name and prints the error once for all connections',
    async ({ name, why, until }) => {
      const { stdout, code } = await debug(await secured(name), '--ca-file', tls('ca.crt'));
      expect(code).toBe(3);
      expect(stdout).toMatch(
        new RegExp(`^connection 1(?:, \\d+)+\n(?: .*\n)*  valid     20.* to ${until}.*\n  verified  no: ${why}\n\n1\\. GET`),
      );
      expect(stdout).toContain(`error     TLS failed (${why}: `);
    },
  );

  test.each([
    {
      node: 'does not listen',
      url: async () => `http://127.0.0.1:${await closedPort()}`,
      says: /connect {3}failed: ECONNREFUSED\n.*response {2}none, in .*error {5}connection refused \([^\n]*\n {2}also {6}9 other requests: \/ext\/health, \/ext\/health\/liveness, [^\n]*, \/ext\/info\n\nresult\n/s,
    },
    {
      node: 'has an unresolvable name',
      url: async () => 'http://node.invalid',
      // EAI_AGAIN: no DNS server responds to this machine.
      says: /resolve {3}failed: E(?:NOTFOUND|AI_AGAIN)\n(?! *connect).*error {5}name resolution failed \(/s,
    },
    {
      node: 'speaks plain HTTP on an https URL',
      url: async () => (await used(serveAnswer(200, ''))).url.replace('http:', 'https:'),
      says: /TLS {7}failed: E\w+\n.*the port does not speak TLS: use http:\/\//s,
    },
    {
      node: 'never answers',
      url: async () => (await used(serveSocket(() => undefined))).url,
      timeout: '300ms',
      says: /response {2}none, in .*error {5}connected, but no response within 300 ms at .*no free connection within 300 ms at /s,
    },
    {
      node: 'is behind a firewall that drops every connection',
      url: async () => `http://127.0.0.1:${(await stoppedNode()).port}`,
      timeout: '300ms',
      says: /connect {3}failed: ETIMEDOUT\n.*error {5}no connection within 300 ms at \S+: check that the port is open/s,
    },
    {
      node: 'never answers the TLS handshake',
      url: async () => (await used(serveSocket(() => undefined))).url.replace('http:', 'https:'),
      timeout: '300ms',
      says: /TLS {7}failed: ETIMEDOUT\n.*error {5}connected, but TLS handshake not complete within 300 ms at /s,
    },
    {
      node: 'redirects',
      url: async () => (await used(serveAnswer(301, '', { location: 'https://node.example' }))).url,
      says: /response {2}301, 0 bytes.*a redirect to https:\/\/node\.example, /s,
    },
  ])('exits with 3 and prints the reason for a node that $node', async ({ url, timeout = '50s', says }) => {
    const { stdout, stderr, code } = await typed(['debug', await url(), '--timeout', timeout]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
    expect(stdout).toMatch(says);
  });
});

test.each(['--bearer-file', '--basic-file'])('the credential from %s is sent, and no command prints it', async (flag) => {
  const marked = 'MARKED-user:MARKED-s3cret';
  const base64 = Buffer.from(marked).toString('base64');
  const sent: (string | undefined)[] = [];
  const server = await used(
    serveHttp((request, response) => {
      sent.push(request.headers.authorization);
      const location = `http://${marked}@node.example/login?token=${marked}#${base64}`;
      response.writeHead(302, { location, 'content-type': 'text/html' }).end(`${marked} ${request.headers.authorization}`);
    }),
  );
  const file = await fileOf(marked);
  for (const argv of [
    ['debug', server.url],
    ['debug', server.url, '--json'],
    ['check', server.url],
    ['explain', server.url, '--output', 'json'],
    ['diff', server.url, server.url],
    ['index', 'get', server.url, 'P/block', '--last', '--tries', '1'],
  ]) {
    const { stdout, stderr, code } = await typed([...argv, ...patient, flag, file]);
    expect(code).toBe(3);
    expect(stdout + stderr).toMatch(/a redirect to http:\/\/node\.example\/(?:…|\\u2026), which is not followed/);
    for (const mark of ['MARKED', base64]) expect(stdout + stderr).not.toContain(mark);
  }
  expect(sent[0]).toBe(flag === '--bearer-file' ? `Bearer ${marked}` : `Basic ${base64}`);
  for (const given of [`http://${marked}@h`, `http://h?${marked}`, `http://${marked}@h/ext/health`]) {
    const { stdout, stderr, code } = await typed(['debug', given]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).not.toContain('MARKED');
  }
});

test('snowgauge debug escapes control characters in what a server sends', async () => {
  const { url } = await used(serveAnswer(302, '', { location: '/\u009b2J', 'content-type': '\u009b2J' }));
  for (const more of [[], ['--json']]) expect((await debug(url, ...more)).stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test.each([{ args: ['http://h', '--timeout', '5', '--ignore-reason', 'x'], says: '--ignore-reason: "x" is not a known reason' }])(
  'snowgauge debug $args exits with 2',
  async ({ args, says }) => {
    const { stdout, stderr, code } = await typed(['debug', ...args]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(`snowgauge debug: ${says}`);
  },
);

test('snowgauge debug exits with 130 at once when interrupted, without a result', async () => {
  const { url, connections } = await used(serveSocket(() => undefined));
  const running = startCommand(['debug', url, '--timeout', '1h']);
  await expect.poll(connections).toBeGreaterThan(0);
  running.stop();
  expect(await running.finished).toEqual({ stdout: '', stderr: 'stopped\n', code: 130 });
});
