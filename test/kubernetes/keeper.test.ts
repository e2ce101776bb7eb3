// Pod labels with unusual responses of the API server or a proxy: over real TLS, with a clock that
// the test advances.

import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { podLabelsOf } from '../../src/commands/pod-labels.ts';
import { parseConfig } from '../../src/config/load.ts';
import { podPatcher } from '../../src/kubernetes/api.ts';
import { exchange } from '../../src/kubernetes/exchange.ts';
import { backOff, deadlines } from '../../src/kubernetes/keeper.ts';
import type { PatchOutcome, PatchPod } from '../../src/kubernetes/outcome.ts';
import type { ConfigError } from '../../src/yaml/parse.ts';
import { accountOf, json, keep, label, obedient, serveApi, tls } from '../support/label-keeper.ts';
import { resolving } from '../support/resolving.ts';
import { patience } from '../support/run-process.ts';
import { closedPort, serveHttps } from '../support/serve.ts';
import { noon } from '../support/snapshot.ts';

interface Asking {
  readonly deadlineMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly lookup?: LookupFunction;
}

const patchOnce = (
  server: string,
  serviceAccountDir = accountOf(),
  { deadlineMs = 280_000, connectMs = 280_000, lookup }: Asking = {},
): Promise<PatchOutcome> =>
  podPatcher({ server, serviceAccountDir, namespace: 'default', name: 'node-0', lookup }, connectMs)(
    { labels: { 'ready.snowgauge.io/all': 'true' }, annotations: {} },
    deadlineMs,
    new AbortController().signal,
  );

test('ca.crt may have only an intermediate authority, as in some clusters', async () => {
  const [cert, key] = [readFileSync(join(tls, 'issued.crt')), readFileSync(join(tls, 'issued.key'))];
  const { url: server, close } = await serveHttps({ cert, key }, json(200, { metadata: {} }));
  onTestFinished(close);
  const account = accountOf('secret-token', 'issuing.crt');
  expect(await patchOnce(server, account)).toMatchObject({ kind: 'ok' });
  const reading = { deadlineMs: 280_000, data: () => undefined };
  const signal = new AbortController().signal;
  expect(await exchange({ server, serviceAccountDir: account }, '/', signal, reading)).toEqual({ kind: 'ended' });
});

describe('a patch', () => {
  test('is a merge patch with the current token, and returns the labels of the pod in the response', async () => {
    const labels = { app: 'x', 'ready.snowgauge.io/all': 'true' };
    const api = await serveApi(json(200, { metadata: { labels } }));
    const account = accountOf('one\n');
    expect(await patchOnce(api.url, account)).toEqual({ kind: 'ok', labels: new Map([['ready.snowgauge.io/all', 'true']]) });
    writeFileSync(join(account, 'token'), 'two');
    await patchOnce(api.url, account);
    expect(api.taken.map(({ authorization }) => authorization)).toEqual(['Bearer one', 'Bearer two']);
    expect(api.taken[0]).toMatchObject({
      type: 'application/merge-patch+json',
      path: '/api/v1/namespaces/default/pods/node-0/status',
    });
  });

  const [checkToken, bindRole, setName, findWebhook, checkNetwork] = [
    'check that the token is of this cluster and has not expired',
    'bind a Role that allows patch on pods/status',
    'set podName and podNamespace from the downward API',
    'look for a slow admission webhook',
    'check KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the network policies of the pod',
  ];
  const status = (code: number, message = 'no'): RequestListener => json(code, { kind: 'Status', message });
  const silent: RequestListener = () => undefined;
  const torn: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"meta');
    setImmediate(() => response.destroy());
  };
  const huge: RequestListener = (_request, response) => {
    response.writeHead(200);
    response.end(Buffer.alloc(5 * 1024 * 1024, 'x'));
  };
  test.each([
    { server: 'rejects the token', answer: status(401), kind: 'unauthorized', reason: `status 401: no: ${checkToken}` },
    {
      server: 'quotes the token',
      answer: status(401, 'no: secret-token'),
      kind: 'unauthorized',
      reason: `status 401: no: ***: ${checkToken}`,
    },
    { server: 'forbids the patch', answer: status(403, 'a\nb'), kind: 'forbidden', reason: `status 403: a; b: ${bindRole}` },
    { server: 'does not know the pod', answer: status(404), kind: 'not-found', reason: `status 404: no: ${setName}` },
    { server: 'is overloaded', answer: status(429), kind: 'http-status', reason: 'status 429: no' },
    { server: 'fails', answer: status(500), kind: 'http-status', reason: 'status 500: no' },
    { server: 'is down behind a proxy', answer: json(502, '<html>'), kind: 'unreachable', reason: 'status 502' },
    { server: 'is not up yet behind a proxy', answer: status(503), kind: 'unreachable', reason: 'status 503: no' },
    { server: 'does not respond behind a proxy', answer: status(504), kind: 'unreachable', reason: 'status 504: no' },
    { server: 'is a proxy that redirects', answer: json(302, '<html>'), kind: 'http-status', reason: 'status 302' },
    { server: 'does not return a pod', answer: json(200, '[]'), kind: 'malformed', reason: 'the response is not a pod' },
    { server: 'returns garbage', answer: json(200, '{{{'), kind: 'malformed', reason: 'the response is not a pod' },
    { server: 'sends too much', answer: huge, kind: 'malformed', reason: 'the response is larger than 4194304 bytes' },
    {
      server: 'closes the connection in the middle',
      answer: torn,
      kind: 'unreachable',
      reason: `ECONNRESET (API server URL): ${checkNetwork}`,
    },
    {
      server: 'does not respond',
      answer: silent,
      kind: 'timeout',
      reason: `no response within 500 ms (API server URL): ${findWebhook}`,
      deadlineMs: 500,
    },
  ])('to a server that $server is $kind', async ({ answer, kind, reason, deadlineMs }) => {
    const api = await serveApi(answer);
    expect(await patchOnce(api.url, accountOf(), { deadlineMs })).toEqual({ kind, reason: reason.replace('URL', api.url) });
  });

  test('reads a response of single bytes', async () => {
    const api = await serveApi((_request, response) => {
      for (const byte of ' '.repeat(20_000)) response.write(byte);
      for (const byte of '{"metadata":{"labels":{"ready.snowgauge.io/all":"true"}}}') response.write(byte);
      response.end();
    });
    expect(await patchOnce(api.url)).toEqual({ kind: 'ok', labels: new Map([['ready.snowgauge.io/all', 'true']]) });
  });

  test('resolves the host name of the server with the configured lookup', async () => {
    const api = await serveApi(json(200, { metadata: {} }));
    const { lookup, asked } = resolving('127.0.0.1');
    const server = api.url.replace('127.0.0.1', 'localhost');
    expect(await patchOnce(server, accountOf(), { lookup })).toMatchObject({ kind: 'ok' });
    expect(asked).toEqual(['localhost']);
  });

  test('needs the CA of the server, a valid token, and a listening server', async () => {
    const api = await serveApi(json(200, { metadata: {} }));
    const other = accountOf();
    cpSync(join(tls, 'other-ca.crt'), join(other, 'ca.crt'));
    expect(await patchOnce(api.url, other)).toMatchObject({
      kind: 'tls',
      reason: expect.stringMatching(/UNABLE_TO_GET_ISSUER_CERT/),
    });
    const rejected = await serveApi(json(200, {}), 'critical');
    cpSync(join(tls, 'critical.crt'), join(other, 'ca.crt'));
    expect(await patchOnce(rejected.url, other)).toEqual({
      kind: 'tls',
      reason: `unhandled critical extension (API server ${rejected.url}): check KUBERNETES_SERVICE_HOST and ${other}/ca.crt`,
    });
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    onTestFinished(() => void mute.close());
    const address = mute.address();
    const muteUrl = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const unconnected = { kind: 'unreachable', reason: `no connection within 500 ms (API server ${muteUrl}): ${checkNetwork}` };
    expect(await patchOnce(muteUrl, accountOf(), { connectMs: 500 })).toEqual(unconnected);
    const none = accountOf();
    rmSync(join(none, 'token'));
    expect(await patchOnce(api.url, none)).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(/: ENOENT$/) });
    const strange = accountOf('two\nlines');
    expect(await patchOnce(api.url, strange)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringMatching(/: ERR_INVALID_CHAR$/),
    });
    const unsigned = accountOf();
    writeFileSync(join(unsigned, 'ca.crt'), 'not a certificate');
    expect(await patchOnce(api.url, unsigned)).toMatchObject({ kind: 'tls' });
    const closed = `https://127.0.0.1:${await closedPort()}`;
    const reason = `ECONNREFUSED (API server ${closed}): ${checkNetwork}`;
    expect(await patchOnce(closed)).toEqual({ kind: 'unreachable', reason });
    expect(api.taken).toEqual([]);
  });
});

describe('labels', () => {
  test('are confirmed at the configured interval, and not in between', async () => {
    const { api } = await obedient();
    const { keeper, pass, hasLooked } = keep(api.url);
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    pass(59);
    await hasLooked();
    expect(api.taken).toHaveLength(1);
    pass(1);
    await expect.poll(() => keeper.tally().succeededAt, patience).toBe(noon + 60);
    expect(api.taken).toHaveLength(2);
    expect(api.taken[1]?.body.metadata.annotations).toEqual({
      'ready.snowgauge.io/confirmed-at': new Date((noon + 60) * 1000).toISOString(),
    });
  });

  test('are false while the condition is Unknown', async () => {
    const { api, labels } = await obedient();
    const { keeper, condition } = keep(api.url);
    await expect.poll(() => labels[label], patience).toBe('true');
    condition('Unknown');
    await expect.poll(() => labels[label], patience).toBe('false');
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
  });

  test('that a webhook removes are retried with increasing waits, and logged once', async () => {
    const api = await serveApi(json(200, { metadata: { labels: {} } }));
    const { keeper, said, pass, hasLooked } = keep(api.url);
    const patches = () => keeper.tally().patches.get('ok');
    await expect.poll(patches, patience).toBe(2);
    expect(keeper.tally().current).toBe(false);
    pass(0.49);
    await hasLooked();
    expect(api.taken).toHaveLength(2);
    expect(said).toEqual([]);
    pass(0.02);
    await expect.poll(patches, patience).toBe(3);
    pass(1.01);
    await expect.poll(patches, patience).toBe(4);
    expect(said).toEqual([expect.stringContaining('does an admission webhook')]);
  });

  test('that time out are logged once, from the second timeout on, although the deadline grows', async () => {
    const deadlines: number[] = [];
    const patch: PatchPod = async (_, deadlineMs) => {
      deadlines.push(deadlineMs);
      if (deadlines.length <= 4) return { kind: 'timeout', reason: `no response within ${deadlineMs} ms` };
      return { kind: 'ok', labels: new Map([[label, 'true']]) };
    };
    const { said, pass } = keep('', { patch, pace: { first: 2000, longest: 5000 } });
    for (let tries = 1; tries <= 5; tries += 1) {
      await expect.poll(() => deadlines.length, patience).toBe(tries);
      pass(1.01);
    }
    expect(deadlines).toEqual([2000, 4000, 5000, 5000, 5000]);
    const failed = 'pod label sync failed {"outcome":"timeout","reason":"no response within 4000 ms"}';
    await expect.poll(() => said, patience).toEqual([failed, 'pod label sync recovered {}']);
  });

  test('are retried every second while the API server is unreachable, however long', async () => {
    const port = await closedPort();
    const { keeper, pass, hasLooked } = keep(`https://127.0.0.1:${port}`);
    const tries = () => keeper.tally().patches.get('unreachable') ?? 0;
    await expect.poll(tries, patience).toBe(1);
    for (let failures = 1; failures < 12; failures += 1) {
      pass(1.01);
      await expect.poll(tries, patience).toBe(failures + 1);
    }
    pass(0.99);
    await hasLooked();
    expect(tries()).toBe(12);
    pass(0.02);
    await expect.poll(tries, patience).toBe(13);
  });

  test('that change are written at once, whatever the current wait', async () => {
    let allowed = false;
    const labels: Record<string, string | null> = {};
    const api: Awaited<ReturnType<typeof serveApi>> = await serveApi((request, response) => {
      if (!allowed) return json(403, { message: 'no' })(request, response);
      Object.assign(labels, api.taken.at(-1)?.body.metadata.labels);
      return json(200, { metadata: { labels } })(request, response);
    });
    const { keeper, condition, pass, hasLooked } = keep(api.url);
    const refusals = () => keeper.tally().patches.get('forbidden') ?? 0;
    for (let tries = 1; tries < 9; tries += 1) {
      await expect.poll(refusals, patience).toBe(tries);
      pass(30.01);
    }
    await expect.poll(refusals, patience).toBe(9);
    allowed = true;
    await hasLooked();
    // The current wait is half a minute.
    expect(refusals()).toBe(9);
    expect(keeper.tally().patches.get('ok')).toBe(0);
    condition('False');
    await expect.poll(() => labels[label], patience).toBe('false');
  });

  test('are retried soon after an error of another kind', async () => {
    let code = 403;
    const api = await serveApi((request, response) => json(code, { message: 'no' })(request, response));
    const { keeper, pass } = keep(api.url);
    const count = (kind: PatchOutcome['kind']) => keeper.tally().patches.get(kind) ?? 0;
    for (let tries = 1; tries < 9; tries += 1) {
      await expect.poll(() => count('forbidden'), patience).toBe(tries);
      pass(30.01);
    }
    code = 500;
    await expect.poll(() => count('forbidden') + count('http-status'), patience).toBeGreaterThanOrEqual(9);
    pass(30.01);
    await expect.poll(() => count('http-status'), patience).toBe(1);
    pass(0.51);
    await expect.poll(() => count('http-status'), patience).toBe(2);
  });

  test('are cleared at shutdown', async () => {
    const { api } = await obedient();
    const { keeper, said, stop } = keep(api.url);
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    await stop();
    expect(api.taken.at(-1)?.body.metadata).toEqual({
      labels: { [label]: null },
      annotations: { 'ready.snowgauge.io/confirmed-at': null },
    });
    expect(said.at(-1)).toMatch(/^pod labels cleared /);
  });

  test('are cleared at shutdown within the time limit of a sidecar', async () => {
    let mute = false;
    const api = await serveApi((request, response) => {
      if (!mute) json(200, { metadata: { labels: { [label]: 'true' } } })(request, response);
    });
    const { keeper, said, stop } = keep(api.url, { pace: { last: deadlines.last } });
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    mute = true;
    await stop();
    expect(said.at(-1)).toMatch(/not cleared .*no response within 1200 ms/);
    expect(said.join('\n')).not.toContain('secret-token');
  });

  test('that were never written are not cleared', async () => {
    const api = await serveApi(json(200, { metadata: {} }));
    const { stop } = keep(api.url);
    await stop();
    expect(api.taken.filter(({ body }) => body.metadata.labels[label] === null)).toEqual([]);
  });
});

describe('the wait after consecutive failures', () => {
  test.each([
    { outcome: 'forbidden', seconds: [0.5, 1, 2, 16, 30, 30, 30] },
    { outcome: 'http-status', seconds: [0.5, 1, 2, 16, 30, 30, 30] },
    { outcome: 'tls', seconds: [0.5, 1, 2, 16, 30, 30, 30] },
    { outcome: 'ok', seconds: [0.5, 1, 2, 16, 30, 30, 30] },
    { outcome: 'unreachable', seconds: [0.5, 1, 1, 1, 1, 1, 1] },
    { outcome: 'timeout', seconds: [0.5, 1, 1, 1, 1, 1, 1] },
  ] as const)('of the kind $outcome is $seconds s', ({ outcome, seconds }) => {
    expect([1, 2, 3, 6, 7, 8, 1000].map((failures) => backOff(outcome, failures, 0.5))).toEqual(seconds);
  });

  test('varies by 20%', () => {
    const spread = [backOff('forbidden', 1, 0), backOff('forbidden', 1, 1)].map((seconds) => Number(seconds.toFixed(3)));
    expect(spread).toEqual([0.4, 0.6]);
  });
});

test.each([
  { where: 'outside a pod', env: {}, found: 'invalid' },
  {
    where: 'in a pod',
    env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
    found: 'https://10.0.0.1:443',
  },
  {
    where: 'in a pod with IPv6',
    env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' },
    found: 'https://[fd00::1]:443',
  },
])('the API server $where: $found', async ({ env, found }) => {
  const variables = { SNOWGAUGE_POD_NAME: 'node-0', SNOWGAUGE_POD_NAMESPACE: 'default', SNOWGAUGE_POD_LABELS_ENABLED: 'true' };
  const config = await parseConfig('', variables);
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.errors));
  const errors: ConfigError[] = [];
  const given = podLabelsOf(config.value, env, errors);
  expect(errors.length === 0 ? given?.server : 'invalid').toBe(found);
});
