// Shards of a StatefulSet, as they run in its pods: each watches the same object, and they do not communicate.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import { createOwners } from '../../src/shards/owners.ts';
import { createShards, type ShardSetting } from '../../src/shards/shards.ts';
import { world as exporter, nodes } from '../discovery/world.ts';
import { listeningLog } from '../support/events.ts';
import { accountOf, tls } from '../support/label-keeper.ts';
import { servePods } from '../support/pods-api.ts';
import { serveHttps } from '../support/serve.ts';

const shardPace = { deadlineMs: 280_000, watchSeconds: 3600, retryMs: 20, patience: 60 };
const names = Array.from({ length: 12 }, (_, at) => `a.node-${at}`);
const { ownerOf } = createOwners();
const ownedBy = (shard: number, ...totals: readonly number[]): readonly string[] =>
  names.filter((name) => totals.some((total) => ownerOf(name, total) === shard));

const world = async (frequency = '2s') => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const put = (at: number, ip = `127.0.0.${at + 2}`): void =>
    api.put({
      name: `node-${at}`,
      ip,
      ports: [{ containerPort: port }],
      labels: { 'snowgauge.io/watch': 'true' },
      annotations: { 'snowgauge.io/port': String(port) },
    });
  for (const at of names.keys()) put(at);
  const given = {
    discovery: { target: { healthCheckFrequency: frequency, timeout: '1s', indexes: [] }, kubernetes: [{ namespaces: ['a'] }] },
  };
  const start = async (ordinal: number, pace = shardPace) => {
    const shard: ShardSetting = { kind: 'pod', set: { namespace: 'a', name: 'gauge' }, ordinal };
    const one = await exporter(given, api.cluster, { shard, shardPace: pace });
    const watched = async (): Promise<readonly string[]> => (await one.watched()).toSorted();
    return {
      ...one,
      watches: (...wanted: readonly string[]) => expect.poll(watched).toEqual(wanted.toSorted()),
      ready: (status: number, words: string) =>
        expect
          .poll(
            async () => {
              const { status: found, body } = await one.ask('/readyz?verbose');
              return found === status ? body : '';
            },
            { timeout: 280_000 },
          )
          .toContain(words),
      groups: async () =>
        JSON.parse(await one.get('/api/v1/sd')) as readonly {
          readonly targets: readonly string[];
          readonly labels: Readonly<Record<string, string>>;
        }[],
    };
  };
  return { ...api, putNode: put, start };
};

test('the pods of a StatefulSet share the targets, hand them over to a new pod, and take them back when it is removed', async () => {
  // A check interval that does not pass during the test, except where it says so.
  const { scale, start } = await world('10m');
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const [first, second] = [await start(0), await start(1)];
  await first.watches(...ownedBy(0, 2));
  await second.watches(...ownedBy(1, 2));
  await first.ready(200, '[+]shard ok');

  scale({ name: 'gauge', replicas: 3, ready: 2 });
  const third = await start(2);
  await third.ready(200, '[+]shard ok');
  expect(await third.watched()).toEqual([]);
  await expect.poll(() => first.values('snowgauge_shards')).toEqual([3]);
  await first.watches(...ownedBy(0, 2, 3));
  const moved = ownedBy(0, 2).filter((name) => ownerOf(name, 3) === 2);
  expect(moved.length).toBeGreaterThan(0);
  expect(await first.values('snowgauge_shard_handover_targets')).toEqual([moved.length]);
  const addressOf = async (name = '') => (await first.groups()).find(({ labels }) => labels.instance === name)?.targets;
  expect(await addressOf(moved[0])).toEqual(['gauge-0.pods.a.svc:0']);
  scale({ name: 'gauge', replicas: 3, ready: 3 });
  await expect.poll(() => addressOf(moved[0])).toEqual(['gauge-2.pods.a.svc:0']);
  await third.watches(...ownedBy(2, 3));
  await first.watches(...ownedBy(0, 2, 3));
  for (const one of [first, second, third]) one.pass(600);
  scale({ name: 'gauge', replicas: 3, ready: 3 });
  await first.watches(...ownedBy(0, 3));
  await second.watches(...ownedBy(1, 3));
  expect(await first.values('snowgauge_shard_handover_targets')).toEqual([0]);

  scale({ name: 'gauge', replicas: 2, ready: 3 });
  await first.watches(...ownedBy(0, 2));
  await second.watches(...ownedBy(1, 2));
  await third.watches(...ownedBy(2, 3));
  third.pass(600);
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  await third.watches();
});

test('a pod takes the share of another shard when the start ordinal changes', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(1);
  await one.watches(...ownedBy(1, 2));
  scale({ name: 'gauge', replicas: 2, ready: 2, start: 1 });
  await one.watches(...ownedBy(0, 2));
});

test('with more replicas than the maximum number of shards, the last known number is kept, and the reason is logged', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(0);
  await one.watches(...ownedBy(0, 2));
  scale({ name: 'gauge', replicas: 1_000_000_000, ready: 2 });
  await one.says('StatefulSet not watched, keeping the last known number of shards', {
    reason: 'it has 1000000000 replicas, more than 1000',
    totalShards: 2,
  });
  await one.watches(...ownedBy(0, 2));
});

test('frequent scaling of a StatefulSet causes few changes', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(0, { ...shardPace, retryMs: 300 });
  await one.watches(...ownedBy(0, 2));
  const changes = () => one.said.filter(({ message }) => message === 'shards changed').length;
  const begun = performance.now();
  for (let at = 0; at < 500; at += 1) {
    scale({ name: 'gauge', replicas: 3 + (at % 2), ready: 3 });
    await yieldToEventLoop();
  }
  scale({ name: 'gauge', replicas: 5, ready: 5 });
  await expect.poll(() => one.values('snowgauge_shards')).toEqual([5]);
  expect(changes()).toBeLessThan(30 + (performance.now() - begun) / 300);
});

test('every shard knows the shard of every target: in service discovery, API, page and 404 responses', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(1);
  await one.watches(...ownedBy(1, 2));
  await one.becomes('snowgauge_shard_fleet_targets', {}, [names.length]);
  const own = (shard: number) => ({
    targets: [`gauge-${shard}.pods.a.svc:0`],
    labels: { __metrics_path__: '/exporter/metrics', instance: `gauge-${shard}.pods.a.svc:0` },
  });
  const groups = await one.groups();
  expect(groups.slice(0, 2)).toEqual([own(0), own(1)]);
  expect(
    groups
      .slice(2)
      .map(({ targets, labels: { instance, exporter_instance } }) => [instance, targets[0], exporter_instance])
      .toSorted(),
  ).toEqual(names.map((name) => [name, ...Array.from({ length: 2 }, () => `gauge-${ownerOf(name, 2)}.pods.a.svc:0`)]).toSorted());
  const [other = ''] = ownedBy(0, 2);
  expect(await one.ask(`/targets/${other}/metrics`)).toEqual({
    status: 404,
    body: `shard 0 watches ${other}, at gauge-0.pods.a.svc:0\n`,
  });
  expect(await one.ask(`/metrics?target=${other}`)).toMatchObject({ status: 404 });
  expect(await one.ask(`/api/v1/status?target=${other}`)).toEqual({
    status: 404,
    body: `{"error":"shard 0 watches ${other}, at gauge-0.pods.a.svc:0"}\n`,
  });
  expect(await one.ask('/targets/nobody/metrics')).toMatchObject({
    status: 404,
    body: expect.stringMatching(/^unknown target "nobody": /),
  });
  const where = `shard 0 watches ${other}, at gauge-0.pods.a.svc:0`;
  const unknown = `Unknown TargetOnOtherShard: ${where}\n`;
  expect(await one.ask(`/targets/${other}/readyz`)).toEqual({ status: 503, body: unknown });
  expect(await one.ask(`/targets/${other}/livez`)).toEqual({ status: 200, body: unknown });
  expect(await one.ask(`/api/v1/history?target=${other}`)).toEqual({ status: 400, body: `{"error":"${where}"}\n` });
  expect(JSON.parse(await one.get('/api/v1/shards'))).toMatchObject({
    shard: 1,
    total: 2,
    settled: 2,
    statefulSet: { namespace: 'a', name: 'gauge' },
    shards: [
      { shard: 0, address: 'gauge-0.pods.a.svc:0', targets: ownedBy(0, 2) },
      { shard: 1, address: 'gauge-1.pods.a.svc:0', targets: ownedBy(1, 2) },
    ],
  });
  const page = await one.get('/');
  expect(page).toContain('Shard 1 of 2');
  expect(page).toContain(`<a href="//gauge-0.pods.a.svc:0/?target=${other}">${other}</a>`);
  expect(await one.get(`/?target=${other}`)).toContain(`There is no target named ${other} here: shard 0 watches ${other}`);
  const labels = { statefulset: 'gauge', shard: '1', total_shards: '2' };
  expect(await one.values('snowgauge_shard_info', labels)).toEqual([1]);
  expect(await one.values('snowgauge_shard_targets')).toEqual([ownedBy(1, 2).length]);
  expect(await one.values('snowgauge_shard_fleet_targets')).toEqual([names.length]);
});

test('/api/v1/sd of several shards whose StatefulSet has no serviceName is 400, because the Host header may be a Service for all', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 1, ready: 1, service: '' });
  const one = await start(0);
  await one.watches(...names);
  await expect.poll(() => one.groups()).toHaveLength(1 + names.length);
  scale({ name: 'gauge', replicas: 2, ready: 2, service: '' });
  await one.watches(...ownedBy(0, 2));
  const body = 'the StatefulSet has no serviceName: set it, or listen.externalAddress\n';
  expect(await one.ask('/api/v1/sd')).toEqual({ status: 400, body });
});

test('/api/v1/sd of a shard that starts while another one is not ready is 503, and `settled` is absent, until all are ready', async () => {
  const { scale, start } = await world();
  // The missing shard may be a new one, whose targets the others still watch, or any other.
  scale({ name: 'gauge', replicas: 4, ready: 2 });
  const one = await start(1);
  await one.ready(200, '[+]shard ok');
  const unsure = { status: 503, body: 'not all shards are ready: unknown which shard watches which target\n' };
  expect(await one.ask('/api/v1/sd')).toEqual(unsure);
  scale({ name: 'gauge', replicas: 4, ready: 3 });
  await one.watches(...ownedBy(1, 3, 4));
  expect(await one.ask('/api/v1/sd')).toEqual(unsure);
  expect(JSON.parse(await one.get('/api/v1/shards'))).not.toHaveProperty('settled');
  const other = names.find((name) => !ownedBy(1, 3, 4).includes(name)) ?? '';
  const body = `the shard that watches ${other} is not known yet\n`;
  expect(await one.ask(`/targets/${other}/metrics`)).toEqual({ status: 404, body });
  expect(await one.get('/')).toContain('Not all shards are ready: it is unknown which shard watches which target.');
  scale({ name: 'gauge', replicas: 4, ready: 4 });
  await expect.poll(async () => (await one.ask('/api/v1/sd')).status).toBe(200);
  expect(await one.groups()).toHaveLength(4 + names.length);
  await expect.poll(async () => JSON.parse(await one.get('/api/v1/shards'))).toMatchObject({ total: 4, settled: 4 });
});

test('a window of the maintenance API holds on one shard: it rejects targets of others, and notes that for all targets', async () => {
  const { scale, start } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(1);
  await one.watches(...ownedBy(1, 2));
  await one.becomes('snowgauge_shard_fleet_targets', {}, [names.length]);
  const [[own = ''], [other = '']] = [ownedBy(1, 2), ownedBy(0, 2)];
  const path = '/api/v1/maintenance';
  const put = async (target?: string) => {
    const body = JSON.stringify({ target, for: '2h', reason: 'upgrade' });
    const { status, body: answer } = await one.ask(path, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    return { status, body: JSON.parse(answer) };
  };
  const refusal = { status: 400, body: { error: `shard 0 watches ${other}, at gauge-0.pods.a.svc:0` } };
  expect(await put(other)).toEqual(refusal);
  const ended = await one.ask(`${path}?target=${other}`, { method: 'DELETE' });
  expect({ ...ended, body: JSON.parse(ended.body) }).toEqual(refusal);
  expect(JSON.parse(await one.get(path))).toEqual({ windows: [] });
  expect(await put(own)).toMatchObject({ status: 200, body: { window: { targets: [own] }, saved: false } });
  expect((await put(own)).body).not.toHaveProperty('note');
  const note = 'holds on shard 1 only: start one on each shard, or set maintenance.windows';
  expect(await put()).toMatchObject({ status: 200, body: { note } });
  scale({ name: 'gauge', replicas: 1, ready: 1, start: 1 });
  await one.watches(...names);
  expect((await put()).body).not.toHaveProperty('note');
});

test('a node that comes back with the same name and another address stays on its shard', async () => {
  const { scale, start, putNode, remove } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const [first, second] = [await start(0), await start(1)];
  await first.watches(...ownedBy(0, 2));
  await second.watches(...ownedBy(1, 2));
  const at = names.findIndex((name) => ownerOf(name, 2) === 0);
  remove(`node-${at}`);
  putNode(at, '127.0.1.9');
  await expect.poll(async () => (await first.get('/api/v1/status')).includes('http://127.0.1.9:')).toBe(true);
  await second.watches(...ownedBy(1, 2));
});

test('while the StatefulSet cannot be watched, the last number of shards is kept, with one log line and a metric', async () => {
  const { scale, start, be, forget } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  const one = await start(0);
  await one.watches(...ownedBy(0, 2));
  expect(await one.values('snowgauge_shard_watch_successful')).toEqual([1]);
  be({ status: 403, message: 'statefulsets.apps is forbidden' });
  forget();
  await one.becomes('snowgauge_shard_watch_successful', {}, [0]);
  await one.says('StatefulSet not watched, keeping the last known number of shards', {
    reason: 'status 403: statefulsets.apps is forbidden',
    totalShards: 2,
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(one.said.filter(({ message }) => message.startsWith('StatefulSet not watched'))).toHaveLength(1);
  await one.watches(...ownedBy(0, 2));
  await one.ready(200, '[+]shard ok');
  scale({ name: 'gauge', replicas: 1, ready: 1 });
  be('well');
  await one.watches(...names);
  await one.says('StatefulSet watched again');
});

test('if the StatefulSet can be listed but not watched, the number of shards comes from lists, with one log line', async () => {
  const { scale, start, forbidWatch } = await world();
  scale({ name: 'gauge', replicas: 2, ready: 2 });
  forbidWatch('sets');
  const one = await start(0);
  await one.becomes('snowgauge_shard_watch_successful', {}, [0]);
  await one.watches(...ownedBy(0, 2));
  scale({ name: 'gauge', replicas: 1, ready: 1 });
  await one.watches(...names);
  expect(await one.values('snowgauge_shard_watch_successful')).toEqual([0]);
  const told = (words: string) => one.said.filter(({ message }) => message.startsWith(words)).length;
  expect([told('StatefulSet not watched'), told('StatefulSet watched again')]).toEqual([1, 0]);
});

test('a request for the StatefulSet that fails once is not logged, nor that the next one succeeds', async () => {
  const gauge = { metadata: { name: 'gauge' }, spec: { replicas: 2 }, status: { readyReplicas: 2 } };
  const list = JSON.stringify({ metadata: { resourceVersion: '1' }, items: [gauge] });
  let requests = 0;
  const certificate = { cert: await readFile(join(tls, 'server.crt')), key: await readFile(join(tls, 'server.key')) };
  const { url: server, close } = await serveHttps(certificate, (_, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 500 : 200).flushHeaders();
    // The third request is a watch, which stays open.
    if (requests < 3) response.end(list);
  });
  onTestFinished(close);
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const given = {
    cluster: { server, serviceAccountDir: accountOf() },
    now: () => 0,
    interval: () => 1,
    changed: () => undefined,
  };
  const setting: ShardSetting = { kind: 'pod', set: { namespace: 'a', name: 'gauge' }, ordinal: 0 };
  const { finished, status } = createShards(setting, { ...given, log, signal: stop.signal, pace: shardPace });
  // Logged soon after the status has changed, unless the signal is aborted before.
  await expect.poll(() => [status().successful, ...said.map(({ message }) => message)]).toEqual([true, 'shards changed']);
  stop.abort();
  await finished;
});

test('a shard takes every update into account, however soon the next one follows', async () => {
  const { cluster, scale } = await servePods();
  scale({ name: 'gauge', replicas: 3, ready: 2 });
  const stop = new AbortController();
  const setting: ShardSetting = { kind: 'pod', set: { namespace: 'a', name: 'gauge' }, ordinal: 2 };
  const { finished, status, isOwn } = createShards(setting, {
    ...{ cluster, now: () => 0, interval: () => 600, changed: () => undefined, log: silentLog, signal: stop.signal },
    pace: { ...shardPace, retryMs: 600_000 },
  });
  onTestFinished(async () => {
    stop.abort();
    await finished;
  });
  await expect.poll(() => status().handover?.total).toBe(3);
  expect(names.filter(isOwn)).toEqual([]);
  scale({ name: 'gauge', replicas: 3, ready: 3 });
  scale({ name: 'gauge', replicas: 3, ready: 2 });
  await expect.poll(() => names.filter(isOwn)).toEqual(ownedBy(2, 3));
});

test('a shard renews the watch of its StatefulSet after half a minute, because the connection may be dead', async () => {
  const { scale, asked, cluster } = await servePods();
  scale({ name: 'gauge', replicas: 1, ready: 1 });
  await exporter({}, cluster, { shard: { kind: 'pod', set: { namespace: 'a', name: 'gauge' }, ordinal: 0 } });
  const seconds = () =>
    asked.flatMap(({ pathname, searchParams }) =>
      pathname.endsWith('/statefulsets') && searchParams.has('watch') ? [searchParams.get('timeoutSeconds')] : [],
    );
  await expect.poll(() => seconds().length).toBeGreaterThan(0);
  expect(new Set(seconds())).toEqual(new Set(['30']));
});

test('until the number of shards is known, a shard watches nothing and is not ready, with a reason', async () => {
  const { scale, start } = await world();
  const one = await start(3);
  await one.ready(503, '[-]shard failed: waiting for StatefulSet a/gauge: not found');
  expect(await one.watched()).toEqual([]);
  expect(await one.ask('/api/v1/sd')).toEqual({
    status: 503,
    body: 'waiting for StatefulSet a/gauge: not found\n',
  });
  expect(await one.values('snowgauge_shard_info')).toEqual([]);
  scale({ name: 'gauge', replicas: 2, ready: 2, start: 2 });
  await one.watches(...ownedBy(1, 2));
  await one.ready(200, '[+]shard ok');
  expect((await one.groups()).slice(0, 2).map(({ targets }) => targets[0])).toEqual([
    'gauge-2.pods.a.svc:0',
    'gauge-3.pods.a.svc:0',
  ]);
});

test('a shard that does not learn the number of shards in time exits with a reason', async () => {
  const { start, be } = await world();
  be({ status: 403, message: 'statefulsets.apps "gauge" is forbidden' });
  const one = await start(0, { ...shardPace, patience: 8 });
  const fault =
    'no number of shards within 8 s: waiting for StatefulSet a/gauge: status 403: statefulsets.apps "gauge" is forbidden';
  expect(await one.ended()).toBe(fault);
  await one.says(fault);
});
