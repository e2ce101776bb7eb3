// Pod labels, which a Service can select by, with the bundled program and a real API server.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { demoSubnets } from '../../src/commands/demo-scenario.ts';
import { silentLog } from '../../src/log.ts';
import { type RunningNode, startNode } from '../../src/node/node.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import { type ApiServer, startApiServer } from '../support/api-server.ts';
import { type Mounted, mount } from '../support/mounted.ts';
import { scenarioFrom } from '../support/node.ts';
import { patience, type RunProcess, startRun } from '../support/run-process.ts';
import { describeWith } from '../support/tools.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const scenario = `subnets:
  - { name: alpha, id: ${demoSubnets.alpha}, chains: [{ alias: alpha-dex, history: 0 }] }
  - { name: beta, id: ${demoSubnets.beta}, chains: [{ alias: beta-game, history: 0 }] }
`;

const startSubnets = async (): Promise<RunningNode> => {
  const options = { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 1 };
  const now = (): number => Date.now() / 1000;
  const signal = new AbortController().signal;
  const node = await startNode(options, { now, log: silentLog, signal, scenario: await scenarioFrom(scenario) });
  onTestFinished(() => node.close());
  return node;
};

const sets = {
  all: '{ name: all }',
  alpha: `{ name: alpha, tags: [${demoSubnets.alpha}] }`,
  beta: `{ name: beta, tags: [${demoSubnets.beta}] }`,
} as const;

const configuration = (url: string, names: readonly (keyof typeof sets)[] = ['all', 'alpha', 'beta'], more = ''): string =>
  `kubernetes: { podLabels: { enabled: true, confirmEvery: 1h${more} } }
targets:
  - { name: node, url: "${url}", healthCheckFrequency: 1s, staleAfter: 60, frozenAfter: 60, indexes: [], readiness: { failAfter: 4 }, tagSets: [${names.map((name) => sets[name]).join(', ')}] }
`;

const prefix = 'ready.snowgauge.io/';
const ready = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [prefix + name, value]));

describeWith(['etcd', 'kube-apiserver'], 'pod labels', (etcd, kubeApiserver) => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApiServer(etcd ?? '', kubeApiserver ?? '');
    await api.must('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'node' } });
    await api.must('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'label-own-pod' },
      rules: [{ apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] }],
    });
    await allow();
  });
  afterAll(() => api?.stop());

  const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
  const allow = (): Promise<unknown> =>
    api.must('POST', bindings, {
      metadata: { name: 'label-own-pod' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'label-own-pod' },
      subjects: [{ kind: 'ServiceAccount', name: 'node', namespace: 'default' }],
    });
  const forbid = (): Promise<unknown> => api.must('DELETE', `${bindings}/label-own-pod`);

  let pods = 0;
  /** A pod as the chart creates it, with the service account folder that the kubelet would mount. */
  const pod = async (labels: Readonly<Record<string, string>> = {}) => {
    const name = `node-${pods}`;
    pods += 1;
    await api.must('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name, labels: { app: 'validator', ...labels } },
      spec: { containers: [{ name: 'node', image: 'node' }] },
    });
    const account = await mkdtemp(join(tmpdir(), 'snowgauge-account-'));
    onTestFinished(() => rm(account, { recursive: true }));
    const asked = { spec: { expirationSeconds: 3600 } };
    const { status } = await api.must('POST', '/api/v1/namespaces/default/serviceaccounts/node/token', asked);
    await writeFile(join(account, 'token'), status.token);
    await writeFile(join(account, 'ca.crt'), api.authority());
    const path = `/api/v1/namespaces/default/pods/${name}`;
    const metadata = async () => (await api.must('GET', path)).metadata;
    const env = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(api.port),
      SNOWGAUGE_POD_NAME: name,
      SNOWGAUGE_POD_NAMESPACE: 'default',
      SNOWGAUGE_SERVICE_ACCOUNT_DIR: account,
    };
    return { path, token: status.token as string, metadata, env };
  };
  type Pod = Awaited<ReturnType<typeof pod>>;
  const has = async ({ metadata }: Pod, labels: Readonly<Record<string, string>>): Promise<void> => {
    await expect.poll(async () => (await metadata()).labels, patience).toEqual({ app: 'validator', ...labels });
  };

  const start = async (
    of: Pod,
    more = '',
  ): Promise<{ readonly node: RunningNode; readonly run: RunProcess; readonly mounted: Mounted }> => {
    const node = await startSubnets();
    const mounted = await mount({ 'snowgauge.yaml': configuration(node.url, undefined, more) });
    return { node, mounted, run: await startRun(mounted.path('snowgauge.yaml'), of.env) };
  };
  const patches = async (run: RunProcess, outcome: string): Promise<number> =>
    (await run.values('snowgauge_pod_label_patches_total', { outcome }))[0] ?? Number.NaN;

  test('match the Ready condition of each tag set, need only the verb patch, and are not patched without a change', async () => {
    const own = await pod();
    const { node, run } = await start(own);
    await has(own, ready({ all: 'true', alpha: 'true', beta: 'true' }));
    expect(Date.parse((await own.metadata()).annotations[`${prefix}confirmed-at`])).toBeGreaterThan(Date.now() - 120_000);
    expect((await api.ask('GET', own.path, undefined, own.token)).status).toBe(403);

    await node.setFaults([{ fault: 'chain-dead', chain: 'beta-game' }]);
    await has(own, ready({ all: 'false', alpha: 'true', beta: 'false' }));
    const selected = async (tagSet: string): Promise<number> => {
      const selector = encodeURIComponent(`${prefix}${tagSet}=true,app=validator`);
      const { items } = await api.must('GET', `/api/v1/namespaces/default/pods?labelSelector=${selector}`);
      return items.filter((item: { metadata: { name: string } }) => own.path.endsWith(`/${item.metadata.name}`)).length;
    };
    expect([await selected('alpha'), await selected('beta')]).toEqual([1, 0]);

    await expect.poll(() => run.values('snowgauge_pod_labels_current'), patience).toEqual([1]);
    const { resourceVersion } = await own.metadata();
    const [taken, [polls = 0]] = [
      await patches(run, 'ok'),
      await run.values('snowgauge_polls_total', { api: 'health', outcome: 'ok' }),
    ];
    await expect
      .poll(async () => (await run.values('snowgauge_polls_total', { api: 'health', outcome: 'ok' }))[0], patience)
      .toBeGreaterThan(polls + 9);
    expect((await own.metadata()).resourceVersion).toBe(resourceVersion);
    expect(await patches(run, 'ok')).toBe(taken);
    expect(run.lines().join('\n')).not.toContain(own.token);
  });

  test('of a previous configuration are removed at start and reload, and other labels are kept', async () => {
    const own = await pod(ready({ gone: 'true' }));
    const { node, mounted } = await start(own);
    await has(own, ready({ all: 'true', alpha: 'true', beta: 'true' }));
    await mounted.swap({ 'snowgauge.yaml': configuration(node.url, ['all', 'beta']) });
    await has(own, ready({ all: 'true', beta: 'true' }));
  });

  test('that are forbidden are logged and counted, and written when they are allowed', async () => {
    const own = await pod();
    const { node, run } = await start(own);
    await has(own, ready({ all: 'true', alpha: 'true', beta: 'true' }));
    await forbid();
    await node.setFaults([{ fault: 'chain-dead', chain: 'alpha-dex' }]);
    await expect.poll(() => patches(run, 'forbidden'), patience).toBeGreaterThanOrEqual(3);
    expect(await run.values('snowgauge_pod_labels_current')).toEqual([0]);
    expect((await own.metadata()).labels[`${prefix}alpha`]).toBe('true');
    const said = run.lines().filter((line) => line.includes('pod label sync failed'));
    const forbidden = said.filter((line) => /forbidden.*cannot patch resource.*: bind a Role that allows patch/.test(line));
    expect(forbidden).toHaveLength(1);
    await allow();
    await has(own, ready({ all: 'false', alpha: 'false', beta: 'true' }));
    await expect.poll(() => run.values('snowgauge_pod_labels_current'), patience).toEqual([1]);
  });

  test('are updated when the API server comes back', async () => {
    const own = await pod();
    const { node, run } = await start(own);
    await has(own, ready({ all: 'true', alpha: 'true', beta: 'true' }));
    const [before] = await run.values('snowgauge_pod_labels_last_success_timestamp_seconds');
    await api.kill();
    await node.setFaults([{ fault: 'chain-dead', chain: 'beta-game' }]);
    await expect.poll(() => patches(run, 'unreachable'), patience).toBeGreaterThanOrEqual(2);
    expect(await run.values('snowgauge_pod_labels_current')).toEqual([0]);
    expect((await run.get('/readyz')).status).toBe(200);
    await api.restart();
    await has(own, ready({ all: 'false', alpha: 'true', beta: 'false' }));
    await expect
      .poll(async () => (await run.values('snowgauge_pod_labels_last_success_timestamp_seconds'))[0], patience)
      .toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
  });

  test.each([
    { onShutdown: 'clear', left: {}, annotated: false },
    { onShutdown: 'keep', left: ready({ all: 'true', alpha: 'true', beta: 'true' }), annotated: true },
  ])('follow `onShutdown: $onShutdown` at shutdown', async ({ onShutdown, left, annotated }) => {
    const end = async (): Promise<Pod> => {
      const own = await pod();
      const { run } = await start(own, `, onShutdown: ${onShutdown}`);
      await has(own, ready({ all: 'true', alpha: 'true', beta: 'true' }));
      run.signal('SIGTERM');
      expect(await run.exited).toBe(0);
      // On a machine that stalls, the API server takes longer than the time limit of a sidecar.
      return run.lines().some((line) => /no (?:response|connection) within 1200 ms/.test(line)) ? end() : own;
    };
    const own = await end();
    const { labels, annotations = {} } = await own.metadata();
    expect(labels).toEqual({ app: 'validator', ...left });
    expect(`${prefix}confirmed-at` in annotations).toBe(annotated);
  });
});
