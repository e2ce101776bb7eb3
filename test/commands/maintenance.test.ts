// Maintenance windows of a running snowgauge, from the command, the configuration and the pod: their effect on page, API, metrics
// and event history, without changing probes and conditions. Over real sockets, with a clock that tests can advance.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/commands/serve.ts';
import type { Served } from '../../src/commands/served.ts';
import { targetFrom } from '../../src/config/target.ts';
import type { Config } from '../../src/config/types.ts';
import { silentLog } from '../../src/log.ts';
import { maxWindows } from '../../src/maintenance/window.ts';
import { windowFile } from '../../src/maintenance/window-file.ts';
import { isoOf } from '../../src/text.ts';
import { at, fileOf, typed } from '../support/command.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { mount } from '../support/mounted.ts';
import { serveHttp } from '../support/serve.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';
import { hash, serverPair, serveWeb, tlsFile } from '../support/web-config.ts';

/** Enough faults to exceed the limit of arguments of one function call. */
const wrongWindows = `{"windows":[{}${',{}'.repeat(500_000)}]}`;

const patience = { timeout: 280_000 };

type Windows = Config['maintenance']['windows'];

interface Given {
  readonly stateDir?: string;
  readonly podInfoDir?: string;
  readonly tokenFile?: string;
  readonly windows?: Windows;
  readonly shard?: Served['shard'];
  /** Seconds by which the clock starts ahead. */
  readonly ahead?: number;
}

/** The exporter as `run` starts it, with the unreachable targets a and b. */
const world = async ({ stateDir, podInfoDir, tokenFile, windows = [], shard, ahead: begun = 0 }: Given = {}) => {
  let ahead = begun;
  const now = (): number => Date.now() / 1000 + ahead;
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const targets = ['a', 'b'].map((name) => targetFrom({ name, url: 'http://127.0.0.1:9', indexes: [] }));
  const maintenance = { windows, ...(tokenFile && { tokenFile }) };
  const options = { source: 'test', listen: { host: '127.0.0.1', port: 0 }, targets, maintenance };
  const serving = await serve(
    { ...options, ...(stateDir && { stateDir }), ...(podInfoDir && { podInfoDir }), shard },
    { now, log, version: 'test', signal: stop.signal },
  );
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  const end = async (): Promise<void> => {
    stop.abort();
    await serving.finished;
  };
  onTestFinished(end);
  const text = async (path: string): Promise<string> => (await fetch(serving.url + path)).text();
  const json = async (path: string) => JSON.parse(await text(path));
  return {
    end,
    now,
    text,
    url: serving.url,
    /** Runs the command against this server, with a clock one second ahead. */
    run: (...argv: readonly string[]) => typed(['maintenance', ...argv, ...at(serving.url)], { now: () => now() + 1 }),
    pass: (seconds: number): void => {
      ahead += seconds;
    },
    replace: (next: Windows) =>
      serving.replace({ targets, metrics: { include: [], exclude: [] }, maintenance: { windows: next } }),
    status: async () =>
      Object.fromEntries((await json('/api/v1/status')).targets.map((one: { name: string }) => [one.name, one])),
    /** Seconds until the maintenance ends by target, rounded to ten minutes because the machine may be slow. */
    ends: async () =>
      Object.fromEntries(
        Array.from((await text('/metrics')).matchAll(/^\w+_maintenance_end_\w+\{target="(\w)"\} ([\d.]+)$/gm), ([, name, at]) => [
          name,
          Math.round((Number(at) - now()) / 600) * 600,
        ]),
      ),
    events: async (target: string): Promise<readonly string[]> =>
      (await json(`/api/v1/history?target=${target}`)).records
        .filter(({ kind }: { kind: string }) => kind.startsWith('maintenance'))
        .map(({ kind, message = '' }: { kind: string; message?: string }) => `${kind} ${message.replace(/ ?\S+Z/, '')}`.trim()),
    told: () => said.filter(({ message }) => message.startsWith('maintenance')).map(({ message }) => message),
  };
};

describe('a window started by the command', () => {
  test('appears in page, API, metrics and history, changes no probe and no condition, and expires', async () => {
    const { run, pass, status, ends, events, text, told } = await world();
    await expect.poll(async () => (await status()).a.state, patience).toBe('down');
    const before = await status();
    const ready = await text('/targets/a/readyz');
    const ran = await run('start', '--for', '2h', '--reason', 'upgrade <1>', '--target', 'a');
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('a restart of snowgauge ends this window') });
    expect(ran.stdout).toMatch(/^a until \S+Z \(2 h left\), api: upgrade <1>\n$/);
    const { a, b } = await status();
    expect(a.maintenance).toEqual({ until: expect.stringMatching(/Z$/), reason: 'upgrade <1>', source: 'api' });
    expect(b).not.toHaveProperty('maintenance');
    expect(a.conditions).toEqual(before.a.conditions);
    expect(await text('/targets/a/readyz')).toBe(ready);
    expect(await ends()).toEqual({ a: 7200 });
    expect(await text('/')).toMatch(/In maintenance until <time[^>]*>[^<]*<\/time> \(api\): upgrade &lt;1&gt;/);
    expect([await events('a'), await events('b')]).toEqual([['maintenance until (api): upgrade <1>'], []]);

    pass(7201);
    expect(await ends()).toEqual({});
    await expect.poll(() => events('a'), patience).toHaveLength(2);
    expect(await events('a')).toEqual(['maintenance until (api): upgrade <1>', 'maintenance-ended']);
    expect((await status()).a).not.toHaveProperty('maintenance');
    expect(told()).toEqual(['maintenance window started', 'maintenance window ended']);
  });

  test('is listed, and can be ended early', async () => {
    const { run, ends, events } = await world();
    expect(await run('list')).toEqual({ stdout: 'no maintenance windows\n', stderr: '', code: 0 });
    await run('start', '--for', '1h', '--reason', 'all');
    await run('start', '--for', '2h', '--reason', 'b', '--target', 'b');
    expect((await run('list')).stdout).toMatch(/^all targets until .*: all\nb until .*: b\n$/);
    expect(await ends()).toEqual({ a: 3600, b: 7200 });
    const ran = await run('end', '--target', 'b');
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ended 1\nstill open or planned:\nall targets until .*: all\n$/),
    });
    // The remaining window ends earlier.
    expect(await ends()).toEqual({ a: 3600, b: 3600 });
    expect(await run('end')).toEqual({ stdout: 'ended 1\n', stderr: '', code: 0 });
    expect(await run('end', '--target', 'b')).toEqual({ stdout: 'no window to end\n', stderr: '', code: 1 });
    expect(await ends()).toEqual({});
    expect(await events('b')).toEqual([
      'maintenance until (api): all',
      'maintenance until (api): b',
      'maintenance until (api): all',
      'maintenance-ended',
    ]);
  });

  test('is printed as JSON', async () => {
    const { run } = await world();
    const ran = await run('start', '--for', '1m', '--reason', 'r', '--output', 'json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ window: { reason: 'r', source: 'api' }, saved: false });
    expect(JSON.parse((await run('list', '--output', 'json')).stdout)).toMatchObject({ windows: [{ reason: 'r' }] });
    expect(JSON.parse((await run('end', '--output', 'json')).stdout)).toMatchObject({ ended: [{ reason: 'r' }], windows: [] });
  });

  test('survives a restart with a stateDir, with a single history event', async () => {
    const stateDir = await temporaryFolder();
    const first = await world({ stateDir });
    expect(await first.run('start', '--for', '2h', '--reason', 'upgrade')).toMatchObject({ code: 0, stderr: '' });
    expect(await first.events('a')).toHaveLength(1);
    await first.end();
    const second = await world({ stateDir });
    expect(await second.ends()).toEqual({ a: 7200, b: 7200 });
    expect(await second.events('a')).toEqual(['maintenance until (api): upgrade']);
    await second.run('end');
    await second.end();
    const third = await world({ stateDir });
    expect(await third.ends()).toEqual({});
    expect(await third.events('a')).toEqual(['maintenance until (api): upgrade', 'maintenance-ended']);
  });

  test('that expired while snowgauge was down has its end in the history after the restart', async () => {
    const stateDir = await temporaryFolder();
    const first = await world({ stateDir });
    await first.run('start', '--for', '2h', '--reason', 'upgrade', '--target', 'a');
    await first.end();
    const second = await world({ stateDir, ahead: 7201 });
    expect(await second.ends()).toEqual({});
    expect(await second.events('a')).toEqual(['maintenance until (api): upgrade', 'maintenance-ended']);
    expect(await second.events('b')).toEqual([]);
    await second.end();
    const third = await world({ stateDir, ahead: 7202 });
    expect(await third.events('a')).toHaveLength(2);
  });

  test('ended while the disk is full may come back after a restart, and the command says so', async ({ skip }) => {
    const disk = await smallDisk();
    if (disk === undefined) return skip(noDisk);
    const { run, ends } = await world({ stateDir: disk.folder });
    expect(await run('start', '--for', '2h', '--reason', 'upgrade')).toMatchObject({ code: 0, stderr: '' });
    await disk.fill();
    expect(await run('end')).toEqual({
      stdout: 'ended 1\n',
      stderr: 'not saved (the write failed): a restart of snowgauge may bring ended windows back\n',
      code: 0,
    });
    expect(await ends()).toEqual({});
    await disk.empty();
    expect(await run('end')).toEqual({ stdout: 'no window to end\n', stderr: '', code: 1 });
  });

  test('requires the token if one is configured', async () => {
    const [tokenFile, wrong, nobody] = [await fileOf('secret-of-ours\n'), await fileOf('another'), 'http://127.0.0.1:9'];
    const { run, ends, url, replace } = await world({ tokenFile });
    const start = ['start', '--for', '1h', '--reason', 'r'];
    for (const more of [[], ['--token-file', wrong]])
      expect(await run(...start, ...more)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('the bearer token is missing or wrong'),
      });
    expect(await ends()).toEqual({});
    expect(await run(...start, '--token-file', tokenFile)).toMatchObject({ code: 0 });
    expect(await ends()).toEqual({ a: 3600, b: 3600 });
    expect(
      await typed(['maintenance', 'end', ...at(url)], { env: { SNOWGAUGE_MAINTENANCE_TOKEN_FILE: tokenFile } }),
    ).toMatchObject({
      code: 0,
      stdout: 'ended 1\n',
    });
    // A reload that removes the token.
    replace([]);
    expect(await run(...start)).toMatchObject({ code: 0 });
    const unreadable = await typed(['maintenance', 'list', ...at(nobody), '--token-file', '/nowhere']);
    expect(unreadable).toEqual({
      code: 2,
      stdout: '',
      stderr: 'snowgauge maintenance list: --token-file: /nowhere: there is no such file\n',
    });
  });
});

describe('snowgauge maintenance', () => {
  test.each([
    { argv: ['start', '--reason', 'r'], code: 2, says: "required option '--for <duration>'" },
    { argv: ['start', '--for', '2h'], code: 2, says: "required option '--reason <text>'" },
    { argv: ['start', '--for', '25h', '--reason', 'r'], code: 2, says: '--for: 25h is out of range: write 1s to 24h' },
    { argv: ['start', '--for', 'long', '--reason', 'r'], code: 2, says: '--for: "long" is not a duration' },
    { argv: ['list', '--token-file', 'a', '--basic-file', 'b'], code: 2, says: 'cannot be used with option' },
    { argv: ['list', '--url', 'ftp://a'], code: 2, says: '--url: must begin with http:// or https://' },
    { argv: ['list', '--url', 'http://127.0.0.1:9'], code: 3, says: 'connection refused: is snowgauge running' },
    {
      argv: ['list', '--url', 'http://nobody.invalid', '--timeout', '1m'],
      code: 3,
      says: 'http://nobody.invalid: name resolution failed (getaddrinfo ',
    },
  ])('$argv exits with $code', async ({ argv, code, says }) => {
    expect(await typed(['maintenance', ...argv])).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
  });

  test('start for all targets of one shard warns that the window holds on that shard only', async () => {
    const { run } = await world({ shard: { kind: 'fixed', shard: 0, total: 2 } });
    expect(await run('start', '--for', '1h', '--reason', 'r')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('holds on shard 0 only'),
    });
  });

  test('exits with 2 for an unknown target and lists the known ones', async () => {
    const { run } = await world();
    const stderr = expect.stringContaining('unknown target "c": expected one of a, b');
    for (const argv of [['start', '--for', '1h', '--reason', 'r'], ['end']])
      expect(await run(...argv, '--target', 'c')).toMatchObject({ code: 2, stdout: '', stderr });
  });

  test('start exits with 2 beyond the maximum number of windows', async () => {
    const stateDir = await temporaryFolder();
    const start = Math.floor(Date.now() / 1000);
    const end = start + 7200;
    const full = Array.from({ length: maxWindows }, (_, at) => ({
      targets: [`t${at}`],
      start,
      end,
      reason: 'r',
      source: 'api' as const,
    }));
    await windowFile(stateDir, silentLog).write(full);
    const { run } = await world({ stateDir });
    expect(await run('start', '--for', '1h', '--reason', 'r')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('there are 1001 windows, the maximum: end some first'),
    });
  });

  test.each([
    { server: 'another 404', status: 404, body: '404 page not found', says: 'HTTP status 404, not a response of snowgauge' },
    { server: 'a 500', status: 500, body: '{"error":"broken"}', says: 'broken' },
    { server: 'other JSON', status: 200, body: '{"windows":[1]}', says: 'HTTP status 200, not a response of snowgauge' },
    {
      server: 'a window with an invalid time',
      status: 200,
      body: '{"windows":[{"start":"soon","end":"later","reason":"r","source":"api"}]}',
      says: 'HTTP status 200, not a response of snowgauge',
    },
    { server: 'invalid windows', status: 200, body: wrongWindows, says: 'HTTP status 200, not a response of snowgauge' },
    {
      server: 'a redirect',
      status: 302,
      headers: { location: 'https://u:s3cret@proxy.example/login?next=s3cret#s3cret' },
      says: 'HTTP status 302: redirect to https://proxy.example/…; use the URL of snowgauge itself\n',
    },
    { server: 'a response that is too large', status: 200, body: 'x'.repeat(4_200_000), says: 'larger than' },
  ])('snowgauge maintenance exits with 3 for $server', async ({ status, headers, body, says }) => {
    const server = await serveHttp((_, response) => response.writeHead(status, headers).end(body));
    onTestFinished(() => server.close());
    for (const command of ['list', 'end'])
      expect(await typed(['maintenance', command, ...at(server.url)])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(says),
      });
  });

  test('the maintenance commands accept the TLS and password options of the other commands', async () => {
    const web = `tls_server_config:\n  ${serverPair}\nbasic_auth_users:\n  ann: ${hash}\n`;
    const { url } = await serveWeb(web);
    const list = ['maintenance', 'list', ...at(url), '--ca-file', tlsFile('ca.crt')];
    expect(await typed(list)).toMatchObject({ code: 3, stderr: expect.stringContaining('401: Unauthorized: use --bearer-file') });
    const user = ['--basic-file', await fileOf('ann:s3cret\n')];
    // The maintenance API is disabled here, so an authorized request gets a 404.
    expect(await typed([...list, ...user])).toMatchObject({ code: 3, stderr: expect.stringContaining('status 404') });
  });

  test('the maintenance commands name the fix for http on a TLS port, https on a plain port and an unknown CA', async () => {
    const [{ url: secure }, { url: plain, close }] = [
      await serveWeb(`tls_server_config:\n  ${serverPair}\n`),
      await serveHttp(() => undefined),
    ];
    onTestFinished(close);
    const said = async (url: string): Promise<string> => (await typed(['maintenance', 'list', ...at(url)])).stderr;
    expect(await said(plain.replace('http:', 'https:'))).toMatch(
      /: TLS failed \([A-Z_]+\): the port does not speak TLS: use http:/,
    );
    expect(await said(secure.replace('https:', 'http:'))).toMatch(
      /: connection reset \(.*\): the port may speak TLS: try https:/,
    );
    expect(await said(secure)).toMatch(/: TLS failed \(.*\): name its certificate authority with --ca-file\n/);
  });

  test('the maintenance commands exit with 130 when interrupted', async () => {
    const stop = new AbortController();
    const server = await serveHttp(() => stop.abort());
    onTestFinished(() => server.close());
    expect(await typed(['maintenance', 'list', ...at(server.url)], { signal: stop.signal })).toMatchObject({ code: 130 });
  });
});

describe('maintenance windows of the configuration and the pod', () => {
  /** Starts at the time of the test, because earlier tests may have taken minutes. */
  const plan = () => {
    const at = Math.floor(Date.now() / 1000);
    return { at, planned: { targets: ['a'], start: at - 60, end: at + 3600, reason: 'planned' } };
  };

  test('a configured window is open from the start, and a reload keeps, adds or ends windows', async () => {
    const { at, planned } = plan();
    const { ends, replace, events, run } = await world({ windows: [planned] });
    expect(await ends()).toEqual({ a: 3600 });
    expect((await run('end')).stdout).toMatch(/^no window to end\nstill open or planned:\na until .*, configuration: planned\n$/);
    replace([{ ...planned }, { start: at - 60, end: at + 7200, reason: 'all', targets: ['b'] }]);
    expect(await ends()).toEqual({ a: 3600, b: 7200 });
    replace([]);
    expect(await ends()).toEqual({});
    expect(await events('a')).toEqual(['maintenance until (configuration): planned', 'maintenance-ended']);
  });

  test('a planned window opens at its start time', async () => {
    const { at, planned } = plan();
    const { ends, pass, run } = await world({ windows: [{ ...planned, start: at + 600, end: at + 4200 }] });
    expect(await ends()).toEqual({});
    const [start, end] = [isoOf(at + 600), isoOf(at + 4200)];
    expect((await run('list')).stdout).toBe(`a from ${start} until ${end}, configuration: planned\n`);
    pass(700);
    await expect.poll(ends, patience).toEqual({ a: 3600 });
  });
});

test('an open window of the pod is a single history event across restarts of snowgauge', async () => {
  const [stateDir, podInfoDir] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(podInfoDir, 'maintenance-until'), isoOf(Date.now() / 1000 + 7200));
  for (let run = 1; run <= 2; run += 1) {
    const { events, end } = await world({ stateDir, podInfoDir });
    expect(await events('a')).toEqual(['maintenance until (annotation): no reason given']);
    await end();
  }
});

test("the pod's annotation opens a window for every target, and removing it ends the window", async () => {
  const mounted = await mount({ 'maintenance-until': '', 'maintenance-reason': '' });
  const { ends, now, pass, status } = await world({ podInfoDir: mounted.folder });
  await mounted.swap({ 'maintenance-until': isoOf(now() + 3700), 'maintenance-reason': 'drain' });
  pass(100);
  await expect.poll(ends, patience).toEqual({ a: 3600, b: 3600 });
  expect((await status()).b.maintenance).toMatchObject({ reason: 'drain', source: 'annotation' });
  await mounted.swap({ 'maintenance-until': '', 'maintenance-reason': '' });
  pass(100);
  await expect.poll(ends, patience).toEqual({});
});

test('a damaged window file is logged and ignored, and snowgauge starts', async () => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'maintenance.json'), '{');
  const { ends, told } = await world({ stateDir });
  expect(await ends()).toEqual({});
  expect(told()).toEqual(['maintenance windows of an earlier run unreadable: ignored']);
});
