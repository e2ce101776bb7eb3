// The objects that the chart renders for every example: valid configurations, Pod Security, RBAC, rules and network policies.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readNames } from '../../scripts/names.mjs';
import { parseConfig } from '../../src/config/load.ts';
import { readNodeOptions } from '../../src/node/options.ts';
import { parseScenario } from '../../src/node/scenario.ts';
import { ruleGroups } from '../../src/rules/file.ts';
import { defaults, readSettings } from '../../src/rules/settings.ts';
import { at, buildParent, chart, execute, inFolder, type Manifest, named, objectsOf, root, texts } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const files = readdirSync(join(chart, 'examples')).filter((name) => name.endsWith('.yaml'));
const examples = [...files.map((name) => join(chart, 'examples', name)), join(root, 'test/fixtures/chart/everything.yaml')];
const cases = examples.map((file) => ({ name: file.slice(root.length), file }));

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const oneOf = (objects: readonly Manifest[], kind: string): Manifest => {
  const found = objects.find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${objects.map(named).join(', ')}`);
  return found;
};

/** The pod spec of a workload or of a Pod. */
const podOf = (object: Manifest): unknown =>
  at(object, 'spec.template.spec') ?? (object.kind === 'Pod' ? object.spec : undefined);

/** The fields of a container that violate Pod Security "restricted". */
const offences = (pod: unknown, container: unknown): readonly string[] => {
  const own = (field: string): unknown => at(container, `securityContext.${field}`);
  const either = (field: string): unknown => own(field) ?? at(pod, `securityContext.${field}`);
  return [
    ...(own('allowPrivilegeEscalation') === false ? [] : ['allowPrivilegeEscalation']),
    ...(either('runAsNonRoot') === true ? [] : ['runAsNonRoot']),
    ...(either('runAsUser') === 0 ? ['runAsUser'] : []),
    ...(either('seccompProfile.type') === 'RuntimeDefault' ? [] : ['seccompProfile']),
    ...(list(own('capabilities.drop')).includes('ALL') ? [] : ['capabilities']),
    ...(own('readOnlyRootFilesystem') === true ? [] : ['readOnlyRootFilesystem']),
  ];
};

describeWith(['helm'], 'the chart', (helm = '') => {
  const made = new Map<string, Promise<readonly Manifest[]>>();
  /** Renders each example once for all tests. */
  const ofExample = (file: string): Promise<readonly Manifest[]> => {
    const objects = made.get(file) ?? objectsOf(helm, { files: [file] });
    made.set(file, objects);
    return objects;
  };

  test('passes helm lint --strict', async () => {
    const { code, stdout } = await execute(helm, ['lint', '--strict', chart]);
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(code).toBe(0);
  });

  // The SCC restricted-v2 of OpenShift rejects pods that name a user or a group of files.
  test.each([
    { mode: 'fleet', values: { podSecurityContext: { runAsUser: null, fsGroup: null } } },
    { mode: 'demo', values: { podSecurityContext: { runAsUser: null, fsGroup: null } } },
    { mode: 'sidecar', values: { injection: { enabled: true } } },
  ])('names no user in mode $mode if the values remove it, also for the pod of helm test', async ({ mode, values }) => {
    const securityContext = { runAsUser: null };
    const objects = await objectsOf(helm, { values: { mode, securityContext, ...values }, kubernetes: '1.36' });
    expect(objects.map(({ kind }) => kind)).toContain('Pod');
    expect(JSON.stringify(objects)).not.toMatch(/runAsUser|fsGroup\b/);
  });

  test('renders the same when packaged, and the package has no examples and tests', async () => {
    await inFolder(async (folder) => {
      const { stdout, code } = await execute(helm, ['package', chart, '--destination', folder]);
      expect(code).toBe(0);
      const archive = stdout.slice(stdout.indexOf('/')).trim();
      const given = { files: [join(root, 'test/fixtures/chart/everything.yaml')] };
      expect(await objectsOf(helm, { ...given, chart: archive })).toEqual(await objectsOf(helm, given));
      const names = (await execute('tar', ['--list', '--file', archive])).stdout.split('\n');
      expect(names).toContain('snowgauge/templates/tests/metrics.yaml');
      expect(names).toContain('snowgauge/files/dashboards/snowgauge-fleet.json');
      expect(names.filter((name) => /^snowgauge\/(?:examples|tests)\/|gotmpl/.test(name))).toEqual([]);
    });
  });

  test('copies a full configuration into the ConfigMap unchanged', async () => {
    const config = parse(readFileSync(join(root, 'test/fixtures/config/good/full.yaml'), 'utf8'));
    const objects = await objectsOf(helm, { values: { mode: 'fleet', config } });
    const held = parse(texts(oneOf(objects, 'ConfigMap').data)['snowgauge.yaml'] ?? '');
    expect(held).toEqual(config);
  });

  test.each(cases)('renders a valid configuration for $name', async ({ file }) => {
    const objects = await ofExample(file);
    const held = objects.find((object) => String(at(object, 'metadata.name')).endsWith('-config'));
    if (held === undefined) {
      // Only if the configuration is in an existing object.
      expect(at(parse(readFileSync(file, 'utf8')), 'configObject.existing')).toBeTypeOf('string');
      return;
    }
    const [text] = Object.values(texts(held.data ?? held.stringData));
    const parsed = await parseConfig(String(text), { SNOWGAUGE_POD_NAME: 'pod-0', SNOWGAUGE_POD_NAMESPACE: 'watch' });
    expect(parsed.kind === 'invalid' ? parsed.errors : []).toEqual([]);
  });

  test.each(cases)('renders "restricted" pods without service links and token for $name', async ({ file }) => {
    const pods = (await ofExample(file)).map(podOf).filter((pod) => pod !== undefined);
    expect(pods.length).toBeGreaterThan(0);
    for (const pod of pods) {
      const containers = [...list(at(pod, 'initContainers')), ...list(at(pod, 'containers'))];
      expect(containers.map((container) => offences(pod, container))).toEqual(containers.map(() => []));
      expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
    }
  });

  test.each(cases.filter(({ file }) => /^mode: demo/m.test(readFileSync(file, 'utf8'))))(
    'renders valid flags and a valid scenario of the embedded node for $name',
    async ({ file }) => {
      const objects = await ofExample(file);
      const args = list(at(oneOf(objects, 'StatefulSet'), 'spec.template.spec.containers.0.args')).map(String);
      expect(args[0]).toBe('node');
      const flags = args.slice(1).map((arg): readonly [string, string | boolean] => {
        const [name = '', ...value] = arg.slice(2).split('=');
        return [name, value.length === 0 ? true : value.join('=')];
      });
      expect(readNodeOptions(Object.fromEntries(flags))).toMatchObject({ kind: 'ok', options: { dataDir: '/data' } });
      const scenario = objects.find((object) => String(at(object, 'metadata.name')).endsWith('-scenario'));
      expect(await parseScenario(String(texts(scenario?.data)['scenario.yaml']))).toMatchObject({
        kind: 'ok',
      });
    },
  );

  test.each([
    { with: 'default settings', given: [], values: {} },
    {
      with: 'empty matchers and a threshold of 0',
      given: ['nodeMatch=', 'peersLow=0'],
      values: { settings: { nodeMatch: '', peersLow: 0 } },
    },
    {
      with: 'other labels of a target and of a fleet',
      given: ['identity=region, namespace,pod, target', 'fleet=region'],
      values: { settings: { identity: 'region, namespace,pod, target', fleet: 'region' } },
    },
    {
      with: 'a selector, thresholds, durations, a large number, maps, an address and an excluded alert',
      given: [
        ...['selector=job="snow\\\\gauge\\u00e9"', 'peersLow=100', 'stakeLow=0.9', 'diskLowBytes=2e+12'],
        ...['expectedJobs=rpc=1, a/b=2', 'expectedTagSets=my-l1=5', 'grafana=https://g/x'],
        ...['balanceLow=2w1d', 'checkFailingAge=08h', 'noMessagesAge=600'],
      ],
      without: ['SnowgaugeAbsent'],
      values: {
        settings: {
          ...{ selector: 'job="snow\\\\gauge\\u00e9"', peersLow: 100, stakeLow: 0.9, diskLowBytes: 2e12 },
          ...{ expectedJobs: 'rpc=1, a/b=2', expectedTagSets: 'my-l1=5', grafana: 'https://g/x' },
          ...{ balanceLow: '2w1d', checkFailingAge: '08h', noMessagesAge: 600 },
        },
        without: ['SnowgaugeAbsent'],
      },
    },
  ])('renders the rules that `snowgauge rules` prints, with $with', async ({ given, without = [], values }) => {
    const objects = await objectsOf(helm, {
      values: { mode: 'demo', prometheusRule: { enabled: true, nodeMetrics: true, ...values } },
    });
    const read = readSettings(given);
    const settings = read.kind === 'ok' ? read.value : defaults;
    expect(read.kind).toBe('ok');
    const both = [...ruleGroups(settings, 'main', without), ...ruleGroups(settings, 'node-metrics', without)];
    expect(at(oneOf(objects, 'PrometheusRule'), 'spec.groups')).toEqual(JSON.parse(JSON.stringify(both)));
  });

  const shards = ['apps/statefulsets/test-snowgauge get,list,watch'];
  test.each([
    { of: 'in mode demo', values: { mode: 'demo' }, may: [] },
    { of: 'in mode sidecar', values: { mode: 'sidecar' }, may: [] },
    {
      of: 'with pod labels',
      values: { mode: 'demo', config: { kubernetes: { podLabels: { enabled: true } } } },
      may: ['/pods/status/test-snowgauge-0 patch'],
    },
    { of: 'in a fleet that discovers pods', values: { mode: 'fleet' }, may: [...shards, '/pods/ get,list,watch'] },
    {
      of: 'in a fleet without pod discovery',
      values: { mode: 'fleet', config: { targets: [{ name: 'a', url: 'http://a' }] } },
      may: shards,
    },
  ])('grants the service account only what it needs: $of', async ({ values, may }) => {
    const objects = await objectsOf(helm, { values });
    const roles = objects.filter(({ kind }) => kind === 'Role');
    const rules = roles.flatMap(({ rules }) => list(rules));
    const all = (rule: unknown, field: string): string => list(at(rule, field)).join(',');
    expect(
      rules.map(
        (rule) => `${['apiGroups', 'resources', 'resourceNames'].map((one) => all(rule, one)).join('/')} ${all(rule, 'verbs')}`,
      ),
    ).toEqual(may);
    expect(objects.filter(({ kind }) => String(kind).startsWith('ClusterRole'))).toEqual([]);
  });

  const prometheus = { namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } } };
  const own = { 'app.kubernetes.io/name': 'snowgauge', 'app.kubernetes.io/instance': 'test' };
  const helmTest = { podSelector: { matchLabels: { ...own, 'app.kubernetes.io/component': 'test' } } };
  const scrapers = { from: [prometheus, helmTest], ports: [{ port: 9652, protocol: 'TCP' }] };
  const kubelets = { from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 9653, protocol: 'TCP' }] };
  const neighbours = { from: [{ podSelector: {} }], ports: [{ port: 9650, protocol: 'TCP' }] };
  test.each([
    { mode: 'fleet', component: 'fleet', kubeletCidrs: [], ingress: [scrapers] },
    { mode: 'fleet', component: 'fleet', kubeletCidrs: ['10.0.0.0/8'], ingress: [scrapers, kubelets] },
    { mode: 'demo', component: 'node', kubeletCidrs: [], ingress: [scrapers, neighbours] },
  ])(
    'the network policy admits only the expected sources in mode $mode with kubeletCidrs $kubeletCidrs',
    async ({ mode, component, kubeletCidrs, ingress }) => {
      const objects = await objectsOf(helm, { values: { mode, networkPolicy: { enabled: true, kubeletCidrs } } });
      const { spec } = oneOf(objects, 'NetworkPolicy');
      // An empty `from` would admit everybody.
      expect(at(spec, 'ingress')).toEqual(ingress);
      const podSelector = { matchLabels: { ...own, 'app.kubernetes.io/component': component } };
      expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], podSelector });
      const templates = objects.map((object) => at(object, 'spec.template')).filter((template) => template !== undefined);
      expect(templates).toMatchObject([{ metadata: { labels: podSelector.matchLabels } }]);
    },
  );

  test('takes its version from package.json only', async () => {
    const { version, image } = readNames();
    const metadata = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
    expect(metadata).toMatchObject({ version, appVersion: version });
    const objects = await objectsOf(helm, { values: { mode: 'demo' } });
    expect(at(oneOf(objects, 'StatefulSet'), 'spec.template.spec.containers.0.image')).toBe(`${image}:${version}`);
    expect(at(objects[0], 'metadata.labels')).toMatchObject({ 'helm.sh/chart': `snowgauge-${version}` });
    expect(parse(metadata.annotations['artifacthub.io/images'])).toMatchObject([{ image: `${image}:${version}` }]);
  });
});

describeWith(['helm'], 'a parent chart', (helm = '') => {
  let folder = '';
  let parent = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snowgauge-parent-'));
    parent = await buildParent(helm, folder);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const ofParent = (kubernetes: string, values: object = {}): Promise<readonly Manifest[]> =>
    objectsOf(helm, { chart: parent, kubernetes, values });

  test.each([
    { kubernetes: '1.36', native: false, list: 'containers', restartPolicy: undefined },
    { kubernetes: '1.36', native: 'auto', list: 'initContainers', restartPolicy: 'Always' },
    { kubernetes: '1.29', native: 'auto', list: 'initContainers', restartPolicy: 'Always' },
    { kubernetes: '1.29.3-gke.100', native: 'auto', list: 'initContainers', restartPolicy: 'Always' },
    { kubernetes: '1.28', native: 'auto', list: 'containers', restartPolicy: undefined },
  ])(
    'gets the sidecar as one of the $list on Kubernetes $kubernetes with native: $native',
    async ({ kubernetes, native, list: place, restartPolicy }) => {
      const objects = await ofParent(kubernetes, { snowgauge: { sidecar: { native } } });
      const pod = at(oneOf(objects, 'StatefulSet'), 'spec.template.spec');
      const sidecars = list(at(pod, place)).filter((container) => at(container, 'name') === 'snowgauge');
      expect(sidecars).toHaveLength(1);
      expect(at(sidecars[0], 'restartPolicy')).toBe(restartPolicy);
      // A startup or readiness probe would delay the node.
      expect(sidecars[0]).toHaveProperty('livenessProbe.initialDelaySeconds', 60);
      for (const probe of ['startupProbe', 'readinessProbe']) expect(sidecars[0]).not.toHaveProperty(probe);
      // The chart's own image, although .Chart is the parent's.
      expect(at(sidecars[0], 'image')).toMatch(/^ghcr\.io\/snowgauge\/snowgauge:\d/);
      expect(offences({}, sidecars[0])).toEqual([]);
      const node = list(at(pod, 'containers')).find((container) => at(container, 'name') === 'node');
      expect(node).toMatchObject({ readinessProbe: { httpGet: { path: '/self/readyz/my-l1', port: 9653 } } });
      for (const probe of ['startupProbe', 'livenessProbe']) expect(node).not.toHaveProperty(probe);
      // The kubelet starts containers in order, and the node comes first.
      expect(list(at(pod, 'containers')).map((container) => at(container, 'name'))[0]).toBe('node');
    },
  );

  test.each([
    { url: 'https://127.0.0.1:9750/', port: 0, asked: { port: 9750, scheme: 'HTTPS' } },
    { url: 'https://127.0.0.1', port: 0, asked: { port: 443, scheme: 'HTTPS' } },
    // A proxy in front of the node: the kubelet bypasses it.
    { url: 'https://127.0.0.1:9750', port: 9650, asked: { port: 9650, scheme: 'HTTP' } },
  ])('with a node at $url gets its probes at $asked', async ({ url, port, asked }) => {
    const on = { enabled: true };
    const nodeProbes = { node: { host: '0.0.0.0', scheme: asked.scheme, port }, startup: on, liveness: on };
    const targets = [{ name: 'node', url, tagSets: [{ name: 'my-l1' }] }];
    const objects = await ofParent('1.34', { snowgauge: { config: { targets }, nodeProbes } });
    const node = list(at(oneOf(objects, 'StatefulSet'), 'spec.template.spec.containers')).find(
      (one) => at(one, 'name') === 'node',
    );
    for (const probe of ['startupProbe', 'livenessProbe'])
      expect(at(node, `${probe}.httpGet`)).toEqual({ ...asked, path: '/ext/health/liveness' });
  });

  test("mounts the chart's ConfigMap, matches the selector of its PodMonitor and exposes its port", async () => {
    const objects = await ofParent('1.34');
    const set = oneOf(objects, 'StatefulSet');
    const volumes = list(at(set, 'spec.template.spec.volumes'));
    expect(objects.map(named)).toContain(`ConfigMap ${String(at(volumes[0], 'configMap.name'))}`);
    const selector = texts(at(oneOf(objects, 'PodMonitor'), 'spec.selector.matchLabels'));
    expect(selector).toEqual({ 'snowgauge.io/sidecar': 'test-snowgauge' });
    expect(at(set, 'spec.template.metadata.labels')).toMatchObject(selector);
    const own = objects.find((object) => named(object) === 'Service test-validator');
    expect(list(at(own, 'spec.ports'))).toContainEqual({ name: 'snowgauge', port: 9652, targetPort: 'snowgauge' });
  });

  test('can disable it', async () => {
    const objects = await ofParent('1.34', { snowgauge: { enabled: false } });
    expect(objects.map(named)).toEqual(['Service test-validator', 'StatefulSet test-validator']);
    expect(at(oneOf(objects, 'StatefulSet'), 'spec.template.spec.initContainers')).toBeUndefined();
  });

  test('passes a global registry and pull secrets to it, each once', async () => {
    const objects = await ofParent('1.34', {
      global: { imageRegistry: 'registry.example', imagePullSecrets: ['plain', { name: 'pull' }] },
      snowgauge: { mode: 'demo', imagePullSecrets: [{ name: 'own' }, { name: 'plain' }] },
    });
    const sets = objects.filter(({ kind }) => kind === 'StatefulSet').map((object) => at(object, 'spec.template.spec'));
    const own = sets.find((pod) => at(pod, 'enableServiceLinks') === false);
    expect(at(own, 'containers.0.image')).toMatch(/^registry\.example\/snowgauge\/snowgauge:/);
    expect(at(own, 'imagePullSecrets')).toEqual([{ name: 'plain' }, { name: 'pull' }, { name: 'own' }]);
  });
});
