// `snowgauge run --web.config.file` as a process: what each of its two ports serves to whom.

import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { prepare } from '../../src/commands/prepare.ts';
import { standBy } from '../../src/commands/standby.ts';
import { openWeb } from '../../src/commands/web-config.ts';
import type { ConfigText } from '../../src/config/load.ts';
import { silentLog } from '../../src/log.ts';
import { typed } from '../support/command.ts';
import { temporaryFolder } from '../support/events.ts';
import { patience, startRun } from '../support/run-process.ts';
import { closedPort } from '../support/serve.ts';
import { ask, client, hash, pem, serverPair, tlsFile } from '../support/web-config.ts';

const files = async (web: string): Promise<{ readonly config: string; readonly web: string; readonly probes: string }> => {
  const folder = await temporaryFolder();
  const port = await closedPort();
  const [config, file] = [join(folder, 'snowgauge.yaml'), join(folder, 'web.yml')];
  await writeFile(config, `probes: { port: ${port} }\ntargets: [{ name: a, url: "http://127.0.0.1:9", indexes: [] }]\n`);
  await writeFile(file, web);
  return { config, web: file, probes: `http://127.0.0.1:${port}` };
};

const good = `tls_server_config:
  ${serverPair}
  client_ca_file: ${tlsFile('ca.crt')}
  client_auth_type: RequireAndVerifyClientCert
basic_auth_users: { prometheus: "${hash}" }
`;

test('the main port requires certificate and password; the probe port serves plain probes only', async () => {
  const { config, web, probes } = await files(good);
  const { url, lines } = await startRun(config, { SNOWGAUGE_WEB_CONFIG_FILE: web });
  expect(url).toMatch(/^https:/);
  for (const path of ['/metrics', '/', '/api/v1/status', '/api/v1/history', '/livez', '/self/readyz']) {
    await expect(ask(url, {}, path), path).rejects.toThrow();
    expect((await ask(url, client, path)).status, path).toBe(401);
    expect((await ask(url, { ...client, auth: 'prometheus:s3cret' }, path)).status, path).not.toBe(401);
  }
  expect((await fetch(`${probes}/livez`)).status).toBe(200);
  expect((await fetch(`${probes}/self/readyz`)).status).toBe(503);
  for (const path of ['/metrics', '/', '/api/v1/status', '/probe?target=127.0.0.1:9'])
    expect((await fetch(probes + path)).status, path).toBe(404);
  expect(lines().join('\n')).not.toContain(hash);
});

test('an invalid web configuration exits with 2 and prints each error with its line', async () => {
  const { config, web } = await files('tls_server_config: { cert_file: a }\nbasic_auth_users: { a: hunter2 }\n');
  const { code, stderr } = await typed(['run', '--config', config, '--listen', '127.0.0.1:0', '--web.config.file', web]);
  expect(code).toBe(2);
  expect(stderr.replaceAll(web, 'web.yml').split('\n')).toEqual([
    expect.stringContaining('--web.config.file: web.yml:1: tls_server_config: needs key_file or key'),
    expect.stringContaining('--web.config.file: web.yml:2: basic_auth_users.a: is not a bcrypt hash'),
    '',
  ]);
  expect(stderr).not.toContain('hunter2');
});

test('--stay with an invalid web configuration serves only probe paths until it is fixed', async () => {
  const { config, web } = await files('tls_server_config: { cert_file: a }\n');
  const run = await startRun(config, { SNOWGAUGE_WEB_CONFIG_FILE: web, SNOWGAUGE_STAY: 'true' });
  expect((await run.get('/livez')).status).toBe(200);
  expect(await run.get('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('needs key_file or key') });
  expect((await run.get('/metrics')).status).toBe(404);
  await writeFile(web, '# generated\n');
  await expect.poll(async () => (await run.get('/readyz')).body, patience).toContain('is empty: write {} for no protection');
  expect((await run.get('/metrics')).status).toBe(404);
  await writeFile(`${web}.new`, `tls_server_config:\n  ${serverPair}\n`);
  await rename(`${web}.new`, web);
  const urls = (): readonly string[] =>
    [
      ...run
        .lines()
        .join('\n')
        .matchAll(/"url":"(https:[^"]+)"/g),
    ].map(([, found = '']) => found);
  await expect.poll(() => urls().length, patience).toBe(1);
  expect((await ask(urls()[0] ?? '')).status).toBe(200);
});

test('an invalid web configuration or certificate is a failed reload in metrics, API and /readyz', async () => {
  const { config, web, probes } = await files('');
  const [cert, key] = [`${web}.crt`, `${web}.key`];
  const certified = `tls_server_config: { cert_file: ${cert}, key_file: ${key} }\n`;
  const put = async (file: string, text: string): Promise<void> => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await Promise.all([put(cert, pem('server.crt')), put(key, pem('server.key')), put(web, certified)]);
  const { url } = await startRun(config, { SNOWGAUGE_WEB_CONFIG_FILE: web });
  const shown = async () => {
    const body = async (path: string): Promise<string> => (await ask(url, {}, path)).body;
    const successful = /^snowgauge_config_last_reload_successful (\d)$/m.exec(await body('/metrics'))?.[1];
    const errors: readonly string[] = JSON.parse(await body('/api/v1/status')).configuration.reloadFailure?.errors ?? [];
    const verbose = await (await fetch(`${probes}/readyz?verbose`)).text();
    return { successful, errors: errors.join(), isWarned: verbose.includes('[!]configuration') };
  };
  const failed = (said: string) => ({ successful: '0', errors: expect.stringContaining(said), isWarned: true });
  const fine = { successful: '1', errors: '', isWarned: false };
  expect(await shown()).toEqual(fine);
  await put(web, `${certified}basic_auth_user: {}\n`);
  await expect.poll(shown, patience).toEqual(failed('basic_auth_user: unknown key'));
  await put(web, certified);
  await expect.poll(shown, patience).toEqual(fine);
  await put(key, pem('client.key'));
  await expect.poll(shown, patience).toEqual(failed('certificate and key cannot be used'));
  await put(key, pem('server.key'));
  await expect.poll(shown, patience).toEqual(fine);
});

test('a certificate that became invalid before the watch started is reported when it starts', async () => {
  const { web } = await files('');
  const key = `${web}.key`;
  await writeFile(key, pem('server.key'));
  await writeFile(web, `tls_server_config: { cert_file: ${tlsFile('server.crt')}, key_file: ${key} }\n`);
  const opened = await openWeb(web, { now: () => 0, log: silentLog });
  if (opened.kind === 'invalid' || opened.value === undefined) throw new Error('the file is valid');
  const server = createServer();
  opened.value.web.guard(server);
  await writeFile(key, pem('client.key'));
  server.emit('connection');
  const told: (readonly string[])[] = [];
  await opened.value.watch(AbortSignal.abort(), (errors) => told.push(errors));
  expect(told).toEqual([[expect.stringContaining('certificate and key cannot be used')]]);
});

test('a web configuration that is emptied, as while a command writes it, keeps asking for passwords', async () => {
  const { config, web, probes } = await files(`basic_auth_users: { prometheus: "${hash}" }\n`);
  const { url } = await startRun(config, { SNOWGAUGE_WEB_CONFIG_FILE: web });
  const verbose = async (): Promise<string> => (await fetch(`${probes}/readyz?verbose`)).text();
  const status = async (): Promise<number> => (await fetch(`${url}/metrics`)).status;
  await writeFile(web, '# generated\n');
  await expect.poll(verbose, patience).toContain('web.yml: is empty: write {} for no protection');
  expect(await status()).toBe(401);
  await writeFile(`${web}.new`, '{}');
  await rename(`${web}.new`, web);
  await expect.poll(status, patience).toBe(200);
});

test('--stay does not mistake a web configuration that an editor has just emptied for one without TLS', async () => {
  const { config, web } = await files('tls_server_config: { cert_file: a }\n');
  const stop = new AbortController();
  const context: CommandContext = {
    env: {},
    stdout: () => undefined,
    stderr: () => undefined,
    exit: () => undefined,
    signal: stop.signal,
    now: () => Date.now() / 1000,
    version: '0',
    isTerminal: false,
    log: silentLog,
  };
  const options = { config, listen: '127.0.0.1:0', webConfig: web };
  const failed = await prepare(options, context);
  if (failed.kind !== 'invalid') throw new Error('the first is valid');
  const texts = [`tls_server_config:\n  ${serverPair}\n`, ''];
  const readWeb = async (): Promise<ConfigText> => ({ kind: 'ok', text: (texts.length > 1 ? texts.pop() : texts[0]) ?? '' });
  const next = await standBy({ ...options, readWeb }, failed, context);
  stop.abort();
  expect(next.kind === 'ok' && next.served.web?.web.tls).toHaveProperty('cert');
});
