// Every key of a web configuration, accepted and rejected as by promtool, which checks the same files.

import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cipherSuites, curves } from '../../../src/server/web/go-names.ts';
import { temporaryFolder } from '../../support/events.ts';
import { describeWith } from '../../support/tools.ts';
import { errorsOf, hash, pem, serverPair, tlsFile } from '../../support/web-config.ts';

const tls = (more = ''): string => `tls_server_config:\n  ${serverPair}\n  ${more}\n`;
const inline = (name: string): string => pem(name).trimEnd().replaceAll('\n', '\n    ');

const good: Readonly<Record<string, string>> = {
  nothing: '',
  'a certificate and its key': tls(),
  'certificate, key and client CA inline': `tls_server_config:\n  cert: |\n    ${inline('server.crt')}\n  key: |\n    ${inline('server.key')}\n  client_ca: |\n    ${inline('ca.crt')}\n  client_auth_type: RequireAndVerifyClientCert\n`,
  ...Object.fromEntries(
    ['NoClientCert', 'RequestClientCert', 'RequireAnyClientCert', 'RequireClientCert', 'VerifyClientCertIfGiven'].map((type) => [
      `client_auth_type ${type}`,
      tls(`client_auth_type: ${type}`),
    ]),
  ),
  'an empty client_auth_type': tls('client_auth_type: ""'),
  'only empty texts':
    'tls_server_config: { cert: "", cert_file: "", key: "", key_file: "", client_ca: "", client_ca_file: "", client_auth_type: "" }\n',
  'a client CA': tls(`client_ca_file: ${tlsFile('ca.crt')}\n  client_auth_type: RequireAndVerifyClientCert`),
  'the self-signed certificate of a single client': tls(
    `client_ca_file: ${tlsFile('own.crt')}\n  client_auth_type: RequireAndVerifyClientCert`,
  ),
  'an intermediate client CA that verifies no client': tls(
    `client_ca_file: ${tlsFile('issuing.crt')}\n  client_auth_type: RequireAnyClientCert`,
  ),
  'allowed client SANs': tls('client_allowed_sans: [client.invalid, 10.0.0.1]\n  client_auth_type: RequireAnyClientCert'),
  'every cipher suite': tls(`cipher_suites: [${Object.keys(cipherSuites)}]`),
  'a cipher suite without http2': `${tls('cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]')}http_server_config: { http2: false }\n`,
  'every curve': tls(`curve_preferences: [${Object.keys(curves)}]`),
  'TLS versions': tls('min_version: TLS10\n  max_version: TLS13\n  prefer_server_cipher_suites: false'),
  headers: `http_server_config:
  headers:
    Strict-Transport-Security: max-age=600
    X-Content-Type-Options: nosniff
    X-Frame-Options: deny
    X-XSS-Protection: "1"
    Content-Security-Policy: default-src 'self'
`,
  'users without TLS': `basic_auth_users: { a: "${hash}", b: "${hash.replace('$2b$', '$2y$')}", c: "${hash.replace('$2b$', '$2a$')}" }\n`,
  'a rate limit': 'rate_limit: { interval: 100ms, burst: 20 }\n',
  'a rate limit that is off': 'rate_limit: { interval: 0s }\n',
};

/** Each with a part of the expected error. */
const bad: Readonly<Record<string, readonly [yaml: string, said: string]>> = {
  'an unknown key': ['tls_config: {}\n', 'tls_config: unknown key'],
  'an unknown key of tls_server_config': [tls('cert_path: a'), 'cert_path: unknown key'],
  'a duplicate key': [`${tls()}${tls()}`, 'tls_server_config'],
  'no certificate': [`tls_server_config: { key_file: ${tlsFile('server.key')} }\n`, 'needs cert_file or cert'],
  'no key': [`tls_server_config: { cert_file: ${tlsFile('server.crt')} }\n`, 'needs key_file or key'],
  'an empty certificate': [`tls_server_config: { cert_file: "", key_file: ${tlsFile('server.key')} }\n`, 'needs cert_file'],
  'a missing certificate file': [
    `tls_server_config: { cert_file: not.there, key_file: ${tlsFile('server.key')} }\n`,
    'not.there: there is no such file',
  ],
  'the key of another certificate': [
    `tls_server_config: { cert_file: ${tlsFile('server.crt')}, key_file: ${tlsFile('client.key')} }\n`,
    'certificate and key cannot be used',
  ],
  'certificate and key in the place of each other': [
    `tls_server_config: { cert_file: ${tlsFile('server.key')}, key_file: ${tlsFile('server.crt')} }\n`,
    'tls_server_config.cert_file: holds no certificate in PEM',
  ],
  'a certificate in the place of the key': [
    `tls_server_config: { cert_file: ${tlsFile('server.crt')}, key_file: ${tlsFile('server.crt')} }\n`,
    'tls_server_config.key_file: holds no private key in PEM',
  ],
  'a missing client CA file': [
    tls('client_ca_file: not.there\n  client_auth_type: RequireAndVerifyClientCert'),
    'not.there: there is no such file',
  ],
  'a client CA without client_auth_type': [tls(`client_ca_file: ${tlsFile('ca.crt')}`), 'write RequireAndVerifyClientCert'],
  'a client CA with an empty client_auth_type': [
    tls(`client_ca_file: ${tlsFile('ca.crt')}\n  client_auth_type: ""`),
    'write RequireAndVerifyClientCert',
  ],
  'an unknown client_auth_type': [tls('client_auth_type: Require'), 'client_auth_type: "Require" must be one of'],
  'an unknown cipher suite': [tls('cipher_suites: [TLS_RSA_WITH_3DES_EDE_CBC_SHA]'), 'must be one of TLS_AES_128_GCM_SHA256'],
  'an unknown curve': [tls('curve_preferences: [X448]'), 'must be one of CurveP256'],
  'an unknown TLS version': [tls('min_version: TLS14'), 'must be one of TLS10'],
  'a header that is not allowed': ['http_server_config: { headers: { Server: me } }\n', 'Server: unknown key'],
  'an invalid value of a header': ['http_server_config: { headers: { X-Frame-Options: allow } }\n', 'must be one of deny'],
  'a password instead of its hash': ['basic_auth_users: { a: hunter2 }\n', 'is not a bcrypt hash: write what `htpasswd'],
  'http2 that is not a boolean': ['http_server_config: { http2: maybe }\n', 'http2'],
  'an interval that is not a duration': ['rate_limit: { interval: often }\n', 'is not a duration'],
};

test.each(Object.entries(good))('accepts %s', async (_, text) => {
  expect(await errorsOf(text)).toEqual([]);
});

test.each(Object.entries(bad))('rejects %s, with an error that names the file', async (_, [text, said]) => {
  const errors = (await errorsOf(text)).join('\n');
  expect(errors).toMatch(/^web\.yml/);
  expect(errors).toContain(said);
  expect(errors).not.toContain('hunter2');
});

/** What exporter-toolkit accepts although it fails later, rejects every request, or is ambiguous. */
const stricter: readonly (readonly [title: string, yaml: string, said: string])[] = [
  ['cipher suites that HTTP/2 does not allow', tls('cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]'), 'HTTP/2 requires'],
  ['min_version above max_version', tls('min_version: TLS13\n  max_version: TLS12'), 'is above max_version'],
  [
    'a value of a header with a line break',
    'http_server_config: { headers: { X-XSS-Protection: "1\\n2" } }\n',
    'is not a header value: one line of at most 8192 characters',
  ],
  ['a hash without a letter', `basic_auth_users: { a: "${hash.replace('$2b$', '$2$')}" }\n`, 'is not a bcrypt hash'],
  ['a rate limit without a burst', 'rate_limit: { interval: 1s }\n', 'rejects every request'],
  [
    'a client CA file without a certificate',
    tls(`client_ca_file: ${tlsFile('client.key')}\n  client_auth_type: RequireAndVerifyClientCert`),
    'tls_server_config.client_ca_file: holds no certificate in PEM: no client could connect',
  ],
  [
    'a client CA file with only an intermediate authority',
    tls(`client_ca_file: ${tlsFile('issuing.crt')}\n  client_auth_type: RequireAndVerifyClientCert`),
    'tls_server_config.client_ca_file: holds no self-signed certificate, so no client certificate could be verified: append the issuers',
  ],
  [
    'an empty list of client SANs',
    tls('client_allowed_sans: []\n  client_auth_type: RequireAnyClientCert'),
    'client_allowed_sans: must have at least 1 entry',
  ],
  // Later releases of exporter-toolkit reject these two as well.
  [
    'client SANs without client_auth_type',
    tls('client_allowed_sans: [client.invalid]'),
    'client_allowed_sans: lets in clients without a certificate: set client_auth_type to RequireAndVerifyClientCert',
  ],
  [
    'client SANs with an optional client certificate',
    tls('client_allowed_sans: [client.invalid]\n  client_auth_type: VerifyClientCertIfGiven'),
    'client_allowed_sans: lets in clients without a certificate',
  ],
  ['a key without a value', 'basic_auth_users:\n', 'basic_auth_users: has no value'],
  ['yes instead of true', 'http_server_config: { http2: yes }\n', '"yes" must be true or false'],
  ['a merge key', 'http_server_config: { <<: { http2: true } }\n', 'unknown key'],
  ['a second document', '---\nbasic_auth_users: {}\n---\nrate_limit: {}\n', 'a second document begins here'],
];

test.each(stricter)('rejects %s', async (_, text, said) => {
  expect((await errorsOf(text)).join('\n')).toContain(said);
});

describeWith(['promtool3'], 'promtool', (promtool) => {
  const verdict = async (text: string): Promise<boolean> => {
    const file = join(await temporaryFolder(), 'web.yml');
    await writeFile(file, text);
    return spawnSync(promtool, ['check', 'web-config', file]).status === 0;
  };
  test.each(Object.entries(good))('accepts %s too', async (_, text) => {
    expect(await verdict(text)).toBe(true);
  });
  test.each(Object.entries(bad))('rejects %s too', async (_, [text]) => {
    expect(await verdict(text)).toBe(false);
  });
  test.each(stricter)('accepts %s', async (_, text) => {
    expect(await verdict(text)).toBe(true);
  });
});
