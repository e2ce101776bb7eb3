// What the annotations of a pod may say of it, and what becomes of those that are wrong.

import { expect, test } from 'vitest';
import { servePods } from '../support/pods-api.ts';
import { nodes, world } from './world.ts';

const target = { healthCheckFrequency: '1h', timeout: '1s', indexes: [] };

test.each(['httpp', '0', '65536'])('a port that the pod does not have makes its target invalid: %s', async (port) => {
  const api = await servePods();
  api.put({ name: 'typo', ip: '127.0.0.2', annotations: { 'snowgauge.io/port': port } });
  const { becomes, get } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'invalid' }, [1]);
  const [source] = JSON.parse(await get('/api/v1/status')).discovery;
  const examples = [`a.typo has no port named ${port}: correct snowgauge.io/port of the pod`];
  expect(source.unwatched).toMatchObject([{ reason: 'invalid', targets: 1, examples }]);
});

test('labels that say where a node runs are of relabelings alone, and the log says what is left out', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const labels = 'namespace=kube-system,pod=forged,cluster=forged,pod=again,team=a';
  const annotations = { 'snowgauge.io/port': String(port), 'snowgauge.io/labels': labels };
  api.put({ name: 'node-0', ip: '127.0.0.2', annotations });
  const relabelings = [{ action: 'replace', sourceLabels: ['__meta_kubernetes_namespace'], targetLabel: 'namespace' }];
  const discovery = { target, kubernetes: [{ namespaces: ['a'], relabelings }] };
  const { get, says } = await world({ discovery }, api.cluster);
  await says('some labels of discovered targets are not used', {
    errors: ['a.node-0: snowgauge.io/labels may not set namespace, pod, cluster: set them with relabelings'],
  });
  await expect.poll(() => get('/api/v1/sd')).toContain('a.node-0');
  const { labels: listed } = JSON.parse(await get('/api/v1/sd')).find(
    (one: { readonly labels: Readonly<Record<string, string>> }) => one.labels.instance === 'a.node-0',
  );
  expect(listed).toMatchObject({ namespace: 'a', team: 'a' });
  expect(listed).not.toHaveProperty('pod');
  expect(listed).not.toHaveProperty('cluster');
});
