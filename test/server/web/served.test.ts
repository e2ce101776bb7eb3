// How a server with a web configuration treats clients. A real Prometheus, if installed, gets the same files and clients.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startChild } from '../../../src/drills/child.ts';
import type { FleetShards } from '../../../src/server/shards.ts';
import { newTarget } from '../../../src/sources/target-state.ts';
import { drawn } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/events.ts';
import type { Given } from '../../support/exporter-server.ts';
import { targetOptions, targetsOf } from '../../support/snapshot.ts';
import { describeWith } from '../../support/tools.ts';
import { ask, client, hash, pem, serverPair, serveWeb, tlsFile } from '../../support/web-config.ts';

const tls = (more = ''): string => `tls_server_config:\n  ${serverPair}\n  ${more}\n`;
const clients = (type: string, more = ''): string =>
  tls(`client_ca_file: ${tlsFile('ca.crt')}\n  client_auth_type: ${type}${more}`);
const users = `basic_auth_users: { prometheus: "${hash}" }\n`;
const chain = [...`${pem('issuing.crt')}${pem('root.crt')}`.matchAll(/.+/g)].map(([line]) => `    ${line}\n`).join('');
const strangers: ConnectionOptions = { cert: pem('server.crt'), key: pem('server.key') };

type Ask = Parameters<typeof ask>[1];

/** The expected result for a client: the status of its response, or `refused`. */
const rows: readonly (readonly [title: string, yaml: string, ask: Ask, becomes: unknown])[] = [
  ['serves a TLS client', tls(), {}, 200],
  [
    'refuses TLS 1.1 by default',
    tls(),
    { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    'refused',
  ],
  [
    'serves TLS 1.1 if min_version is TLS10',
    tls('min_version: TLS10'),
    { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    200,
  ],
  ['refuses TLS 1.2 if min_version is TLS13', tls('min_version: TLS13'), { maxVersion: 'TLSv1.2' }, 'refused'],
  ['refuses TLS 1.3 if max_version is TLS12', tls('max_version: TLS12'), { minVersion: 'TLSv1.3' }, 'refused'],
  [
    'refuses a cipher suite that is not in cipher_suites',
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
    'refused',
  ],
  [
    'serves a cipher suite of cipher_suites',
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    { maxVersion: 'TLSv1.2' },
    200,
  ],
  [
    'serves TLS 1.3, whatever cipher_suites lists',
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    { minVersion: 'TLSv1.3' },
    200,
  ],
  ['refuses a curve that is not in curve_preferences', tls('curve_preferences: [CurveP384]'), { ecdhCurve: 'P-521' }, 'refused'],
  ['an empty client_auth_type serves a client without a certificate', tls('client_auth_type: ""'), {}, 200],
  ['RequireAndVerifyClientCert refuses a client without a certificate', clients('RequireAndVerifyClientCert'), {}, 'refused'],
  ['RequireAndVerifyClientCert serves a trusted certificate', clients('RequireAndVerifyClientCert'), client, 200],
  [
    'RequireAndVerifyClientCert serves a certificate of an intermediate authority',
    tls(`client_auth_type: RequireAndVerifyClientCert\n  client_ca: |\n${chain}`),
    { cert: pem('issued.crt'), key: pem('issued.key') },
    200,
  ],
  ['RequireAndVerifyClientCert refuses a server certificate', clients('RequireAndVerifyClientCert'), strangers, 'refused'],
  ['RequireAnyClientCert refuses a client without a certificate', clients('RequireAnyClientCert'), {}, 'refused'],
  ['RequireAnyClientCert serves any certificate', clients('RequireAnyClientCert'), strangers, 200],
  ['VerifyClientCertIfGiven serves a client without a certificate', clients('VerifyClientCertIfGiven'), {}, 200],
  ['VerifyClientCertIfGiven refuses an untrusted certificate', clients('VerifyClientCertIfGiven'), strangers, 'refused'],
  ['RequestClientCert serves an untrusted certificate', clients('RequestClientCert'), strangers, 200],
  [
    'serves a certificate with a SAN of client_allowed_sans',
    clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [client.invalid]'),
    client,
    200,
  ],
  [
    'refuses a certificate without a SAN of client_allowed_sans',
    clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [other.invalid]'),
    client,
    'refused',
  ],
  [
    'client_allowed_sans matches an IP address',
    clients('RequireAnyClientCert', '\n  client_allowed_sans: [127.0.0.1]'),
    strangers,
    200,
  ],
  ['basic auth: a request without credentials is 401', tls() + users, {}, 401],
  ['basic auth: a wrong password is 401', tls() + users, { auth: 'prometheus:wrong' }, 401],
  ['basic auth: an unknown user with the right password is 401', tls() + users, { auth: 'other:s3cret' }, 401],
  ['basic auth: the right password is 200', tls() + users, { auth: 'prometheus:s3cret' }, 200],
];

const becomes = (url: string, options: Ask): Promise<unknown> =>
  ask(url, options).then(
    ({ status }) => status,
    () => 'refused',
  );

test('a new TLS connection above the limit closes the least recently used one', async () => {
  const { url } = await serveWeb(tls(), { maxTlsConnections: 2 });
  const [first, second, third] = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, ca: pem('ca.crt') }));
  onTestFinished(() => {
    for (const agent of [first, second, third]) agent?.destroy();
  });
  const port = async (agent: Agent | undefined) => (await ask(url, {}, '/metrics', agent ?? false)).localPort;
  const before = [await port(first), await port(second)];
  expect(await port(first)).toBe(before[0]);
  await port(third);
  expect(await port(first)).toBe(before[0]);
});

test('a handshake waits while new connections arrive, as responses do', async () => {
  let asked = 0;
  const count = () => {
    asked += 1;
    return 0;
  };
  const { port } = await serveWeb(tls(), {}, { came: () => undefined, count });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await expect.poll(() => asked).toBeGreaterThan(0);
});

test('a TCP connection that never starts its handshake does not delay the stop', async () => {
  const { port, close } = await serveWeb(tls(), { drainMs: 0, graceMs: 50, handshakeMs: 3_000_000 });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  await close();
});

describe('the exporter', () => {
  test.each(rows)('%s', async (_, yaml, options, wanted) => {
    const { url } = await serveWeb(yaml);
    expect(await becomes(url, options)).toBe(wanted);
  });
});

describe('a rejected client', () => {
  const verified = clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [other.invalid]');
  test.each([
    ['without a certificate', {}, 'no client certificate'],
    ['with a server certificate', strangers, 'client certificate not trusted (INVALID_PURPOSE)'],
    ['whose SANs are not allowed', client, 'client certificate has none of client_allowed_sans'],
    ['that sends plain HTTP', 'http', 'plain HTTP on the TLS port: use https://'],
  ] as const)('%s gets no response, and is logged once', async (_, options, reason) => {
    const { url, warnings } = await serveWeb(verified);
    const connect = () => (options === 'http' ? fetch(url.replace('https:', 'http:')) : ask(url, options));
    for (let times = 0; times < 2; times += 1) await expect(connect()).rejects.toThrow();
    await expect.poll(warnings).toEqual([[{ address: '127.0.0.1', reason }, 'client rejected']]);
  });
});

describeWith(['prometheus3'], 'a real Prometheus with the same files', (prometheus) => {
  test.each(drawn(rows))('%s', async (_, yaml, options, wanted) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'web.yml'), yaml);
    await writeFile(join(folder, 'prometheus.yml'), '');
    const child = startChild('Prometheus', prometheus, [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.config.file=${join(folder, 'web.yml')}`,
      '--web.listen-address=127.0.0.1:0',
    ]);
    onTestFinished(child.stop);
    expect(await becomes(`https://127.0.0.1:${await child.port}`, options)).toBe(wanted);
  });
});

describe('/api/v1/sd with a web configuration', () => {
  const ofOneNode = { targets: targetsOf(newTarget(targetOptions({ name: 'a' }))), externalAddress: '10.1.2.3:9652' };
  const shards = (): FleetShards => ({
    ...{ shard: 0, total: 2, settled: 2, addressOf: (shard) => `gauge-${shard}:9652`, ownerOf: () => 1 },
    targets: [{ name: 'a', labels: {} }],
  });
  const schemes = async (yaml: string, auth?: string, given: Given = ofOneNode): Promise<readonly unknown[]> => {
    const { url } = await serveWeb(yaml, {}, undefined, given);
    const body = url.startsWith('https:')
      ? (await ask(url, { ...(auth && { auth }) }, '/api/v1/sd')).body
      : await (await fetch(`${url}/api/v1/sd`, { headers: { authorization: `Basic ${btoa(auth ?? '')}` } })).text();
    return JSON.parse(body).map(
      ({ labels }: { readonly labels: object }) => Object.entries(labels).find(([name]) => name === '__scheme__')?.[1],
    );
  };

  test('has __scheme__ https with TLS', async () => {
    expect(await schemes(tls())).toEqual(['https', 'https']);
  });

  test('has __scheme__ https for each shard', async () => {
    expect(await schemes(tls(), undefined, { ...ofOneNode, shards })).toEqual(['https', 'https', 'https']);
  });

  test('has no __scheme__ without TLS, so that the scrape job sets it', async () => {
    expect(await schemes(users, 'prometheus:s3cret')).toEqual([undefined, undefined]);
  });
});

test('a TLS 1.2 client cannot renegotiate', async () => {
  const { port } = await serveWeb(clients('RequestClientCert'));
  const socket = connectTls({ port, host: '127.0.0.1', ca: pem('ca.crt'), maxVersion: 'TLSv1.2', servername: 'localhost' });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  socket.renegotiate({}, () => undefined);
  const [error] = await once(
    socket.on('error', () => undefined),
    'error',
  );
  expect(error).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
});
