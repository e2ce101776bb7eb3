// What a server does under a web configuration: the same files and clients as a real Prometheus, where one is there.

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
const strangers: ConnectionOptions = { cert: pem('server.crt'), key: pem('server.key') };

type Ask = Parameters<typeof ask>[1];

/** What becomes of a client: its status, `refused`, or what else is asked of the answer. */
const rows: readonly (readonly [title: string, yaml: string, ask: Ask, becomes: unknown])[] = [
  ['TLS', tls(), {}, 200],
  ['TLS 1.1', tls(), { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, 'refused'],
  [
    'TLS 1.1, where that is wanted',
    tls('min_version: TLS10'),
    { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    200,
  ],
  ['TLS 1.2, where 1.3 is wanted', tls('min_version: TLS13'), { maxVersion: 'TLSv1.2' }, 'refused'],
  ['TLS 1.3, where 1.2 is the most', tls('max_version: TLS12'), { minVersion: 'TLSv1.3' }, 'refused'],
  [
    'a cipher suite that is not in the list',
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
    'refused',
  ],
  ['a cipher suite that is', tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'), { maxVersion: 'TLSv1.2' }, 200],
  [
    'TLS 1.3, whatever is in the list',
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    { minVersion: 'TLSv1.3' },
    200,
  ],
  ['a curve that is not in the list', tls('curve_preferences: [CurveP384]'), { ecdhCurve: 'P-521' }, 'refused'],
  ['no certificate, where one must be verified', clients('RequireAndVerifyClientCert'), {}, 'refused'],
  ['a certificate that is verified', clients('RequireAndVerifyClientCert'), client, 200],
  ['one that is for servers', clients('RequireAndVerifyClientCert'), strangers, 'refused'],
  ['no certificate, where any must be', clients('RequireAnyClientCert'), {}, 'refused'],
  ['any certificate, where that is enough', clients('RequireAnyClientCert'), strangers, 200],
  ['no certificate, where one may be', clients('VerifyClientCertIfGiven'), {}, 200],
  ['a wrong certificate, where one may be', clients('VerifyClientCertIfGiven'), strangers, 'refused'],
  ['a wrong certificate, where nobody looks', clients('RequestClientCert'), strangers, 200],
  ['a name that is allowed', clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [client.invalid]'), client, 200],
  ['a name that is not', clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [other.invalid]'), client, 'refused'],
  ['an address as a name', clients('RequireAnyClientCert', '\n  client_allowed_sans: [127.0.0.1]'), strangers, 200],
  ['a user without a password', tls() + users, {}, 401],
  ['a user with the wrong one', tls() + users, { auth: 'prometheus:wrong' }, 401],
  ['another user with the right one', tls() + users, { auth: 'other:s3cret' }, 401],
  ['a user with the right one', tls() + users, { auth: 'prometheus:s3cret' }, 200],
];

const becomes = (url: string, options: Ask): Promise<unknown> =>
  ask(url, options).then(
    ({ status }) => status,
    () => 'refused',
  );

test('the connection that was used longest ago makes room for a new one, also where both speak TLS', async () => {
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

test('a handshake waits for its turn, as answers do', async () => {
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

test('a handshake that never begins holds no stop up', async () => {
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

describe('a client that is not served', () => {
  const verified = clients('RequireAndVerifyClientCert', '\n  client_allowed_sans: [other.invalid]');
  test.each([
    ['without a certificate', {}, 'no client certificate'],
    ['with a certificate of servers', strangers, 'client certificate not trusted (INVALID_PURPOSE)'],
    ['with another name', client, 'client certificate has none of client_allowed_sans'],
    ['of plain HTTP', 'http', 'http, and this port needs https'],
  ] as const)('%s gets no response, and is logged once', async (_, options, reason) => {
    const { url, warnings } = await serveWeb(verified);
    const connect = () => (options === 'http' ? fetch(url.replace('https:', 'http:')) : ask(url, options));
    for (let times = 0; times < 2; times += 1) await expect(connect()).rejects.toThrow();
    await expect.poll(warnings).toEqual([[{ address: '127.0.0.1', reason }, 'TLS client disconnected']]);
  });
});

describeWith(['prometheus3'], 'a real Prometheus under the same files', (prometheus) => {
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

describe('/api/v1/sd under a web configuration', () => {
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

  test('says https of what is scraped by TLS', async () => {
    expect(await schemes(tls())).toEqual(['https', 'https']);
  });

  test('says it of each shard', async () => {
    expect(await schemes(tls(), undefined, { ...ofOneNode, shards })).toEqual(['https', 'https', 'https']);
  });

  test('leaves the scheme to the job where there is no TLS', async () => {
    expect(await schemes(users, 'prometheus:s3cret')).toEqual([undefined, undefined]);
  });
});

test('a client of TLS 1.2 has no other handshake in its connection', async () => {
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
