// Pods that are deleted and recreated with the same name stay targets in between.

import { test } from 'vitest';
import { servePods } from '../support/pods-api.ts';
import { world as exporter, nodes } from './world.ts';

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
