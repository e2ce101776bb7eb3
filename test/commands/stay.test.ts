// `snowgauge run --stay` as a process: with an invalid configuration it stays up, not ready, reports the errors, and starts by
// itself once the configuration is valid.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { drawn } from '../support/cases.ts';
import { freePort } from '../support/free-port.ts';
import { type Mounted, mount } from '../support/mounted.ts';
import { patience } from '../support/run-process.ts';

interface Staying {
  readonly exited: Promise<number | null>;
  readonly exitCode: () => number | null;
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly text: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly get: (path: string, at?: number) => Promise<{ readonly status: number; readonly body: string }>;
  readonly answers: (path: string, status: number, words?: string | RegExp) => Promise<string>;
}

/** Started on a free port, which it keeps once the configuration is valid. */
const start = async (
  file: string | undefined,
  { args = ['--stay'], env = {}, port }: { args?: readonly string[]; env?: Readonly<Record<string, string>>; port?: number } = {},
): Promise<Staying> => {
  const at = port ?? (await freePort());
  const given = [...(file === undefined ? [] : ['--config', file]), ...args];
  const child = spawn(process.execPath, [bundle, 'run', ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, SNOWGAUGE_LISTEN_HOST: '127.0.0.1', SNOWGAUGE_LISTEN_PORT: String(at), ...env },
  });
  // 'close' rather than 'exit': the last output may not have been read at 'exit'.
  const exited = once(child, 'close').then(([code]): number | null => code);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const get: Staying['get'] = async (path, where = at) => {
    const response = await fetch(`http://127.0.0.1:${where}${path}`, { signal: AbortSignal.timeout(280_000) });
    return { status: response.status, body: await response.text() };
  };
  return {
    exited,
    exitCode: () => child.exitCode,
    log: () => text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
    text: () => text,
    signal: (signal) => child.kill(signal),
    get,
    answers: async (path, status, words = '') => {
      const found = { body: '' };
      await expect
        .poll(async () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${text}`);
          const reply = await get(path).catch(() => undefined);
          found.body = reply?.body ?? '';
          return reply?.status === status && new RegExp(words).test(reply.body);
        }, patience)
        .toBe(true);
      return found.body;
    },
  };
};

const nowhere = 'http://127.0.0.1:9';
const good = `targets: [{ name: mine, url: "${nowhere}", timeout: 1s }]\n`;
const mountOf = (text: string): Promise<Mounted> => mount({ 'snowgauge.yaml': text });

/** Checks every response without a valid configuration. */
const saysSo = async (run: Staying, words: string): Promise<void> => {
  expect(await run.answers('/readyz', 503)).toContain(words);
  expect(await run.get('/livez')).toEqual({ status: 200, body: 'ok\n' });
  for (const path of ['/self/startupz', '/self/livez', '/targets/node/startupz', '/targets/any/livez/'])
    expect(await run.get(path), path).toMatchObject({ status: 200, body: expect.stringContaining(words) });
  for (const path of ['/self/readyz', '/self/readyz/my-l1', '/targets/node/readyz', '/targets/node/readyz/my-l1', '/'])
    expect(await run.get(path), path).toMatchObject({ status: 503, body: expect.stringContaining(words) });
  // Service discovery scrapes the second path.
  for (const path of ['/metrics', '/exporter/metrics']) {
    const page = await run.get(path);
    expect(page.status, path).toBe(200);
    expect(page.body).toContain('\nsnowgauge_config_last_reload_successful 0\n');
    expect(page.body).toMatch(/^snowgauge_build_info\{version="[^"]+"\} 1$/m);
    expect(page.body).not.toContain('snowgauge_config_last_reload_success_timestamp_seconds ');
    expect(page.body).not.toContain('snowgauge_up');
  }
};

/** Checks that the same process serves once the configuration is valid. */
const goesOn = async (run: Staying): Promise<void> => {
  await run.answers('/readyz', 200);
  const page = await run.answers('/metrics', 200, /^snowgauge_up\{/m);
  expect(page).toContain('\nsnowgauge_config_last_reload_successful 1\n');
  expect(page).toContain('\nsnowgauge_config_last_reload_success_timestamp_seconds ');
  expect(run.exitCode()).toBeNull();
  run.signal('SIGTERM');
  expect(await run.exited).toBe(0);
};

describe('run --stay with an invalid configuration', () => {
  test.each([
    { error: 'is not YAML', text: 'targets: [', words: 'not YAML' },
    { error: 'has an unknown key', text: `${good}tagets: []\n`, words: 'tagets' },
    { error: 'has an invalid setting', text: 'targets: [{ name: mine, url: "nowhere" }]\n', words: 'is not a URL' },
  ])('that $error reports the error, and starts once it is fixed', async ({ text, words }) => {
    const mounted = await mountOf(text);
    const run = await start(mounted.path('snowgauge.yaml'));
    await saysSo(run, words);
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
  });

  test('does not start with the defaults if the file is emptied, as while a command writes it', async () => {
    const mounted = await mountOf('targets: [');
    const run = await start(mounted.path('snowgauge.yaml'));
    await saysSo(run, 'not YAML');
    await mounted.swap({ 'snowgauge.yaml': '# generated\n---\n' });
    await run.answers('/readyz', 503, 'is empty: write {} for the defaults');
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
  });

  test('waits for a missing file', async () => {
    const mounted = await mount({ other: '' });
    const file = mounted.path('snowgauge.yaml');
    const run = await start(file, { args: [], env: { SNOWGAUGE_STAY: 'true' } });
    await saysSo(run, 'there is no such file');
    await writeFile(file, good);
    await goesOn(run);
  });

  test('waits for a file while a folder is in its place', async () => {
    const mounted = await mount({ other: '' });
    const file = mounted.path('snowgauge.yaml');
    await mkdir(file);
    const run = await start(file);
    await saysSo(run, 'it is a directory');
    await rmdir(file);
    await writeFile(file, good);
    await goesOn(run);
  });

  test('waits for a missing credentials file and starts when it exists, with the configuration unchanged', async () => {
    const mounted = await mountOf('');
    const token = join(mounted.folder, 'token');
    const text = `targets: [{ name: mine, url: "${nowhere}", timeout: 1s, authorization: { credentialsFile: "${token}" } }]\n`;
    await mounted.swap({ 'snowgauge.yaml': text });
    const run = await start(mounted.path('snowgauge.yaml'));
    await saysSo(run, 'credentialsFile');
    await writeFile(token, 'secret\n');
    await goesOn(run);
    expect(run.text()).not.toContain('secret');
    await rm(token);
  });

  test('stays not ready for a missing variable, and exits with 0 on SIGTERM', async () => {
    const mounted = await mountOf(`kubernetes: { podLabels: { enabled: true } }\n${good}`);
    const run = await start(mounted.path('snowgauge.yaml'));
    await saysSo(run, 'SNOWGAUGE_POD_NAME');
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  const starts = drawn([
    { env: { SNOWGAUGE_LOG_LEVEL: 'loud' }, words: 'SNOWGAUGE_LOG_LEVEL: its value must be one of' },
    { env: { SNOWGAUGE_LOG_FORMAT: 'xml' }, words: 'SNOWGAUGE_LOG_FORMAT: its value must be one of' },
    { env: { SNOWGAUGE_STAY: 'yes' }, args: [], words: 'SNOWGAUGE_STAY: must be true or false' },
    { env: {}, args: ['--stay', '--log.level', 'loud'], words: '--log.level: "loud" must be one of' },
  ]);
  test.each(starts)('reports invalid variables and flags ($words) beside the errors of the file', async ({ words, ...given }) => {
    const mounted = await mountOf('tagets: []\n');
    const run = await start(mounted.path('snowgauge.yaml'), given);
    await saysSo(run, words);
    expect(await run.answers('/readyz', 503)).toContain('tagets');
    await mounted.swap({ 'snowgauge.yaml': good });
    // A valid file does not fix it.
    await expect.poll(async () => (await run.get('/readyz')).body, patience).not.toContain('tagets');
    await saysSo(run, words);
    // Logged with the errors of the file and without them, at the default level.
    const lines = run.log().filter(({ errors }) => Array.isArray(errors));
    expect(lines).toHaveLength(2);
    for (const { errors } of lines) expect(String(errors)).toContain(words);
  });

  test('logs all errors in one line, and again only when they change', async () => {
    const mounted = await mountOf('tagets: []\nlissten: {}\n');
    const run = await start(mounted.path('snowgauge.yaml'));
    const errors = () => run.log().flatMap((line) => (Array.isArray(line.errors) ? [line.errors.map(String)] : []));
    await run.answers('/readyz', 503, 'lissten');
    await mounted.swap({ 'snowgauge.yaml': 'tagets: []\nprobess: {}\n' });
    await run.answers('/readyz', 503, 'probess');
    run.signal('SIGHUP');
    // The file is checked every 5 s and found unchanged.
    await expect.poll(() => errors().length, patience).toBe(2);
    const keys = errors().map((sentences) => sentences.map((sentence) => /tagets|lissten|probess/.exec(sentence)?.[0]));
    expect(keys).toEqual([
      ['tagets', 'lissten'],
      ['tagets', 'probess'],
    ]);
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
    expect(errors()).toHaveLength(2);
  });

  test('serves the probe paths on the probe port, and nothing else there', async () => {
    const probes = await freePort();
    const mounted = await mountOf(`probes: { port: ${probes} }\ntagets: []\n`);
    const run = await start(mounted.path('snowgauge.yaml'));
    await run.answers('/readyz', 503);
    expect((await run.get('/self/startupz', probes)).status).toBe(200);
    for (const path of ['/self/readyz', '/self/readyz/my-l1/']) expect((await run.get(path, probes)).status, path).toBe(503);
    expect((await run.get('/metrics', probes)).status).toBe(404);
    await mounted.swap({ 'snowgauge.yaml': `probes: { port: ${probes} }\n${good}` });
    await run.answers('/metrics', 200, 'snowgauge_up');
    expect((await run.get('/livez', probes)).status).toBe(200);
  });

  test('reports --listen with the port of probes, on that port', async () => {
    const port = await freePort();
    const mounted = await mountOf(`probes: { port: ${port} }\n${good}`);
    const args = ['--stay', '--listen', `127.0.0.1:${port}`];
    const run = await start(mounted.path('snowgauge.yaml'), { args, env: { SNOWGAUGE_LISTEN_PORT: '0' }, port });
    await saysSo(run, `--listen: ${port} is also the port of probes: choose another port, or remove probes`);
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
  });

  test('keeps the previous configuration when a valid one becomes invalid later', async () => {
    const mounted = await mountOf(good);
    const run = await start(mounted.path('snowgauge.yaml'));
    await run.answers('/readyz', 200);
    await mounted.swap({ 'snowgauge.yaml': 'tagets: []\n' });
    await run.answers('/metrics', 200, /^snowgauge_config_last_reload_successful 0$/m);
    expect((await run.get('/readyz')).status).toBe(200);
  });
});

describe('run exits with 2', () => {
  test('with --stay, for a port in use, with a valid or an invalid configuration', async () => {
    const taken = createServer().listen({ host: '127.0.0.1', port: 0 });
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    for (const text of [good, 'tagets: []\n']) {
      const mounted = await mountOf(text);
      const run = await start(mounted.path('snowgauge.yaml'), { port });
      expect(await run.exited).toBe(2);
      expect(run.text()).toContain(`port ${port} of 127.0.0.1 is already in use`);
    }
  });

  test('without --stay, for an invalid log level', async () => {
    const mounted = await mountOf(good);
    const run = await start(mounted.path('snowgauge.yaml'), { args: [], env: { SNOWGAUGE_LOG_LEVEL: 'loud' } });
    expect(await run.exited).toBe(2);
    expect(run.text()).toBe('snowgauge run: SNOWGAUGE_LOG_LEVEL: its value must be one of debug, info, warn, error, silent\n');
  });

  test.each([{ env: {} }, { env: { SNOWGAUGE_STAY: 'false' } }])(
    'without --stay, for an invalid configuration: $env',
    async ({ env }) => {
      const mounted = await mountOf('tagets: []\n');
      const run = await start(mounted.path('snowgauge.yaml'), { args: [], env });
      expect(await run.exited).toBe(2);
      expect(run.text()).toContain('tagets');
    },
  );
});
