// The annotations of a pod, and how invalid ones are reported.

import { expect, test } from 'vitest';
import { servePods } from '../support/pods-api.ts';
import { nodes, world } from './world.ts';

const target = { healthCheckFrequency: '1h', timeout: '1s', indexes: [] };

test.each([
  ...['httpp', '0', '65536'].map((port) => ({
    annotation: 'port',
    value: port,
    says: `has no port named ${port}: correct snowgauge.io/port of the pod`,
  })),
  {
    annotation: 'host',
    value: 'nod',
    says: 'its annotation snowgauge.io/host must be node, or absent for the address of the pod',
  },
  {
    annotation: 'scheme',
    value: 'gopher',
    says: 'its scheme must be http or https: correct the annotation snowgauge.io/scheme',
  },
  { annotation: 'path', value: 'noslash', says: 'its path must begin with /: correct the annotation snowgauge.io/path' },
  {
    annotation: 'path',
    value: '/?key=secret',
    says: 'the annotation snowgauge.io/path has a query or a fragment: remove everything from the ? or # on',
  },
])(
  'a pod with the annotation $annotation: $value is not watched, and the status says why',
  async ({ annotation, value, says }) => {
    const api = await servePods();
    api.put({ name: 'typo', ip: '127.0.0.2', annotations: { [`snowgauge.io/${annotation}`]: value } });
    const { becomes, get } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
    await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'invalid' }, [1]);
    const [source] = JSON.parse(await get('/api/v1/status')).discovery;
    expect(source.unwatched).toMatchObject([{ reason: 'invalid', targets: 1, examples: [`a.typo ${says}`] }]);
  },
);

test.each([
  { pod: { labels: { 'snowgauge.io/watch': 'yes' } }, says: 'its label snowgauge.io/watch must be "true" or "false"' },
  {
    pod: { ports: [{ containerPort: 9650 }], annotations: { 'snowgauge.io/host': 'node' } },
    says: 'has no hostPort for its port 9650, which snowgauge.io/host: node needs',
  },
  ...['port', 'watch'].map((annotation) => ({
    pod: { ports: [{ containerPort: 9660 }], annotations: { [`snowgauge.io/${annotation}`]: '9660' } },
    says: `has the annotation snowgauge.io/${annotation}, but neither the label snowgauge.io/watch: "true" nor a container port 9650`,
  })),
])('a pod is not watched if it $says', async ({ pod, says }) => {
  const api = await servePods();
  api.put({ name: 'typo', ip: '127.0.0.2', ...pod });
  const { becomes, get } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'invalid' }, [1]);
  const [source] = JSON.parse(await get('/api/v1/status')).discovery;
  expect(source.unwatched).toMatchObject([{ reason: 'invalid', targets: 1, examples: [`a.typo ${says}`] }]);
});

test('sidecar annotations are ignored without a warning and do not make a pod a node', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const annotations = { 'snowgauge.io/url': 'http://a', 'snowgauge.io/maintenance-until': '2h' };
  api.put({ name: 'sidecar', ip: '127.0.0.2', ports: [], annotations });
  api.put({ name: 'node', ip: '127.0.0.3', annotations: { ...annotations, 'snowgauge.io/port': String(port) } });
  const { watches, said } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
  await watches('a.node');
  expect(said).not.toContainEqual(expect.objectContaining({ message: expect.stringContaining('not ') }));
});

test.each([
  {
    annotation: 'tag-sets',
    value: 'my-l1=TAG;foo',
    says: 'is not used: "foo" has no tags: write NAME=TAG,TAG;NAME=TAG, auto or all',
  },
  { annotation: 'labels', value: 'b,region,team=a', says: 'has no value for b, region: write NAME=VALUE,NAME=VALUE' },
  { annotation: 'labels', value: '__scheme__=https', says: 'may not set __scheme__: set them with relabelings' },
  ...[
    { annotation: 'tagsets', says: 'is unknown: did you mean snowgauge.io/tag-sets?' },
    { annotation: 'watch', says: 'is unknown: set the label of that name' },
    { annotation: 'colour', says: 'is unknown: expected one of port, host, scheme, path, tag-sets, labels' },
  ].map((one) => ({ ...one, value: 'true' })),
  {
    annotation: 'labels',
    value: `pod=forged,${Array.from({ length: 10 }, (_, at) => `l${at}`)}`,
    says: 'may not set pod: set them with relabelings; it has no value for l0, l1, l2, l3, l4, l5, l6, l7 and 2 more: write NAME=VALUE,NAME=VALUE',
  },
])('an annotation $annotation: $value is ignored, and the log says why', async ({ annotation, value, says }) => {
  const api = await servePods();
  api.put({ name: 'typo', ip: '127.0.0.2', annotations: { [`snowgauge.io/${annotation}`]: value } });
  const { says: logs } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
  const errors = [`a.typo: the annotation snowgauge.io/${annotation} ${says}`];
  await logs('some labels or annotations of discovered targets are not used', { source: 'kubernetes/0', count: 1, errors });
});

test('annotations cannot set labels for the location of a node; relabelings can, and the log names the ignored labels', async () => {
  const [{ port }, api] = [await nodes(), await servePods()];
  const labels = 'namespace=kube-system,pod=forged,cluster=forged,pod=again,team=a';
  const annotations = { 'snowgauge.io/port': String(port), 'snowgauge.io/labels': labels };
  api.put({ name: 'node-0', ip: '127.0.0.2', annotations });
  const relabelings = [{ action: 'replace', sourceLabels: ['__meta_kubernetes_namespace'], targetLabel: 'namespace' }];
  const discovery = { target, kubernetes: [{ namespaces: ['a'], relabelings }] };
  const { get, says } = await world({ discovery }, api.cluster);
  await says('some labels or annotations of discovered targets are not used', {
    errors: ['a.node-0: the annotation snowgauge.io/labels may not set namespace, pod, cluster: set them with relabelings'],
  });
  await expect.poll(() => get('/api/v1/sd')).toContain('a.node-0');
  const { labels: listed } = JSON.parse(await get('/api/v1/sd')).find(
    (one: { readonly labels: Readonly<Record<string, string>> }) => one.labels.instance === 'a.node-0',
  );
  expect(listed).toMatchObject({ namespace: 'a', team: 'a' });
  expect(listed).not.toHaveProperty('pod');
  expect(listed).not.toHaveProperty('cluster');
});
