// A web configuration whose files change while the server runs.

import { copyFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { extname, join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { loadWeb } from '../../../src/server/web/web.ts';
import { temporaryFolder } from '../../support/events.ts';
import { listening } from '../../support/serve.ts';
import { ask, client, hash, pem, serverPair, serveWeb, tlsFile } from '../../support/web-config.ts';

const patience = { timeout: 280_000 };

const tls = `tls_server_config:\n  ${serverPair}\n`;
/** Atomically: on a slow machine, the server could read a truncated file and log it as invalid. */
const replace = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

const status = async (url: string, auth?: string): Promise<number> => (await ask(url, auth === undefined ? {} : { auth })).status;

/** The name in the certificate of a server. */
const subjectAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(`${socket.getPeerCertificate().subject.CN}`);
      socket.destroy();
    });
    socket.on('error', reject);
  });

test('added and removed users take effect without a restart', async () => {
  const { url, file } = await serveWeb(tls);
  expect(await status(url)).toBe(200);
  await replace(file, `${tls}basic_auth_users: { a: "${hash}" }\n`);
  await expect.poll(() => status(url), patience).toBe(401);
  expect(await status(url, 'a:s3cret')).toBe(200);
  await replace(file, `${tls}basic_auth_users: { b: "${hash}" }\n`);
  await expect.poll(() => status(url, 'b:s3cret'), patience).toBe(200);
  expect(await status(url, 'a:s3cret')).toBe(401);
});

test('an invalid file keeps the previous configuration, and its error is logged once', async () => {
  const { url, file, errors } = await serveWeb(`${tls}basic_auth_users: { a: "${hash}" }\n`);
  await replace(file, `${tls}basic_auth_user: {}\n`);
  await expect.poll(() => errors().length, patience).toBe(1);
  expect(errors()[0]).toContain('basic_auth_user: unknown key');
  expect(await status(url)).toBe(401);
  // Falling back to plain HTTP would be a mistake of the operator.
  await replace(file, `basic_auth_users: { a: "${hash}" }\n`);
  await expect.poll(() => errors().length, patience).toBe(2);
  expect(errors()[1]).toContain('client certificates, requires a restart');
  expect(await status(url)).toBe(401);
  // So many users would not fit into a small heap.
  const users = Array.from({ length: 15_000 }, (_, at) => `  user-${at}: "${hash}"\n`);
  await replace(file, `${tls}basic_auth_users:\n${users.join('')}`);
  await expect.poll(() => errors().length, patience).toBe(3);
  expect(errors()[2]).toContain('is larger than 1 MiB');
  expect(await status(url)).toBe(401);
});

test('the next connection gets the new certificate, and an unusable pair keeps the previous one', async () => {
  const folder = await temporaryFolder();
  const put = async (name: string): Promise<void> => {
    await copyFile(tlsFile(`${name}.key`), join(folder, 'tls.key'));
    await copyFile(tlsFile(`${name}.crt`), join(folder, 'tls.crt'));
  };
  await put('server');
  const { port, errors, infos } = await serveWeb(
    `tls_server_config: { cert_file: ${join(folder, 'tls.crt')}, key_file: ${join(folder, 'tls.key')} }\n`,
  );
  expect(await subjectAt(port)).toBe('localhost');
  expect(infos()).toEqual([]);
  await put('wrong-name');
  expect(await subjectAt(port)).toBe('elsewhere');
  await copyFile(tlsFile('server.key'), join(folder, 'tls.key'));
  expect([await subjectAt(port), await subjectAt(port)]).toEqual(['elsewhere', 'elsewhere']);
  expect(infos()).toEqual(['certificates reloaded']);
  expect(errors()).toHaveLength(1);
  expect(errors()[0]).toContain('certificate and key cannot be used');
});

test('a certificate that is replaced while the configuration is loaded or reloaded is used for the next connection', async () => {
  let reads = 0;
  const text = 'tls_server_config: { cert_file: tls.crt, key_file: tls.key }\n';
  const loaded = await loadWeb({
    file: '/web.yml',
    text,
    read: (file) => {
      reads += 1;
      return { kind: 'ok', text: pem(`${reads <= 2 ? 'server' : 'wrong-name'}${extname(file)}`) };
    },
    now: () => 0,
    ...{ refused: () => undefined, renewed: () => undefined, disconnected: () => undefined },
  });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  const server = createServer({ ...loaded.value.tls });
  loaded.value.guard(server);
  const { port, close } = await listening(server, 'https');
  onTestFinished(close);
  expect(await subjectAt(port)).toBe('elsewhere');
  reads = 0;
  expect(await loaded.value.reload(text)).toEqual([]);
  expect(await subjectAt(port)).toBe('elsewhere');
});

test('after the client CA is replaced, client certificates of the old CA are rejected', async () => {
  const authority = join(await temporaryFolder(), 'ca.crt');
  await copyFile(tlsFile('ca.crt'), authority);
  const { url } = await serveWeb(`${tls}  client_ca_file: ${authority}\n  client_auth_type: RequireAndVerifyClientCert\n`);
  expect((await ask(url, client)).status).toBe(200);
  await writeFile(authority, pem('other-ca.crt'));
  await expect(ask(url, client)).rejects.toThrow();
});
