// All errors in a client's options, found before any request.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ClientOptions, checkClientOptions } from '../../src/client/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'snowgauge-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const ca = readFileSync(tls('ca.crt'), 'utf8');

const sound: ClientOptions = {
  baseUrl: 'https://127.0.0.1:9650/a',
  timeoutMs: 5000,
  maxBodyBytes: 8388608,
  userAgent: 'snowgauge/0',
};
const token = file('token', 'abc\n');
const missing = join(folder, 'missing');

interface Row {
  readonly options: string;
  readonly with: Partial<ClientOptions>;
  /** The paths of the errors, in order. */
  readonly at: readonly string[];
  readonly says?: string;
}

test.each<Row>([
  { options: 'valid options', with: {}, at: [] },
  {
    options: 'valid options with every file',
    with: {
      tls: { caFile: tls('ca.crt'), certFile: tls('client.crt'), keyFile: tls('client.key') },
      authorization: { type: 'Bearer', credentialsFile: token },
      headers: { host: 'localhost', 'x-a': 'b' },
    },
    at: [],
  },
  {
    options: 'certificate and key in the place of each other',
    with: { tls: { certFile: tls('client.key'), keyFile: tls('client.crt') } },
    at: ['tls'],
    says: 'certFile holds no certificate in PEM',
  },
  {
    options: 'a key in the place of the CA',
    with: { tls: { caFile: tls('client.key') } },
    at: ['tls'],
    says: 'caFile holds no certificate in PEM',
  },
  {
    options: 'a certificate in the place of the key',
    with: { tls: { certFile: tls('client.crt'), keyFile: tls('client.crt') } },
    at: ['tls'],
    says: 'keyFile holds no private key in PEM',
  },
  { options: 'a base URL that is not a URL', with: { baseUrl: '127.0.0.1:9650' }, at: ['baseUrl'] },
  { options: 'a base URL of another scheme', with: { baseUrl: 'ftp://a' }, at: ['baseUrl'] },
  { options: 'a base URL with a password', with: { baseUrl: 'http://u:p4ss@a' }, at: ['baseUrl'], says: 'credentialsFile' },
  { options: 'a base URL with a query', with: { baseUrl: 'http://a?b' }, at: ['baseUrl'] },
  { options: 'a header that frames the message', with: { headers: { 'Content-Length': '1' } }, at: ['headers.Content-Length'] },
  { options: 'a header that cannot be sent', with: { headers: { 'a b': '1', c: 'p4ss\n' } }, at: ['headers.a b', 'headers.c'] },
  {
    options: 'credentials in the headers',
    with: { headers: { Authorization: 'Bearer p4ss' } },
    at: ['headers.Authorization'],
    says: 'credentialsFile',
  },
  {
    options: 'a missing credentials file',
    with: { authorization: { type: 'Bearer', credentialsFile: missing } },
    at: ['authorization.credentialsFile'],
    says: `${missing}: there is no such file`,
  },
  {
    options: 'Basic credentials without user and password',
    with: { authorization: { type: 'Basic', credentialsFile: token } },
    at: ['authorization.credentialsFile'],
    says: 'user:password',
  },
  { options: 'a folder instead of a file', with: { tls: { caFile: folder } }, at: ['tls.caFile'], says: 'is not a file' },
  { options: 'a certificate without its key', with: { tls: { certFile: tls('client.crt') } }, at: ['tls'] },
  {
    options: 'a key of another certificate',
    with: { tls: { certFile: tls('client.crt'), keyFile: tls('server.key') } },
    at: ['tls'],
  },
  ...[
    { damage: 'without line breaks', content: ca.replaceAll('\n', ' ') },
    { damage: 'with escaped line breaks', content: ca.replaceAll('\n', '\\n') },
    { damage: 'without its end', content: ca.slice(0, 300) },
  ].map(({ damage, content }) => ({
    options: `a CA file ${damage}`,
    with: { tls: { caFile: file(`${damage}.crt`, content) } },
    at: ['tls'],
    says: 'the first certificate of caFile cannot be read',
  })),
  {
    options: 'a CA file with Windows line breaks after a key and a comment',
    with: { tls: { caFile: file('windows.crt', `# ours\n${readFileSync(tls('client.key'))}${ca}`.replaceAll('\n', '\r\n')) } },
    at: [],
  },
  { options: 'a CA file without certificates', with: { tls: { caFile: token } }, at: ['tls'], says: 'no certificate' },
  {
    options: 'two missing files',
    with: { tls: { certFile: missing, keyFile: missing } },
    at: ['tls.certFile', 'tls.keyFile'],
    says: 'there is no such file',
  },
])('$options: errors at $at', ({ with: some, at, says = '' }) => {
  const errors = checkClientOptions({ ...sound, ...some });
  expect(errors.map(({ path }) => path)).toEqual(at);
  for (const { message } of errors) expect(message).toContain(says);
  expect(JSON.stringify(errors)).not.toContain('p4ss');
});
