// Configuration reloads of a running exporter, observed through its sockets: targets kept, added and removed, and failed reloads.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { startNode } from '../../src/node/node.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import { bundle } from '../support/bundle.ts';
import { cases } from '../support/cases.ts';
import { type Mounted, mount } from '../support/mounted.ts';
import { scenarioFrom } from '../support/node.ts';
import { startPlainNode } from '../support/plain-node.ts';
import { patience, type RunProcess, startRun } from '../support/run-process.ts';

/** Starts a node with checks every second and returns its URL. */
const node = async (scenario = ''): Promise<string> => {
  const now = (): number => Date.now() / 1000;
  const options = { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 1 };
  const running = await startNode(options, {
    now,
    log: silentLog,
    signal: new AbortController().signal,
    scenario: await scenarioFrom(scenario),
  });
  onTestFinished(() => running.close());
  return running.url;
};

/** Polled every second; the long limits keep a slow machine from making it stale. */
const believed = 'healthCheckFrequency: 1s, staleAfter: 60, frozenAfter: 60';

const target = (name: string, url: string, more = ''): string =>
  `  - { name: ${name}, url: "${url}", ${believed}, indexes: []${more === '' ? '' : `, ${more}`} }\n`;

interface Started extends RunProcess {
  readonly mounted: Mounted;
  /** Replaces the ConfigMap and resolves once the exporter has logged the result. */
  readonly change: (yaml: string, says?: string, times?: number) => Promise<void>;
  readonly polls: (name: string) => Promise<number>;
  readonly isReady: (name: string) => Promise<void>;
}

const loadedAgain = 'configuration reloaded';
const refused = 'reload failed, keeping the previous configuration';

const start = async (yaml: string, env: Readonly<Record<string, string>> = {}): Promise<Started> => {
  const mounted = await mount({ 'snowgauge.yaml': yaml });
  const run = await startRun(mounted.path('snowgauge.yaml'), env);
  const count = (says: string): number => run.lines().filter((line) => line.includes(says)).length;
  return {
    ...run,
    mounted,
    change: async (next, says = loadedAgain) => {
      const before = count(says);
      await mounted.swap({ 'snowgauge.yaml': next });
      await run.said(says, before + 1);
    },
    polls: async (name) => {
      const [found = 0] = await run.values('snowgauge_polls_total', { target: name, api: 'health', outcome: 'ok' });
      return found;
    },
    isReady: async (name) => {
      await expect.poll(async () => (await run.get(`/targets/${name}/readyz`)).status, patience).toBe(200);
    },
  };
};

/** The process sends itself SIGHUP once the main file has run: its signal handlers are installed, but no command is loaded. */
const hangUp = `process.on('newListener', (name) => name === 'SIGTERM' && setImmediate(() => process.kill(process.pid, 'SIGHUP')))`;
const hangsUpAtOnce = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hangUp)}` };

const statusOf = async ({ get }: RunProcess) => JSON.parse((await get('/api/v1/status')).body);

const startedSince = ({ targets: [{ conditions }] }: Awaited<ReturnType<typeof statusOf>>): string => {
  const [{ type, lastTransitionTime }] = conditions;
  expect(type).toBe('Started');
  return lastTransitionTime;
};

describe('a changed configuration', () => {
  test('resolves relative file names from its own folder, at start and after a reload', async () => {
    const { folder } = await mount({});
    await writeFile(join(folder, 'none.json'), '[]');
    await writeFile(join(folder, 'one.json'), '[{ "targets": ["127.0.0.1:1"] }]');
    const file = join(folder, 'snowgauge.yaml');
    const listing = (name: string, comment = ''): Promise<void> =>
      writeFile(file, `discovery: { file: [{ files: [${name}] }] }\n# ${comment}\n`);
    await listing('none.json');
    const run = await startRun(file);
    const finds = (unwatched: readonly object[]) =>
      expect
        .poll(async () => (await statusOf(run)).discovery, patience)
        .toMatchObject([{ source: 'file/0', status: 'True', unwatched }]);
    await finds([]);
    // Large enough to be parsed in a worker thread.
    await listing('one.json', 'x'.repeat(100_000));
    await finds([{ targets: 1 }]);
  });

  test('adds new targets, removes missing ones and keeps the state of the others', async () => {
    // A node in its own process: this process may be too slow to answer, which would reset the state.
    const url = `http://127.0.0.1:${(await startPlainNode('')).port}`;
    const run = await start(`targets:\n${target('a', url)}${target('b', url)}`);
    await run.isReady('a');
    await run.isReady('b');
    const polls = await run.polls('a');
    const since = startedSince(await statusOf(run));
    const transitions = JSON.parse((await run.get('/api/v1/history?target=a')).body).records;
    expect(transitions.length).toBeGreaterThan(0);
    await run.change(`targets:\n${target('a', url)}${target('c', url)}`);

    expect((await run.get('/targets/b/readyz')).body).toMatch(
      /^True .*no longer in the configuration: change the path of this probe\)/,
    );
    expect((await run.series()).filter(({ labels }) => labels.get('target') === 'b')).toEqual([]);
    expect((await run.get('/?target=b')).status).toBe(404);
    expect(await run.polls('a')).toBeGreaterThanOrEqual(polls);
    expect(startedSince(await statusOf(run))).toBe(since);
    expect(JSON.parse((await run.get('/api/v1/history?target=a')).body).records).toEqual(transitions);
    await run.isReady('c');
    expect(run.lines().at(-1)).not.toContain('"level":"error"');
    const line = run.lines().find((text) => text.includes(loadedAgain)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ added: ['c'], removed: ['b'], kept: 1 });
    expect(line).not.toContain('reset');
  });

  test("with another readiness rule, timeout or header keeps the target's counters and continues to poll", async () => {
    const url = await node();
    const run = await start(`targets:\n${target('a', url)}`);
    await run.isReady('a');
    await expect.poll(() => run.polls('a'), patience).toBeGreaterThanOrEqual(3);
    for (const more of ['readiness: { failAfter: 7 }', 'timeout: 900ms', 'headers: { X-Scope: "1" }']) {
      const before = await run.polls('a');
      await run.change(`targets:\n${target('a', url, more)}`);
      const after = await run.polls('a');
      expect(after, more).toBeGreaterThanOrEqual(before);
      // The target is still polled, with an open client.
      await expect.poll(() => run.polls('a'), patience).toBeGreaterThan(after);
      expect(await run.values('snowgauge_polls_total', { target: 'a', api: 'health', outcome: 'network' }), more).toEqual([]);
    }
  });

  test('with another readiness rule applies it to the next poll', async () => {
    const url = await node('faults: [{ at: 0s, fault: check-fails, check: network, error: alone }]');
    const run = await start(`targets:\n${target('a', url)}`);
    await expect.poll(async () => (await run.get('/targets/a/readyz')).body, patience).toMatch(/^False ChecksFailing: network: /);
    await run.change(`targets:\n${target('a', url, 'readiness: { ignoreChecks: [network] }')}`);
    await run.isReady('a');
  });

  test("with an added tag set keeps the target's readiness throughout", async () => {
    const url = await node();
    // Tolerates a machine that stalls for a moment.
    const patient = 'readiness: { failAfter: 20 }';
    const run = await start(`targets:\n${target('a', url, patient)}`);
    await run.isReady('a');
    const seen = new Set<number>();
    let asking = true;
    const probing = (async () => {
      while (asking) seen.add((await run.get('/targets/a/readyz')).status);
    })();
    await run.change(
      `targets:\n${target('a', url, `${patient}, tagSets: [{ name: all }, { name: none-such, tags: [none-such] }]`)}`,
    );
    await expect.poll(async () => (await run.get('/targets/a/readyz/none-such')).body, patience).toMatch(/^Unknown UnknownTag: /);
    asking = false;
    await probing;
    expect([...seen]).toEqual([200]);
    const line = run.lines().find((text) => text.includes(loadedAgain)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ kept: 1 });
    expect(line).not.toMatch(/added|removed|reset/);
  });

  test("with another URL resets the target's state", async () => {
    const [one, other] = [await node(), await node('faults: [{ at: 0s, fault: check-fails, check: network, error: alone }]')];
    const run = await start(`targets:\n${target('a', one)}`);
    await run.isReady('a');
    await run.change(`targets:\n${target('a', other)}`);
    expect((await run.get('/targets/a/readyz')).status).toBe(503);
    await expect.poll(async () => (await run.get('/targets/a/readyz')).body, patience).toMatch(/^False ChecksFailing: network: /);
  });

  test('with other exported metric families applies at once, in both directions', async () => {
    const yaml = `targets:\n${target('a', await node())}`;
    const run = await start(yaml);
    const known = () => run.values('snowgauge_up', { target: 'a' });
    await run.isReady('a');
    // Briefly 0 after a poll that this process was too slow to answer.
    await expect.poll(known, patience).toEqual([1]);
    await run.change(`metrics: { exclude: [snowgauge_up] }\n${yaml}`);
    expect(await known()).toEqual([]);
    await run.change(yaml);
    await expect.poll(known, patience).toEqual([1]);
  });

  test('that is large keeps line numbers in errors and resolves variables', async () => {
    const url = await node();
    const run = await start(`targets:\n${target('a', url)}`, { ZONE: 'eu-1' });
    await run.isReady('a');
    // As large as one with thousands of targets.
    const many = '# a line that says nothing\n'.repeat(4000);
    await run.change(`${many}targets:\n${target('a', url, 'colour: red')}`, refused);
    const { configuration } = await statusOf(run);
    expect(configuration.reloadFailure.errors).toEqual([
      expect.stringMatching(/snowgauge\.yaml:4002: targets\[0\]\.colour: unknown key/),
    ]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: ${ZONE} is what the file says
    const zone = 'labels: { zone: "${ZONE}" }, headers: { X-Scope: tenant }, tagSets: [{ name: own, tags: [P] }]';
    await run.change(`${many}targets:\n${target('a', url, zone)}${target('b', url)}`);
    await run.isReady('b');
    for (const labels of [{ zone: 'eu-1' }, { target: 'b' }])
      await expect.poll(() => run.values('snowgauge_up', labels), patience).toEqual([1]);
  });

  test('reports the settings that require a restart and applies the others at once', async () => {
    const url = await node();
    const run = await start(`targets:\n${target('a', url)}`);
    await run.change(`listen: { port: 9 }\nstateDir: /nowhere\ntargets:\n${target('b', url)}`);
    await run.said('restart required');
    await run.isReady('b');
    expect((await statusOf(run)).configuration).toMatchObject({ needRestart: ['listen.port', 'stateDir'] });
    expect((await run.get('/')).body).toContain('listen.port and stateDir');
    const ready = await run.get('/readyz?verbose');
    expect(ready.status).toBe(200);
    expect(ready.body).toMatch(/^\[!\]configuration restart snowgauge: .* changed listen\.port, stateDir$/m);
    expect(await run.values('snowgauge_config_last_reload_successful')).toEqual([1]);
  });
});

describe('an invalid configuration', () => {
  const secret = 'hunter2hunter2';

  test('keeps the previous one and is reported in metrics, /readyz, API, page and log until it is fixed', async () => {
    const url = await node();
    const good = `targets:\n${target('a', url)}`;
    const run = await start(good, { SECRET: secret });
    await run.isReady('a');
    const [loadedAt] = await run.values('snowgauge_config_last_reload_success_timestamp_seconds');
    expect(await run.values('snowgauge_config_last_reload_successful')).toEqual([1]);

    // biome-ignore lint/suspicious/noTemplateCurlyInString: ${SECRET} is what the file says
    const bad = ['targets:\n', target('a', url, 'timeout: "${SECRET}"'), target('b', url, 'colour: red')].join('');
    await run.change(bad, refused);
    expect(await run.values('snowgauge_config_last_reload_successful')).toEqual([0]);
    expect(await run.values('snowgauge_config_last_reload_success_timestamp_seconds')).toEqual([loadedAt]);
    const ready = await run.get('/readyz?verbose');
    expect(ready.status).toBe(200);
    expect(ready.body).toContain('[!]configuration reload failed, keeping the previous configuration: ');
    const { configuration } = await statusOf(run);
    expect(configuration.reloadFailure.errors).toHaveLength(2);
    expect(configuration.reloadFailure.errors[1]).toMatch(/snowgauge\.yaml:3: targets\[1\]\.colour: unknown key/);
    const page = (await run.get('/')).body;
    expect(page).toContain('Reload failed: the changed configuration is invalid');
    expect(page).toContain('targets[1].colour: unknown key');
    const polls = await run.polls('a');
    await expect.poll(() => run.polls('a'), patience).toBeGreaterThan(polls);
    for (const text of [page, ready.body, JSON.stringify(configuration), run.lines().join('\n')])
      expect(text).not.toContain(secret);

    await run.change(good);
    expect(await run.values('snowgauge_config_last_reload_successful')).toEqual([1]);
    expect((await statusOf(run)).configuration.reloadFailure).toBeUndefined();
    expect((await run.get('/readyz?verbose')).body).toContain('[+]configuration ok\n');
    expect(run.lines().filter((line) => line.includes(refused))).toHaveLength(1);
  });

  test('that is empty, as while a command writes it, keeps the previous configuration; {} loads the defaults', async () => {
    const run = await start(`targets:\n${target('a', await node())}`);
    await run.isReady('a');
    await run.change('\n', refused);
    expect((await run.get('/readyz?verbose')).body).toMatch(/snowgauge\.yaml: is empty: write \{\} for the defaults\n/);
    await run.isReady('a');
    await run.change('{}');
    expect((await statusOf(run)).targets).toMatchObject([{ name: 'node', url: 'http://127.0.0.1:9650' }]);
  });

  test('that needs more memory than the heap keeps the exporter running, and the next one loads', async () => {
    const url = await node();
    const small = { NODE_OPTIONS: '--max-old-space-size=48' };
    const { change, isReady, said, polls } = await start(`targets:\n${target('a', url)}`, small);
    await change(`targets:\n${'- {}\n'.repeat(200_000)}`, refused);
    await said('reading it takes more memory than the heap of');
    const before = await polls('a');
    await expect.poll(() => polls('a'), patience).toBeGreaterThan(before);
    await change(`targets:\n${target('a', url)}${target('b', url)}`);
    await isReady('b');
  });

  test('with a missing credentials file loads by itself once the file exists', async () => {
    const url = await node();
    const run = await start(`targets:\n${target('a', url)}`);
    const token = join(run.mounted.folder, 'token');
    await run.change(`targets:\n${target('b', url, `authorization: { credentialsFile: ${token} }`)}`, refused);
    expect((await statusOf(run)).configuration.reloadFailure.errors[0]).toMatch(
      /credentialsFile: .*token: there is no such file/,
    );
    await writeFile(token, secret);
    await run.said(loadedAgain);
    await run.isReady('b');
    expect(run.lines().join('\n')).not.toContain(secret);
  });
});

describe('SIGHUP', () => {
  test('reloads the file, changed or not, without ending the process', async () => {
    const url = await node();
    const run = await start(`targets:\n${target('a', url)}`);
    await run.isReady('a');
    run.signal('SIGHUP');
    await run.said(loadedAgain);
    const line = run.lines().find((text) => text.includes(loadedAgain)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ kept: 1 });
    expect(line).not.toMatch(/added|removed|reset/);
    await run.change('targets: [{ name: broken }]\n', refused);
    run.signal('SIGHUP');
    await run.said(refused, 2);
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  test('before the configuration is read reloads it afterwards without ending the process', async () => {
    const run = await start(`targets:\n${target('a', await node())}`, hangsUpAtOnce);
    await run.said(loadedAgain);
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  test('before an invalid configuration is served with --stay does not end the process', async () => {
    const mounted = await mount({ 'snowgauge.yaml': 'tagets: []\n' });
    const run = await startRun(mounted.path('snowgauge.yaml'), hangsUpAtOnce, ['--stay']);
    await mounted.swap({ 'snowgauge.yaml': `targets:\n${target('a', await node())}` });
    await run.said('"serving"');
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  test('ends a command that has no configuration', async () => {
    const env = { PATH: process.env.PATH, ...hangsUpAtOnce };
    const child = spawn(process.execPath, [bundle, 'wait', 'http://127.0.0.1:9', '--timeout', '1h'], { env, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([null, 'SIGHUP']);
  });
});

test('many reloads leak no watchers, sockets and timers', async () => {
  const url = await node();
  const one = `targets:\n${target('a', url)}${target('b', url)}`;
  const others = [
    `targets:\n${target('a', url, 'timeout: 800ms')}${target('c', url)}`,
    `targets:\n${target('a', url, 'headers: { X-Scope: "2" }')}`,
    'targets: [{ name: broken }]\n',
  ];
  const run = await start(one);
  const resources = async (): Promise<Readonly<Record<string, number>>> => {
    const found = (await run.series()).filter(({ name }) => name === 'nodejs_active_resources');
    return Object.fromEntries(found.map(({ labels, value }) => [labels.get('type') ?? '', value]));
  };
  const all = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      for (const other of others) await run.change(other, other.includes('broken') ? refused : loadedAgain);
      await run.change(one);
    }
    await run.isReady('a');
    await run.isReady('b');
  };
  await all(2);
  const before = await resources();
  await all(cases(15));
  const now = await resources();
  expect(now.FSEventWrap).toBe(before.FSEventWrap);
  // Allows for connections of a poll in progress and timers of the next one.
  await expect
    .poll(async () => (await resources()).TCPSocketWrap ?? 0, patience)
    .toBeLessThanOrEqual((before.TCPSocketWrap ?? 0) + 6);
  await expect.poll(async () => (await resources()).Timeout ?? 0, patience).toBeLessThanOrEqual((before.Timeout ?? 0) + 6);
});
