// Pods that are deleted and recreated with the same name stay targets in between.

import { expect, test } from 'vitest';
import { watchPods } from '../../src/discovery/kubernetes/pods.ts';
import { servePods } from '../support/pods-api.ts';
import { following } from './updates.ts';
import { world as exporter, nodes, patience } from './world.ts';

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

test('a pod that is being deleted stays a target after its containers have ended, until it is removed', async () => {
  const api = await servePods();
  const pod = { name: 'node', ip: '10.0.0.1' };
  api.put(pod);
  const pace = { deadlineMs: 280_000, watchSeconds: 3600, retryMs: 20, goneAfterMs: 0 };
  const { finds, names } = following((context) => watchPods({ namespaces: ['a'] }, context, pace), api.cluster);
  await finds('10.0.0.1:9650');
  api.put({ ...pod, phase: 'Failed', deletionTimestamp: '2026-01-01T00:00:00Z' });
  for (const at of [2, 3]) {
    api.put({ name: `node-${at}`, ip: `10.0.0.${at}` });
    await expect.poll(names, patience).toContain(`a.node-${at}`);
    expect(names()).toContain('a.node');
  }
  api.remove('node');
  await finds('10.0.0.2:9650', '10.0.0.3:9650');
});
