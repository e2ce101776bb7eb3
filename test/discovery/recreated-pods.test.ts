// Pods that are deleted and recreated with the same name stay the same targets.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchPods } from '../../src/discovery/kubernetes/pods.ts';
import { freePort } from '../support/free-port.ts';
import { servePods } from '../support/pods-api.ts';
import { following } from './updates.ts';
import { world as exporter, folderOf, nodes, patience } from './world.ts';

const target = { healthCheckFrequency: '1s', indexes: [] };

/** A pod `node` in this namespace. Its node listens on this port. */
const podIn = (namespace: string, port: number) => ({
  ...{ namespace, name: 'node', ports: [{ containerPort: 9650 }] },
  annotations: { 'snowgauge.io/port': String(port) },
});

test('the last address of a recreated pod goes to a pod of a later source that has it now', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const [first, second] = [podIn('a', port), podIn('b', port)];
  api.put({ ...first, ip: '127.0.0.2' });
  const kubernetes = ['a', 'b'].map((namespace) => ({ namespaces: [namespace] }));
  const { watches, becomes } = await exporter({ discovery: { target, kubernetes } }, api.cluster);
  await watches('a.node');
  api.remove('node');
  api.put(first);
  api.put({ ...second, ip: '127.0.0.2' });
  await watches('b.node');
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'pending' }, [1]);
  api.put({ ...first, ip: '127.0.0.3' });
  await watches('a.node', 'b.node');
});

test('a recreated pod without an address yet stays a target when a reload adds a namespace', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  api.put({ ...podIn('a', port), ip: '127.0.0.2' });
  const watching = (...namespaces: readonly string[]) => ({ discovery: { target, kubernetes: [{ namespaces }] } });
  const { watches, configure } = await exporter(watching('a'), api.cluster);
  await watches('a.node');
  api.remove('node');
  api.put(podIn('a', port));
  // Its events come after those of the other one.
  api.put({ ...podIn('a', port), name: 'other', ip: '127.0.0.3' });
  await watches('a.node', 'a.other');
  api.put({ ...podIn('b', port), ip: '127.0.0.4' });
  await configure(watching('a', 'b'));
  await watches('a.node', 'a.other', 'b.node');
});

test('a pod that is being deleted stays a target after its containers have ended, until it is removed', async () => {
  const api = await servePods();
  const pod = { name: 'node', ip: '10.0.0.1' };
  const ended = { phase: 'Failed', deletionTimestamp: '2026-01-01T00:00:00Z' };
  api.put(pod);
  api.put({ name: 'ended-before', ip: '10.0.0.9', ...ended });
  const pace = { deadlineMs: 280_000, watchSeconds: 3600, retryMs: 20, goneAfterMs: 0 };
  const { finds, names } = following((context) => watchPods({ namespaces: ['a'] }, context, pace), api.cluster);
  await finds('10.0.0.1:9650');
  api.put({ ...pod, ...ended });
  for (const at of [2, 3]) {
    api.put({ name: `node-${at}`, ip: `10.0.0.${at}` });
    await expect.poll(names, patience).toContain(`a.node-${at}`);
    expect(names()).toContain('a.node');
  }
  api.remove('node');
  await finds('10.0.0.2:9650', '10.0.0.3:9650');
});

test('a pod watched before a restart, and without an address after it, is watched as down if it refuses at its new one', async () => {
  const [{ port }, api, stateDir, closed] = [await nodes(), await servePods(), await folderOf(), await freePort()];
  const relabelings = [{ sourceLabels: ['__meta_kubernetes_namespace'], targetLabel: 'target' }];
  const given = { stateDir, discovery: { target, kubernetes: [{ namespaces: ['a', 'b'], relabelings }] } };
  api.put({ ...podIn('a', port), ip: '127.0.0.2' });
  api.put({ ...podIn('b', port), ip: '127.0.0.3' });
  const before = await exporter(given, api.cluster);
  await before.watches('a', 'b');
  const saved = () => readFile(join(stateDir, 'discovered.json'), 'utf8').catch(() => '');
  await expect.poll(saved, patience).toMatch(/"a".*"b"|"b".*"a"/);
  await before.end();
  api.remove('node');
  api.put(podIn('a', port));
  const after = await exporter(given, api.cluster);
  await after.watches('b');
  await after.becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'pending' }, [1]);
  api.put({ ...podIn('a', closed), ip: '127.0.0.2' });
  await after.becomes('snowgauge_up', { target: 'a' }, [0]);
});

test('a pod without an address is pending, also if relabelings make its name from the address', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const relabelings = [
    { sourceLabels: ['__meta_kubernetes_pod_ip', '__meta_kubernetes_pod_name'], separator: '.', targetLabel: 'target' },
  ];
  api.put({ ...podIn('a', port), ip: '127.0.0.2' });
  api.put({ ...podIn('b', port) });
  const { watches, becomes } = await exporter(
    { discovery: { target, kubernetes: [{ namespaces: ['a', 'b'], relabelings }] } },
    api.cluster,
  );
  await watches('127.0.0.2.node');
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'pending' }, [1]);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'invalid' }, [0]);
});
