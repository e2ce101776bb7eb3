// `snowgauge run --stay`, as a process: with a configuration that cannot be used it lives, is not ready, says why, and goes on by
// itself once it can.

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

/** On a port of its own, which it keeps when the configuration becomes right. */
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
  // Of one that has exited the last of its output may be unread.
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

/** All that it says while it has nothing to watch. */
const saysSo = async (run: Staying, words: string): Promise<void> => {
  expect(await run.answers('/readyz', 503)).toContain(words);
  expect(await run.get('/livez')).toEqual({ status: 200, body: 'ok\n' });
  for (const path of ['/self/startupz', '/self/livez', '/targets/node/startupz', '/targets/any/livez/'])
    expect(await run.get(path), path).toMatchObject({ status: 200, body: expect.stringContaining(words) });
  for (const path of ['/self/readyz', '/self/readyz/my-l1', '/targets/node/readyz', '/targets/node/readyz/my-l1', '/'])
    expect(await run.get(path), path).toMatchObject({ status: 503, body: expect.stringContaining(words) });
  const page = await run.get('/metrics');
  expect(page.status).toBe(200);
  expect(page.body).toContain('\nsnowgauge_config_last_reload_successful 0\n');
  expect(page.body).toMatch(/^snowgauge_build_info\{version="[^"]+"\} 1$/m);
  expect(page.body).not.toContain('snowgauge_config_last_reload_success_timestamp_seconds ');
  expect(page.body).not.toContain('snowgauge_up');
};

/** And all that it says once it has, in the same process. */
const goesOn = async (run: Staying): Promise<void> => {
  await run.answers('/readyz', 200);
  const page = await run.answers('/metrics', 200, /^snowgauge_up\{/m);
  expect(page).toContain('\nsnowgauge_config_last_reload_successful 1\n');
  expect(page).toContain('\nsnowgauge_config_last_reload_success_timestamp_seconds ');
  expect(run.exitCode()).toBeNull();
  run.signal('SIGTERM');
  expect(await run.exited).toBe(0);
};

describe('a configuration that cannot be used', () => {
  test.each([
    { error: 'is no YAML', text: 'targets: [', words: 'not YAML' },
    { error: 'has a key that there is not', text: `${good}tagets: []\n`, words: 'tagets' },
    { error: 'has a setting that is none', text: 'targets: [{ name: mine, url: "nowhere" }]\n', words: 'is not a URL' },
  ])('that $error is served as such, and what follows without it is taken', async ({ text, words }) => {
    const mounted = await mountOf(text);
    const run = await start(mounted.path('snowgauge.yaml'));
    await saysSo(run, words);
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
  });

  test('because its file is not there is waited for', async () => {
    const mounted = await mount({ other: '' });
    const file = mounted.path('snowgauge.yaml');
    const run = await start(file, { args: [], env: { SNOWGAUGE_STAY: 'true' } });
    await saysSo(run, 'there is no such file');
    await writeFile(file, good);
    await goesOn(run);
  });

  test('because there is a folder in its place is waited for', async () => {
    const mounted = await mount({ other: '' });
    const file = mounted.path('snowgauge.yaml');
    await mkdir(file);
    const run = await start(file);
    await saysSo(run, 'it is a folder');
    await rmdir(file);
    await writeFile(file, good);
    await goesOn(run);
  });

  test('because of a file of credentials is taken when that file comes, though it has not changed itself', async () => {
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

  test('because a variable is missing that no file can mend stays unready, and is ended by SIGTERM with 0', async () => {
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
  test.each(starts)(
    'because of what the process was started with ($words) is said beside those of the file',
    async ({ words, ...given }) => {
      const mounted = await mountOf('tagets: []\n');
      const run = await start(mounted.path('snowgauge.yaml'), given);
      await saysSo(run, words);
      expect(await run.answers('/readyz', 503)).toContain('tagets');
      await mounted.swap({ 'snowgauge.yaml': good });
      // A good file does not mend it.
      await expect.poll(async () => (await run.get('/readyz')).body, patience).not.toContain('tagets');
      await saysSo(run, words);
      // At the default level, the error among it, once.
      expect(run.log().filter(({ error }) => String(error).includes(words))).toHaveLength(1);
    },
  );

  test('is logged once, each error by itself, and another one when it comes', async () => {
    const mounted = await mountOf('tagets: []\nlissten: {}\n');
    const run = await start(mounted.path('snowgauge.yaml'));
    const errors = () => run.log().flatMap(({ error }) => (error === undefined ? [] : [String(error)]));
    await run.answers('/readyz', 503, 'lissten');
    await mounted.swap({ 'snowgauge.yaml': 'tagets: []\nprobess: {}\n' });
    await run.answers('/readyz', 503, 'probess');
    run.signal('SIGHUP');
    // A look of its own is due each 5 s, and finds the same.
    await expect.poll(() => errors().length, patience).toBe(3);
    expect(errors().map((error) => /tagets|lissten|probess/.exec(error)?.[0])).toEqual(['tagets', 'lissten', 'probess']);
    await mounted.swap({ 'snowgauge.yaml': good });
    await goesOn(run);
    expect(errors()).toHaveLength(3);
  });

  test('is told on the port of the probes too, and there nothing but them', async () => {
    const probes = await freePort();
    const mounted = await mountOf(`probes: { port: ${probes} }\ntagets: []\n`);
    const run = await start(mounted.path('snowgauge.yaml'));
    await run.answers('/readyz', 503);
    expect((await run.get('/self/startupz', probes)).status).toBe(200);
    expect((await run.get('/self/readyz', probes)).status).toBe(503);
    expect((await run.get('/metrics', probes)).status).toBe(404);
    await mounted.swap({ 'snowgauge.yaml': `probes: { port: ${probes} }\n${good}` });
    await run.answers('/metrics', 200, 'snowgauge_up');
    expect((await run.get('/livez', probes)).status).toBe(200);
  });

  test('changed later is refused as it always is: the one before stays in force', async () => {
    const mounted = await mountOf(good);
    const run = await start(mounted.path('snowgauge.yaml'));
    await run.answers('/readyz', 200);
    await mounted.swap({ 'snowgauge.yaml': 'tagets: []\n' });
    await run.answers('/metrics', 200, /^snowgauge_config_last_reload_successful 0$/m);
    expect((await run.get('/readyz')).status).toBe(200);
  });
});

describe('what staying does not help', () => {
  test('is a port that cannot be listened on, with a good configuration or a bad one', async () => {
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

  test('is a log of no such level, for who does not ask for it', async () => {
    const mounted = await mountOf(good);
    const run = await start(mounted.path('snowgauge.yaml'), { args: [], env: { SNOWGAUGE_LOG_LEVEL: 'loud' } });
    expect(await run.exited).toBe(2);
    expect(run.text()).toBe('snowgauge run: SNOWGAUGE_LOG_LEVEL: its value must be one of debug, info, warn, error, silent\n');
  });

  test.each([{ env: {} }, { env: { SNOWGAUGE_STAY: 'false' } }])('is who does not ask for it: $env', async ({ env }) => {
    const mounted = await mountOf('tagets: []\n');
    const run = await start(mounted.path('snowgauge.yaml'), { args: [], env });
    expect(await run.exited).toBe(2);
    expect(run.text()).toContain('tagets');
  });
});
