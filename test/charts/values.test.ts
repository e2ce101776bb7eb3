// Each value that is passed to an object, with the path where it must appear: a value without effect is worse than none.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openMemoryStore } from '../../src/node/index/memory-store.ts';
import type { Store } from '../../src/node/index/store.ts';
import { plannedChains, quietScenario } from '../../src/node/scenario.ts';
import { at, type Manifest, named, objectsOf, root } from '../support/chart.ts';
import { bootstrapped, kept, runningChains } from '../support/node-store.ts';
import { describeWith } from '../support/tools.ts';

interface Row {
  /** The path as in `--set`. */
  readonly value: string;
  readonly is: unknown;
  /** Kind and path, or several if the value appears in several objects. */
  readonly at: string | readonly string[];
  /** The rendered value if it differs from the given one. */
  readonly as?: unknown;
}

const pod = 'spec.template.spec';
const tlsConfig = { insecureSkipVerify: true };
const basicAuth = { username: { name: 'a', key: 'b' } };

/** Values of the pods, in either mode. */
const pods = (container: string): readonly Row[] => {
  const kind = 'StatefulSet';
  const place = `${kind} ${pod}`;
  // After the volumes of the configuration and of the pod (in a fleet, the token).
  const next = 2;
  return [
    { value: 'revisionHistoryLimit', is: 3, at: `${kind} spec.revisionHistoryLimit` },
    { value: 'imagePullSecrets', is: [{ name: 'x' }], at: [`${place}.imagePullSecrets`, 'Pod spec.imagePullSecrets'] },
    { value: 'terminationGracePeriodSeconds', is: 7, at: `${place}.terminationGracePeriodSeconds` },
    { value: 'priorityClassName', is: '007', at: `${place}.priorityClassName` },
    { value: 'runtimeClassName', is: '1e3', at: `${place}.runtimeClassName` },
    { value: 'nodeSelector', is: { disk: 'true' }, at: [`${place}.nodeSelector`, 'Pod spec.nodeSelector'] },
    { value: 'tolerations', is: [{ key: 'a' }], at: [`${place}.tolerations`, 'Pod spec.tolerations'] },
    { value: 'affinity', is: { podAffinity: {} }, at: `${place}.affinity` },
    { value: 'hostNetwork', is: true, at: [`${place}.hostNetwork`] },
    { value: 'hostAliases', is: [{ ip: '10.0.0.1', hostnames: ['a'] }], at: `${place}.hostAliases` },
    { value: 'dnsConfig', is: { searches: ['a'] }, at: `${place}.dnsConfig` },
    { value: 'podLabels', is: { a: '1' }, at: `${kind} spec.template.metadata.labels.a`, as: '1' },
    { value: 'podAnnotations', is: { b: '2' }, at: `${kind} spec.template.metadata.annotations.b`, as: '2' },
    { value: 'resources.limits.memory', is: '200Mi', at: `${container}.resources.limits.memory` },
    { value: 'extraEnv', is: [{ name: 'A', value: 'b' }], at: `${container}.env.2`, as: { name: 'A', value: 'b' } },
    { value: 'extraEnvFrom', is: [{ secretRef: { name: 'a' } }], at: `${container}.envFrom` },
    {
      value: 'extraVolumeMounts',
      is: [{ name: 'a', mountPath: '/a' }],
      at: `${container}.volumeMounts.${next}`,
      as: { name: 'a', mountPath: '/a' },
    },
    { value: 'extraVolumes', is: [{ name: 'a', emptyDir: {} }], at: `${place}.volumes.${next}`, as: { name: 'a', emptyDir: {} } },
  ];
};

/** Values of every monitor and of the Probe. */
const monitored = (kind: string, endpoint: string): readonly Row[] => [
  { value: 'monitoring.tlsConfig', is: tlsConfig, at: `${kind} ${endpoint}.tlsConfig` },
  { value: 'monitoring.basicAuth', is: basicAuth, at: `${kind} ${endpoint}.basicAuth` },
  { value: 'monitoring.sampleLimit', is: 5, at: `${kind} spec.sampleLimit` },
  { value: 'monitoring.labels', is: { c: '1' }, at: `${kind} metadata.labels.c`, as: '1' },
  { value: 'monitoring.annotations', is: { c: '1' }, at: `${kind} metadata.annotations.c`, as: '1' },
  { value: 'monitoring.namespace', is: '007', at: `${kind} metadata.namespace` },
];

const scraped = (kind: string, endpoint: string): readonly Row[] => [
  { value: 'monitoring.scheme', is: 'https', at: `${kind} ${endpoint}.scheme` },
  ...monitored(kind, endpoint),
  { value: 'monitoring.metricRelabelings', is: [{ action: 'drop' }], at: `${kind} ${endpoint}.metricRelabelings` },
  { value: 'monitoring.interval', is: '50s', at: `${kind} ${endpoint}.interval` },
  { value: 'monitoring.scrapeTimeout', is: '20s', at: `${kind} ${endpoint}.scrapeTimeout` },
  { value: 'monitoring.relabelings', is: [{ action: 'keep' }], at: `${kind} ${endpoint}.relabelings` },
];

const around: readonly Row[] = [
  { value: 'commonLabels', is: { all: '0x1' }, at: ['Service metadata.labels.all', `Ingress metadata.labels.all`], as: '0x1' },
  { value: 'service.type', is: 'NodePort', at: 'Service spec.type' },
  { value: 'service.nodePort', is: 30652, at: 'Service spec.ports.0.nodePort' },
  { value: 'ingress.className', is: 'nginx', at: 'Ingress spec.ingressClassName' },
  { value: 'ingress.annotations', is: { a: 'b' }, at: 'Ingress metadata.annotations' },
  { value: 'ingress.hosts', is: ['a.b'], at: 'Ingress spec.rules.0.host', as: 'a.b' },
  { value: 'ingress.path', is: '/x', at: 'Ingress spec.rules.0.http.paths.0.path' },
  { value: 'ingress.pathType', is: 'Exact', at: 'Ingress spec.rules.0.http.paths.0.pathType' },
  { value: 'ingress.tls', is: [{ hosts: ['a.b'], secretName: 's' }], at: 'Ingress spec.tls' },
  { value: 'httpRoute.annotations', is: { a: 'b' }, at: 'HTTPRoute metadata.annotations' },
  { value: 'httpRoute.parentRefs', is: [{ name: 'g' }], at: 'HTTPRoute spec.parentRefs' },
  { value: 'httpRoute.hostnames', is: ['a.b'], at: 'HTTPRoute spec.hostnames' },
  { value: 'httpRoute.rules', is: [{ timeouts: { request: '5s' } }], at: 'HTTPRoute spec.rules.0.timeouts.request', as: '5s' },
  {
    value: 'podDisruptionBudget.unhealthyPodEvictionPolicy',
    is: 'AlwaysAllow',
    at: 'PodDisruptionBudget spec.unhealthyPodEvictionPolicy',
  },
  ...scraped('ServiceMonitor', 'spec.endpoints.0'),
  { value: 'monitoring.jobLabel', is: 'on', at: 'ServiceMonitor spec.jobLabel' },
  { value: 'monitoring.targetLabels', is: ['a'], at: 'ServiceMonitor spec.targetLabels' },
  { value: 'monitoring.podTargetLabels', is: ['b'], at: 'ServiceMonitor spec.podTargetLabels' },
  ...monitored('Probe', 'spec'),
  { value: 'monitoring.scheme', is: 'https', at: 'Probe spec.prober.scheme' },
  { value: 'monitoring.interval', is: '50s', at: 'Probe spec.interval' },
  { value: 'monitoring.scrapeTimeout', is: '20s', at: 'Probe spec.scrapeTimeout' },
  { value: 'probe.metricRelabelings', is: [{ action: 'drop' }], at: 'Probe spec.metricRelabelings' },
  { value: 'probe.jobName', is: 'on', at: 'Probe spec.jobName' },
  { value: 'probe.address', is: 'a:1', at: 'Probe spec.prober.url' },
  { value: 'probe.targets', is: ['on'], at: 'Probe spec.targets.staticConfig.static' },
  { value: 'probe.module', is: '007', at: 'Probe spec.module' },
];

const extraContainers = [{ name: 'proxy', image: 'p' }];
const on = { enabled: true };
const probe = { targets: ['10.0.0.5:9650'] };
const prober = { probe: { allow: [{ cidr: '10.0.0.0/8' }], modules: [{ name: '007' }] } };
const set = `StatefulSet ${pod}`;

const cases: readonly { readonly mode: string; readonly with: Manifest; readonly rows: readonly Row[] }[] = [
  {
    mode: 'demo',
    with: { ingress: on, httpRoute: on, podDisruptionBudget: on, monitoring: { kind: 'ServiceMonitor' }, probe, config: prober },
    rows: [
      ...pods(`${set}.containers.1`),
      ...around,
      { value: 'replicas', is: 2, at: 'StatefulSet spec.replicas' },
      { value: 'extraContainers', is: extraContainers, at: `${set}.containers.2`, as: extraContainers[0] },
      { value: 'updateStrategy', is: { type: 'OnDelete' }, at: 'StatefulSet spec.updateStrategy' },
    ],
  },
  {
    mode: 'demo',
    with: { monitoring: { kind: 'PodMonitor' } },
    rows: [
      ...scraped('PodMonitor', 'spec.podMetricsEndpoints.0'),
      { value: 'monitoring.jobLabel', is: 'no', at: 'PodMonitor spec.jobLabel' },
      { value: 'monitoring.podTargetLabels', is: ['b'], at: 'PodMonitor spec.podTargetLabels' },
    ],
  },
  {
    mode: 'fleet',
    with: { monitoring: { kind: 'ScrapeConfig' } },
    rows: [
      ...pods(`${set}.containers.0`).filter(({ value }) => value !== 'extraEnv'),
      ...monitored('ScrapeConfig', 'spec'),
      { value: 'shards', is: 3, at: 'StatefulSet spec.replicas' },
      { value: 'extraEnv', is: [{ name: 'A', value: 'b' }], at: `${set}.containers.0.env.4`, as: { name: 'A', value: 'b' } },
      { value: 'extraContainers', is: extraContainers, at: `${set}.containers.1`, as: extraContainers[0] },
      { value: 'updateStrategy', is: { type: 'OnDelete' }, at: 'StatefulSet spec.updateStrategy' },
      { value: 'dnsPolicy', is: 'Default', at: `${set}.dnsPolicy` },
      { value: 'monitoring.scheme', is: 'https', at: 'ScrapeConfig spec.scheme', as: 'HTTPS' },
      { value: 'monitoring.interval', is: '50s', at: 'ScrapeConfig spec.scrapeInterval' },
      { value: 'monitoring.scrapeTimeout', is: '20s', at: 'ScrapeConfig spec.scrapeTimeout' },
      { value: 'monitoring.refreshInterval', is: '20s', at: 'ScrapeConfig spec.httpSDConfigs.0.refreshInterval' },
      {
        value: 'monitoring.relabelings',
        is: [{ action: 'keep' }],
        at: 'ScrapeConfig spec.relabelings.1',
        as: { action: 'keep' },
      },
      { value: 'monitoring.metricRelabelings', is: [{ action: 'drop' }], at: 'ScrapeConfig spec.metricRelabelings' },
    ],
  },
];

/** Returns the values with the leaf at this path. */
const put = (values: object, [key = '', ...rest]: readonly string[], leaf: unknown): object => {
  const within: unknown = at(values, key);
  const child = typeof within === 'object' && within !== null ? within : {};
  return { ...values, [key]: rest.length === 0 ? leaf : put(child, rest, leaf) };
};

const placeIn = (objects: readonly Manifest[], place: string): unknown => {
  const [kind = '', path = ''] = place.split(' ');
  return at(
    objects.find((object) => object.kind === kind),
    path,
  );
};

describeWith(['helm'], 'the values of the chart', (helm = '') => {
  test.each(cases)('are rendered at their path, in mode $mode with $with', async ({ mode, with: base, rows }) => {
    const given = rows.reduce<object>((values, { value, is }) => put(values, value.split('.'), is), { mode, ...base });
    const objects = await objectsOf(helm, { values: given });
    const before = await objectsOf(helm, {
      values: { mode, ...base, ...('httpRoute' in base && { httpRoute: { ...on, parentRefs: [{ name: 'x' }] } }) },
    });
    for (const row of rows) {
      for (const place of typeof row.at === 'string' ? [row.at] : row.at) {
        const wanted = row.as ?? row.is;
        expect(placeIn(before, place), `${place} without ${row.value}`).not.toEqual(wanted);
        expect(placeIn(objects, place), `${place} with ${row.value}`).toEqual(wanted);
      }
    }
  });

  test.each(['ServiceMonitor', 'PodMonitor', 'ScrapeConfig'])('render a single monitor, a %s', async (kind) => {
    const objects = await objectsOf(helm, { values: { mode: 'fleet', monitoring: { kind } } });
    expect(objects.filter(({ apiVersion }) => String(apiVersion).startsWith('monitoring')).map((one) => one.kind)).toEqual([
      kind,
    ]);
  });

  test('set ClusterFirstWithHostNet with hostNetwork', async () => {
    const objects = await objectsOf(helm, { values: { mode: 'demo', hostNetwork: true } });
    expect(placeIn(objects, `StatefulSet ${pod}.dnsPolicy`)).toBe('ClusterFirstWithHostNet');
  });

  test('namespaceOverride moves all namespaced objects and the references to them', async () => {
    const values = {
      mode: 'demo',
      namespaceOverride: '007',
      config: { kubernetes: { podLabels: on }, ...prober },
      ...{ monitoring: { kind: 'ServiceMonitor' }, probe, dashboards: on, ingress: on },
    };
    const objects = await objectsOf(helm, { values, namespace: 'unwanted' });
    const spaced = objects.filter(({ kind }) => !String(kind).startsWith('ValidatingAdmissionPolicy'));
    expect(spaced.map((object) => [named(object), at(object, 'metadata.namespace')])).toEqual(
      spaced.map((object) => [named(object), '007']),
    );
    expect(JSON.stringify(objects)).not.toContain('unwanted');
  });

  test.each([
    { release: '007', name: 'snowgauge-007' },
    { release: '1e3', name: 'snowgauge-1e3' },
    { release: 'true', name: 'true-snowgauge' },
    { release: 'a.b', name: 'a-b-snowgauge' },
    { release: 'snowgauge', name: 'snowgauge' },
    { release: '0-snowgauge', name: 'snowgauge-0-snowgauge' },
  ])('release $release is named $name, and all names are strings', async ({ release, name }) => {
    const on3 = { enabled: true };
    const values = {
      mode: 'demo',
      config: { kubernetes: { podLabels: on3 } },
      monitoring: { kind: 'PodMonitor' },
      ingress: on3,
      networkPolicy: on3,
    };
    const objects = await objectsOf(helm, { release, namespace: '007', values });
    const wrong: string[] = [];
    for (const object of objects) {
      expect(String(at(object, 'metadata.name'))).toContain(name);
      JSON.stringify(object, (key, value) => {
        const isName =
          /^(?:name|namespace|instance|serviceName|serviceAccountName|app\.kubernetes\.io\/.*|kubernetes\.io\/.*)$/.test(key);
        if (isName && typeof value !== 'string' && typeof value !== 'object') wrong.push(`${named(object)}: ${key}: ${value}`);
        return value;
      });
    }
    expect(wrong).toEqual([]);
    expect(placeIn(objects, 'StatefulSet spec.selector.matchLabels')).toMatchObject({ 'app.kubernetes.io/instance': release });
  });

  test.each(['007', '1e3', 'null', 'on'])('names such as %s stay strings in references', async (text) => {
    const values = parse(
      `{ mode: sidecar, injection: { enabled: true }, serviceAccount: { name: "${text}" }, configObject: { existing: "${text}", key: "${text}" }, config: { kubernetes: { podLabels: { enabled: true } } } }`,
    );
    const objects = await objectsOf(helm, { values, namespace: '007' });
    expect(placeIn(objects, 'RoleBinding subjects.0')).toEqual({ kind: 'ServiceAccount', name: text, namespace: '007' });
    const policy = objects.find(({ kind }) => kind === 'MutatingAdmissionPolicy');
    expect(JSON.stringify(policy)).toContain(`configMap{items: [Object.spec.volumes.configMap.items{key: \\"${text}\\"`);
  });
});

test("the default volume holds the indexes that the demo's node writes in 90 days", async () => {
  const { size } = parse(readFileSync(join(root, 'charts/snowgauge/values.yaml'), 'utf8')).node.persistence;
  const memory = openMemoryStore();
  let bytes = 0;
  const write: Store['write'] = async (puts) => {
    for (const { key, value } of puts) bytes += key.length + value.length;
    await memory.write(puts);
  };
  const planned = plannedChains(quietScenario);
  const history = 1000;
  const chains = planned.map((chain) => ({ ...chain, history }));
  await (await bootstrapped(await runningChains({ dialect: 'documented', chains }, kept({ ...memory, write })))).close();
  const blocksPerDay = 86_400 / (planned[0]?.blockIntervalSeconds ?? 0);
  expect((Number.parseInt(size, 10) * 2 ** 30) / ((bytes / history) * blocksPerDay)).toBeGreaterThan(90);
  expect(size).toMatch(/^\d+Gi$/);
});
