// Pod discovery against a simulated API server: paged lists, watches and their failures.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createDiscovery } from '../../src/discovery/discovery.ts';
import { createPodBudget } from '../../src/discovery/kubernetes/pod-budget.ts';
import { type PodPace, watchPods } from '../../src/discovery/kubernetes/pods.ts';
import type { Cluster } from '../../src/kubernetes/exchange.ts';
import { silentLog } from '../../src/log.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import { servePods } from '../support/pods-api.ts';
import { resolving } from '../support/resolving.ts';
import { following } from './updates.ts';
import { configOf, world as exporter, nodes, patience } from './world.ts';

const fast: PodPace = { deadlineMs: 280_000, watchSeconds: 3600, goneAfterMs: 50, retryMs: 20 };

const world = async (namespaces: readonly string[] = ['a'], pace: Partial<PodPace> = {}) => {
  const api = await servePods();
  const source = () => following((context) => watchPods({ namespaces }, context, { ...fast, ...pace }), api.cluster);
  return { ...api, source };
};

test('resolves the name of the API server with the process-wide lookup', async () => {
  const api = await servePods();
  api.put({ name: 'node-1', ip: '10.0.0.1' });
  const { lookup, asked } = resolving('127.0.0.1');
  const cluster = { ...api.cluster, server: api.cluster.server.replace('127.0.0.1', 'localhost'), lookup };
  const { finds } = following((context) => watchPods({ namespaces: ['a'] }, context, fast), cluster);
  await finds('10.0.0.1:9650');
  expect(new Set(asked)).toEqual(new Set(['localhost']));
});

test('reads a list of several pages and follows every change', async () => {
  const { put, remove, source, lists } = await world();
  for (const at of [1, 2, 3, 4, 5]) put({ name: `node-${at}`, ip: `10.0.0.${at}` });
  const { finds, names, labels, updates } = source();
  await finds('10.0.0.1:9650', '10.0.0.2:9650', '10.0.0.3:9650', '10.0.0.4:9650', '10.0.0.5:9650');
  expect(names()).toContain('a.node-3');
  put({ name: 'node-6', ip: '10.0.0.6' });
  remove('node-1');
  put({ name: 'node-2', ip: '10.0.0.22', labels: { app: 'x' } });
  await finds('10.0.0.22:9650', '10.0.0.3:9650', '10.0.0.4:9650', '10.0.0.5:9650', '10.0.0.6:9650');
  expect(labels('10.0.0.22:9650')).toMatchObject({
    __meta_kubernetes_namespace: 'a',
    __meta_kubernetes_pod_name: 'node-2',
    __meta_kubernetes_pod_ip: '10.0.0.22',
    __meta_kubernetes_pod_node_name: 'machine-1',
    __meta_kubernetes_pod_ready: 'true',
    __meta_kubernetes_pod_controller_name: 'node',
    __meta_kubernetes_pod_label_app: 'x',
    __meta_kubernetes_pod_labelpresent_app: 'true',
  });
  expect(lists()).toBe(1);
  expect(updates.every(({ kind }) => kind === 'ok')).toBe(true);
});

describe('a pod', () => {
  test.each([
    { title: 'with a container port 9650', pod: {}, found: ['10.0.0.1:9650'] },
    { title: 'with only the label', pod: { ports: [], labels: { 'snowgauge.io/watch': 'true' } }, found: ['10.0.0.1:9650'] },
    { title: 'with neither port nor label', pod: { ports: [{ containerPort: 80 }] }, found: [] },
    { title: 'with the label set to false', pod: { labels: { 'snowgauge.io/watch': 'false' } }, found: [] },
    { title: 'that has completed', pod: { phase: 'Succeeded' }, found: [] },
    { title: 'without an address yet', pod: { ip: undefined }, found: [''] },
    { title: 'with an invalid name', pod: { name: 'n'.repeat(254) }, found: [] },
    { title: 'with an IPv6 address', pod: { ip: 'fd00::1' }, found: ['[fd00::1]:9650'] },
    { title: 'with the port annotation', pod: { annotations: { 'snowgauge.io/port': '9750' } }, found: ['10.0.0.1:9750'] },
    {
      title: 'with the name of a port in the annotation',
      pod: {
        annotations: { 'snowgauge.io/port': 'api' },
        ports: [{ containerPort: 9650 }, { name: 'api', containerPort: 9660 }],
      },
      found: ['10.0.0.1:9660'],
    },
    { title: 'with the host annotation', pod: { annotations: { 'snowgauge.io/host': 'node' } }, found: ['192.0.2.1:30650'] },
  ])('$title is found at $found', async ({ pod, found }) => {
    const { put, source } = await world();
    put({ name: 'last', ip: '10.0.0.9' });
    put({ name: 'node', ip: '10.0.0.1', ...pod });
    await source().finds(...found, '10.0.0.9:9650');
  });

  test('sets labels, scheme and tag sets by annotations, but not the target name', async () => {
    const { put, source } = await world();
    put({
      name: 'node',
      ip: '10.0.0.1',
      annotations: {
        'snowgauge.io/labels': 'team=a, tier=b=c,target=other,__address__=10.9.9.9',
        'snowgauge.io/scheme': 'https',
        'snowgauge.io/tag-sets': 'l1=tag',
      },
    });
    const { finds, labels } = source();
    await finds('10.0.0.1:9650');
    expect(labels('10.0.0.1:9650')).toMatchObject({ team: 'a', tier: 'b=c', __scheme__: 'https', __tag_sets__: 'l1=tag' });
    expect(labels('10.0.0.1:9650')).not.toHaveProperty('target');
  });

  test('that is recreated keeps its place in the list until it has a new address', async () => {
    const { put, remove, source } = await world(['a'], { goneAfterMs: 3000 });
    put({ name: 'node', ip: '10.0.0.1' });
    const { finds, updates, addresses } = source();
    await finds('10.0.0.1:9650');
    remove('node');
    put({ name: 'node' });
    put({ name: 'other', ip: '10.0.0.2' });
    await finds('10.0.0.1:9650', '10.0.0.2:9650');
    put({ name: 'node', ip: '10.0.0.3' });
    await finds('10.0.0.2:9650', '10.0.0.3:9650');
    expect(updates.every(({ found }) => (found?.length ?? 0) > 0)).toBe(true);
    remove('node');
    await expect.poll(addresses).toEqual(['10.0.0.2:9650']);
  });
});

describe('a watch', () => {
  test('resumes after a broken connection without a new list and misses no event', async () => {
    const { put, source, drop, tear, lists, watches } = await world();
    put({ name: 'node-1', ip: '10.0.0.1' });
    const { finds, updates } = source();
    await finds('10.0.0.1:9650');
    await expect.poll(watches).toBe(1);
    tear();
    drop();
    put({ name: 'node-2', ip: '10.0.0.2' });
    await finds('10.0.0.1:9650', '10.0.0.2:9650');
    expect(lists()).toBe(1);
    expect(updates.every(({ kind }) => kind === 'ok')).toBe(true);
  });

  test('lists again when its resource version has expired', async () => {
    const { put, remove, source, forget, lists, watches } = await world();
    put({ name: 'node-1', ip: '10.0.0.1' });
    put({ name: 'node-2', ip: '10.0.0.2' });
    const { finds } = source();
    await finds('10.0.0.1:9650', '10.0.0.2:9650');
    await expect.poll(watches).toBe(1);
    remove('node-1');
    put({ name: 'node-3', ip: '10.0.0.3' });
    forget();
    await finds('10.0.0.2:9650', '10.0.0.3:9650');
    await expect.poll(lists).toBe(2);
  });

  test('resumes from the last bookmark', async () => {
    const { put, source, bookmark, drop, watches, asked } = await world();
    put({ name: 'node-1', ip: '10.0.0.1' });
    const { finds } = source();
    await finds('10.0.0.1:9650');
    await expect.poll(watches).toBe(1);
    bookmark();
    // Both events arrive on one connection, in this order.
    put({ name: 'node-2', ip: '10.0.0.2' });
    await finds('10.0.0.1:9650', '10.0.0.2:9650');
    bookmark();
    drop();
    await expect.poll(() => asked.at(-1)?.searchParams.get('resourceVersion')).toMatch(/^(?:152|202)$/);
    expect(asked.at(-1)?.searchParams.get('allowWatchBookmarks')).toBe('true');
  });

  test('fails on a connection that is silent for too long', async () => {
    const { put, source, be, watches, lists } = await world(['a'], { watchSeconds: 0.2, deadlineMs: 1000 });
    put({ name: 'node-1', ip: '10.0.0.1' });
    const { finds, fails, recovers } = source();
    await finds('10.0.0.1:9650');
    await expect.poll(watches).toBe(1);
    const listed = lists();
    be('mute');
    await fails(/^namespace a: no response within 1000 ms \(API server /);
    put({ name: 'node-2', ip: '10.0.0.2' });
    be('well');
    await recovers();
    await finds('10.0.0.1:9650', '10.0.0.2:9650');
    expect(lists()).toBe(listed);
  });
});

test('keeps at most 65 annotations of a pod, from lists and from watch events', async () => {
  const { put, source } = await world();
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`example.com/a${at}`, 'x']));
  const annotations = { large: 'x'.repeat(250_000), ...many, 'snowgauge.io/port': '9750' };
  put({ name: 'node-1', ip: '10.0.0.1', annotations });
  const { finds, labels } = source();
  await finds('10.0.0.1:9750');
  put({ name: 'node-2', ip: '10.0.0.2', annotations });
  await finds('10.0.0.1:9750', '10.0.0.2:9750');
  for (const address of ['10.0.0.1:9750', '10.0.0.2:9750']) {
    const names = Object.keys(labels(address));
    expect(names).not.toContain('__meta_kubernetes_pod_annotation_large');
    expect(names.filter((name) => name.startsWith('__meta_kubernetes_pod_annotation_'))).toHaveLength(65);
  }
});

test('sets at most 101 labels from one annotation with thousands of names', async () => {
  const { put, source } = await world();
  const names = Array.from({ length: 2000 }, (_, at) => `a${at}=x`).join(',');
  put({ name: 'node', ip: '10.0.0.1', annotations: { 'snowgauge.io/labels': names } });
  const { finds, labels } = source();
  await finds('10.0.0.1:9650');
  expect(Object.keys(labels('10.0.0.1:9650')).filter((name) => /^a\d/.test(name))).toHaveLength(101);
});

test('keeps the previous list while the labels and annotations of all pods are too large', async () => {
  const api = await servePods();
  api.put({ name: 'node-1', ip: '10.0.0.1' });
  const { finds, fails, recovers, addresses } = following(
    (context) => watchPods({ namespaces: ['a'] }, context, fast, createPodBudget(20_000)),
    api.cluster,
  );
  await finds('10.0.0.1:9650');
  const annotations = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, 'x'.repeat(1000)]));
  api.put({ name: 'node-2', ip: '10.0.0.2', annotations });
  await fails(/^namespace a: labels and annotations of the pods are more than /);
  expect(addresses()).toEqual(['10.0.0.1:9650']);
  api.put({ name: 'node-2', ip: '10.0.0.2' });
  await recovers();
  await finds('10.0.0.1:9650', '10.0.0.2:9650');
});

test('sources share the limit for labels and annotations, and a source retries once another has freed space', async () => {
  const api = await servePods();
  const budget = createPodBudget(40_000);
  const annotations = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`, 'x'.repeat(1000)]));
  api.put({ name: 'node-1', ip: '10.0.0.1', annotations });
  api.put({ name: 'node-2', ip: '10.0.0.2', namespace: 'b', annotations });
  const [first, second] = ['a', 'b'].map(
    (namespace) => () => following((context) => watchPods({ namespaces: [namespace] }, context, fast, budget), api.cluster),
  );
  await first?.().finds('10.0.0.1:9650');
  const other = second?.();
  await other?.fails(/^namespace b: labels and annotations of the pods are more than /);
  api.remove('node-1');
  await other?.finds('10.0.0.2:9650');
});

test('shares at most a thousand label names between pods', () => {
  const budget = createPodBudget();
  const sizes = Array.from({ length: 1001 }, (_, at) => {
    const pod = { labels: new Map([[`label_${at}`, 'x']]) };
    budget.compact(pod);
    return budget.sizeOf(pod);
  });
  expect(new Set(sizes.slice(0, 1000)).size).toBe(1);
  expect(sizes[1000]).toBeGreaterThan(sizes[999] ?? 0);
});

test('drops replaced pods early when their number exceeds the budget', async () => {
  const api = await servePods(100);
  const putAll = (list: number): void => {
    for (let at = 0; at < 30; at += 1) api.put({ name: `node-${list}-${at}`, ip: '10.0.0.1' });
  };
  putAll(0);
  const { addresses, names, updates } = following(
    (context) => watchPods({ namespaces: ['a'] }, context, { ...fast, goneAfterMs: 3_600_000 }, createPodBudget(60_000)),
    api.cluster,
  );
  await expect.poll(() => addresses()?.length).toBe(30);
  for (const list of [1, 2, 3, 4]) {
    for (let at = 0; at < 30; at += 1) api.remove(`node-${list - 1}-${at}`);
    putAll(list);
    api.forget();
    await expect.poll(() => names()?.filter((name) => name?.startsWith(`a.node-${list}-`)).length).toBe(30);
  }
  expect(Math.max(...updates.map(({ found }) => found?.length ?? 0))).toBeLessThan(100);
});

test('applies the changes of a pod that keeps changing at increasing intervals', async () => {
  const api = await servePods();
  const stop = new AbortController();
  const times: number[] = [];
  const { discovery: config } = await configOf({ discovery: { kubernetes: [{ namespaces: ['a'] }] } });
  const discovery = createDiscovery({
    ...{ cluster: api.cluster, log: silentLog, signal: stop.signal, userAgent: 'test', now: () => performance.now() / 1000 },
    answers: () => Promise.resolve(true),
    apply: () => times.push(performance.now()),
    pace: { settleMs: 10 },
  });
  discovery.configure(config, []);
  const pause = (): number => (times.at(-1) ?? 0) - (times.at(-2) ?? 0);
  for (let at = 0; times.length < 60 && (times.length < 2 || pause() < 150); at += 1) {
    api.put({ name: 'node', ip: '10.0.0.1', annotations: { 'snowgauge.io/labels': `at=${at}` } });
    await yieldToEventLoop();
  }
  stop.abort();
  await discovery.finished;
  expect(pause()).toBeGreaterThanOrEqual(150);
});

test('starts the requests of many sources one at a time', async () => {
  const api = await servePods();
  const stop = new AbortController();
  const { signal } = stop;
  onTestFinished(() => stop.abort());
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (!signal.aborted) setImmediate(count);
  };
  count();
  const begun: number[] = [];
  const { lookup } = resolving('127.0.0.1');
  const cluster: Cluster = {
    ...{ ...api.cluster, server: api.cluster.server.replace('127.0.0.1', 'localhost') },
    lookup: (...question) => {
      begun.push(turn);
      lookup(...question);
    },
  };
  const namespaces = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const { discovery: config } = await configOf({ discovery: { kubernetes: namespaces.map((one) => ({ namespaces: [one] })) } });
  const now = (): number => performance.now() / 1000;
  const discovery = createDiscovery({ cluster, signal, log: silentLog, userAgent: 'test', now, apply: () => undefined });
  discovery.configure(config, []);
  await expect.poll(() => begun.length, patience).toBeGreaterThanOrEqual(2 * namespaces.length);
  stop.abort();
  await discovery.finished;
  const apart = begun.slice(1).map((at, place) => at - (begun[place] ?? 0));
  expect(Math.min(...apart)).toBeGreaterThan(1);
});

test('hundreds of pods deleted at once cause few updates', async () => {
  const { put, remove, cluster } = await servePods(100);
  const names = Array.from({ length: 300 }, (_, at) => `node-${at}`);
  for (const name of names) put({ name, ip: '10.0.0.1' });
  const { addresses, updates } = following((context) => watchPods({ namespaces: ['a'] }, context, fast), cluster);
  await expect.poll(() => addresses()?.length).toBe(300);
  for (const name of names) remove(name);
  await expect.poll(addresses).toEqual([]);
  expect(updates.length).toBeLessThan(150);
});

test('outside a pod reports the missing KUBERNETES_SERVICE_HOST', async () => {
  const { fails } = following((context) => watchPods({ namespaces: ['a'] }, context, fast));
  await fails(/KUBERNETES_SERVICE_HOST/);
});

test('a pod without an address is counted as pending and becomes a target once it has one', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const pod = { name: 'node-0', ports: [{ containerPort: 9650 }], annotations: { 'snowgauge.io/port': String(port) } };
  api.put(pod);
  const target = { healthCheckFrequency: '1h', timeout: '1m', indexes: [] };
  const { becomes, watches, get, says, said } = await exporter(
    { discovery: { target, kubernetes: [{ namespaces: ['a'] }] } },
    api.cluster,
  );
  const counts = (count: number) =>
    becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'pending' }, [count]);
  await counts(1);
  await watches();
  const message = 'discovered pods have no address yet and are not watched';
  expect(JSON.parse(await get('/api/v1/status')).discovery).toMatchObject([
    { status: 'True', targets: 0, unwatched: [{ reason: 'pending', targets: 1, message, examples: ['a.node-0'] }] },
  ]);
  expect(JSON.parse(await get('/api/v1/safe-to-restart')).judgedFrom).toMatchObject({ targets: 0, notWatched: 1 });
  await says(message, { count: 1, errors: ['a.node-0: has no address yet'] });
  api.put({ ...pod, ip: '127.0.0.2' });
  await watches('a.node-0');
  await counts(0);
  // A recreated pod stays a target, which is down until it has its new address.
  api.remove('node-0');
  api.put(pod);
  api.put({ ...pod, name: 'node-1' });
  await counts(1);
  await watches('a.node-0');
  expect(said.filter((one) => one.message === message)).toHaveLength(2);
});

test('a pod becomes a target, moves to its new address and is removed', async () => {
  const [{ port, asked }, api] = [await nodes(), await servePods()];
  const ports = [{ containerPort: port }];
  const pod = {
    name: 'node-0',
    labels: { 'snowgauge.io/watch': 'true' },
    annotations: { 'snowgauge.io/port': String(port) },
    ports,
  };
  api.put({ ...pod, ip: '127.0.0.2' });
  const target = { healthCheckFrequency: '1h', timeout: '1m', indexes: [] };
  const relabelings = [{ action: 'replace', sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'machine' }];
  const given = { discovery: { target, kubernetes: [{ namespaces: ['a'], relabelings }] } };
  const { becomes, watches, get } = await exporter(given, api.cluster);
  await becomes('snowgauge_up', { target: 'a.node-0', machine: 'machine-1' }, [1]);
  api.remove('node-0');
  api.put(pod);
  api.put({ ...pod, ip: '127.0.0.3' });
  await becomes('snowgauge_polls_total', { target: 'a.node-0', api: 'health', outcome: 'ok' }, [2]);
  expect(asked.get(`127.0.0.3:${port}`)).toBeGreaterThan(0);
  expect(await get('/targets/a.node-0/livez')).toMatch(/^True NodeResponding/);
  api.remove('node-0');
  await watches();
});
