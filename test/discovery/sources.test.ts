// The lists of sources across reloads, late parts and long periods without changes.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../src/discovery/file/file.ts';
import { createPodBudget } from '../../src/discovery/kubernetes/pod-budget.ts';
import { type PodPace, watchPods } from '../../src/discovery/kubernetes/pods.ts';
import { runningSources } from '../../src/discovery/running.ts';
import type { Cluster } from '../../src/kubernetes/exchange.ts';
import { silentLog } from '../../src/log.ts';
import { servePods } from '../support/pods-api.ts';
import { following } from './updates.ts';
import { configOf, folderOf, patience, put } from './world.ts';

const pace: PodPace = { deadlineMs: 280_000, watchSeconds: 3600, goneAfterMs: 50, retryMs: 20 };

/** Starts sources from a configuration. */
const running = (cluster: Cluster = { server: undefined, serviceAccountDir: '' }) => {
  const stop = new AbortController();
  const shared = { now: () => Date.now() / 1000, log: silentLog, signal: stop.signal, userAgent: 'test' };
  const sources = runningSources({
    ...{ ...shared, cluster },
    changed: () => undefined,
    fail: (fault) => {
      throw fault;
    },
  });
  onTestFinished(async () => {
    stop.abort();
    await sources.stop();
  });
  const configureAll = async (discovery: object): Promise<void> => {
    const config = await configOf({ discovery });
    if (config.discovery !== undefined) await sources.configure(config.discovery);
  };
  return {
    /** Configures file sources, each with these files. */
    configure: (...each: readonly (readonly string[])[]) => configureAll({ file: each.map((files) => ({ files })) }),
    configurePods: (...namespaces: readonly string[]) => configureAll({ kubernetes: [{ namespaces }] }),
    configureAll,
    lists: () => sources.all().map(({ list }) => [list.source, ...list.found.map(({ labels }) => labels.get('__address__'))]),
    isSuccessful: () => sources.all()[0]?.successful,
  };
};

test('a reload that removes or inserts a source keeps the lists of the others', async () => {
  const folder = await folderOf();
  const [a = '', b = '', missing = ''] = ['a.json', 'b.json', 'missing.json'].map((name) => join(folder, name));
  await put(a, [{ targets: ['a:1'] }]);
  await put(b, [{ targets: ['b:1'] }]);
  const { configure, lists, isSuccessful } = running();
  await configure([a], [b]);
  await expect.poll(lists, patience).toEqual([
    ['file/0', 'a:1'],
    ['file/1', 'b:1'],
  ]);
  await configure([b]);
  expect(lists()).toEqual([['file/0', 'b:1']]);
  await configure([missing], [b]);
  await expect.poll(isSuccessful, patience).toBe(false);
  expect(lists()).toEqual([['file/0'], ['file/1', 'b:1']]);
  // A changed source keeps the list of its predecessor until it has its own.
  await configure([missing], [b, a]);
  expect(lists()).toEqual([['file/0'], ['file/1', 'b:1']]);
  // Nothing has moved to a new source that reads the same as one that goes on.
  await configure([missing], [b, a], [b]);
  expect(lists()[2]).toEqual(['file/2']);
});

test('a failing file keeps its list across a reload that changes the other files of the source', async () => {
  const folder = await folderOf();
  const [a = '', b = '', c = ''] = ['a.json', 'b.json', 'c.json'].map((name) => join(folder, name));
  for (const [at, file] of [a, b, c].entries()) await put(file, [{ targets: [`node-${at}:1`] }]);
  const sources = running();
  await sources.configure([a, b]);
  await expect.poll(sources.lists, patience).toEqual([['file/0', 'node-0:1', 'node-1:1']]);
  await put(b, '[{');
  await expect.poll(sources.isSuccessful, patience).toBe(false);
  await sources.configure([a, b, c]);
  await expect.poll(sources.lists, patience).toEqual([['file/0', 'node-0:1', 'node-1:1', 'node-2:1']]);
  // A file that is no longer read loses its list.
  await sources.configure([a, c]);
  await expect.poll(sources.lists, patience).toEqual([['file/0', 'node-0:1', 'node-2:1']]);
});

test('a source that a reload both changes and moves keeps its list', async () => {
  const folder = await folderOf();
  const [a = '', missing = '', other = ''] = ['a.json', 'missing.json', 'other.json'].map((name) => join(folder, name));
  await put(a, [{ targets: ['a:1'] }]);
  const { configure, lists } = running();
  await configure([a]);
  await expect.poll(lists, patience).toEqual([['file/0', 'a:1']]);
  await configure([other], [missing, a]);
  expect(lists()).toEqual([['file/0'], ['file/1', 'a:1']]);
});

test('a reload that splits a source, or joins several, keeps the targets of all parts', async () => {
  const folder = await folderOf();
  const [a = '', b = '', c = '', missing = ''] = ['a.json', 'b.json', 'c.json', 'm.json'].map((name) => join(folder, name));
  for (const [at, file] of [a, b, c].entries()) await put(file, [{ targets: [`node-${at}:1`] }]);
  const { configure, lists } = running();
  await configure([join(folder, '*.json'), missing]);
  await expect.poll(lists, patience).toEqual([['file/0', 'node-0:1', 'node-1:1', 'node-2:1']]);
  await configure([missing], [a, join(folder, '*.json')], [b, missing]);
  expect(lists()).toEqual([['file/0'], ['file/1', 'node-0:1', 'node-1:1', 'node-2:1'], ['file/2', 'node-1:1']]);
  await configure([a, missing], [b], [c]);
  await configure([missing, a, b, c]);
  expect(lists()).toEqual([['file/0', 'node-0:1', 'node-1:1', 'node-2:1']]);
});

test('a reload that gives a namespace its own source keeps its pods, also while the API server is down', async () => {
  const { put: putPod, be, cluster } = await servePods();
  for (const [at, namespace] of ['a', 'b'].entries()) putPod({ namespace, name: 'node', ip: `10.0.0.${at}` });
  const { configureAll, lists } = running(cluster);
  await configureAll({ kubernetes: [{ namespaces: ['a', 'b'] }] });
  await expect.poll(() => lists()[0]?.toSorted(), patience).toEqual(['10.0.0.0:9650', '10.0.0.1:9650', 'kubernetes/0']);
  be({ status: 500, message: 'etcd' });
  await configureAll({ kubernetes: [{ namespaces: ['a'] }, { namespaces: ['b'] }] });
  // Each at once, or the pods of one would have the names, by the relabelings, of the other.
  expect(lists()).toEqual([
    ['kubernetes/0', '10.0.0.0:9650'],
    ['kubernetes/1', '10.0.0.1:9650'],
  ]);
});

test('a source of which one part has always failed removes its last target', async () => {
  const folder = await folderOf();
  const a = join(folder, 'a.json');
  await put(a, [{ targets: ['a:1'] }]);
  const { configure, lists } = running();
  await configure([a, join(folder, 'missing.json')]);
  await expect.poll(lists, patience).toEqual([['file/0', 'a:1']]);
  await put(a, []);
  await expect.poll(lists, patience).toEqual([['file/0']]);
});

test('a forbidden namespace keeps its pods across a reload that changes the other namespaces', async () => {
  const { put: putPod, forbid, hold, cluster } = await servePods();
  for (const [at, namespace] of ['a', 'b', 'c', 'd'].entries()) putPod({ namespace, name: 'node', ip: `10.0.0.${at}` });
  const sources = running(cluster);
  const addresses = (): readonly unknown[] | undefined => sources.lists()[0]?.slice(1).toSorted();
  await sources.configurePods('a', 'b', 'd');
  await expect.poll(addresses, patience).toEqual(['10.0.0.0:9650', '10.0.0.1:9650', '10.0.0.3:9650']);
  forbid('b');
  const release = hold('c');
  await sources.configurePods('a', 'b', 'c');
  // The list does not change until the other namespaces are read.
  expect(addresses()).toEqual(['10.0.0.0:9650', '10.0.0.1:9650', '10.0.0.3:9650']);
  putPod({ namespace: 'a', name: 'node', ip: '10.0.0.9' });
  release();
  await expect.poll(addresses, patience).toEqual(['10.0.0.1:9650', '10.0.0.2:9650', '10.0.0.9:9650']);
  expect(sources.isSuccessful()).toBe(false);
});

test('a forbidden namespace does not publish a partial list before the others are read', async () => {
  const { put: putPod, hold, cluster, asked } = await servePods();
  putPod({ name: 'node-1', ip: '10.0.0.1' });
  putPod({ namespace: 'c', name: 'node-2', ip: '10.0.0.2' });
  const release = hold('a');
  const { finds, fails, updates } = following(
    (context) => watchPods({ namespaces: ['a', 'c', 'forbidden'] }, context, pace),
    cluster,
  );
  await expect
    .poll(() => asked.some(({ pathname, search }) => /\/c\/pods$/.test(pathname) && search.includes('watch')))
    .toBe(true);
  // The forbidden namespace is retried.
  await expect.poll(() => asked.filter(({ pathname }) => pathname.includes('/forbidden/')).length).toBeGreaterThan(2);
  expect(updates).toEqual([]);
  release();
  await finds('10.0.0.1:9650', '10.0.0.2:9650');
  await fails(/^namespace forbidden: status 403/);
  expect(updates[0]?.found).toHaveLength(2);
});

test('an unchanged file is reported as refreshed with the same list object', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await writeFile(file, JSON.stringify([{ targets: ['a:1'] }]));
  const { finds, updates } = following((context) => watchFiles({ files: [file] }, context, { everyMs: 20, settleMs: 1 }));
  await finds('a:1');
  const before = updates.length;
  await expect.poll(() => updates.length, patience).toBeGreaterThan(before + 2);
  expect(new Set(updates.slice(before).map(({ kind, found }) => JSON.stringify([kind, found?.length])))).toEqual(
    new Set(['["ok",1]']),
  );
  expect(new Set(updates.slice(before).map(({ found }) => found)).size).toBe(1);
});

test('unchanged pods are reported as refreshed with each new watch', async () => {
  const { put: putPod, cluster } = await servePods();
  putPod({ name: 'node-1', ip: '10.0.0.1' });
  const { finds, updates } = following(
    (context) => watchPods({ namespaces: ['a'] }, context, { ...pace, watchSeconds: 0.05 }),
    cluster,
  );
  await finds('10.0.0.1:9650');
  const before = updates.length;
  await expect.poll(() => updates.length, patience).toBeGreaterThan(before + 2);
  expect(updates.every(({ kind }) => kind === 'ok')).toBe(true);
  expect(new Set(updates.slice(before).map(({ found }) => found)).size).toBe(1);
});

test('pods rejected by the limit of all sources are offered again', async () => {
  const { put: putPod, cluster } = await servePods();
  putPod({ name: 'node-1', ip: '10.0.0.1' });
  const offered: number[] = [];
  following(
    (context) =>
      watchPods(
        { namespaces: ['a'] },
        { ...context, update: ({ found = [] }) => offered.push(found.length) > 2 },
        { ...pace, watchSeconds: 0.05 },
      ),
    cluster,
  );
  await expect.poll(() => offered.length, patience).toBeGreaterThan(2);
  expect(offered.slice(0, 3)).toEqual([1, 1, 1]);
});

test('a list that fails halfway releases its share of the budget', async () => {
  const api = await servePods();
  const budget = createPodBudget(40_000);
  const annotations = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`a${at}`, 'x'.repeat(1000)]));
  for (const at of [1, 2, 3]) api.put({ name: `node-${at}`, ip: `10.0.0.${at}`, annotations });
  api.put({ name: 'node', ip: '10.0.1.1', namespace: 'b', annotations });
  const source = (namespace: string) =>
    following((context) => watchPods({ namespaces: [namespace] }, context, { ...pace, retryMs: 3_600_000 }, budget), api.cluster);
  const release = api.hold('a');
  const first = source('a');
  await expect.poll(() => api.asked.length, patience).toBe(1);
  release();
  // Fails the second page.
  api.be({ status: 500, message: 'etcd' });
  await first.fails(/^namespace a: status 500: etcd$/);
  api.be('well');
  const second = source('b');
  await expect.poll(() => second.updates.length, patience).toBeGreaterThan(0);
  expect(second.updates[0]).toMatchObject({ kind: 'ok' });
});
