// A StatefulSet on a real API server and the bundled program, with exactly the permission that docs/fleet.md names.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOwners } from '../../src/shards/owners.ts';
import { folderOf, nodes } from '../discovery/world.ts';
import { type ApiServer, startApiServer } from '../support/api-server.ts';
import { patience, startRun } from '../support/run-process.ts';
import { describeWith } from '../support/tools.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

describeWith(['etcd', 'kube-apiserver'], 'shards of a StatefulSet', (etcd = '', kubeApiserver = '') => {
  let api: ApiServer;
  const sets = '/apis/apps/v1/namespaces/default/statefulsets';
  const set = (name: string) => ({
    metadata: { name },
    spec: {
      replicas: 2,
      serviceName: 'pods',
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'main' }] } },
    },
  });
  beforeAll(async () => {
    api = await startApiServer(etcd, kubeApiserver);
    await api.must('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'gauge' } });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rule = { apiGroups: ['apps'], resources: ['statefulsets'], resourceNames: ['gauge'], verbs: ['get', 'list', 'watch'] };
    await api.must('POST', `${rbac}/roles`, { metadata: { name: 'shards' }, rules: [rule] });
    await api.must('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'shards' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'shards' },
      subjects: [{ kind: 'ServiceAccount', name: 'gauge', namespace: 'default' }],
    });
    for (const name of ['gauge', 'other']) await api.must('POST', sets, set(name));
  });
  afterAll(() => api?.stop());

  const ready = (replicas: number): Promise<unknown> =>
    api.must('PATCH', `${sets}/gauge/status`, { status: { replicas, readyReplicas: replicas } });

  test('follow its replicas and an API server restart, and another StatefulSet is forbidden', async () => {
    const [folder, { port }] = [await folderOf(), await nodes()];
    const { body } = await api.ask('POST', '/api/v1/namespaces/default/serviceaccounts/gauge/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    await writeFile(join(folder, 'token'), body.status.token);
    await writeFile(join(folder, 'ca.crt'), api.authority());
    const { ownerOf } = createOwners();
    const names = Array.from({ length: 12 }, (_, at) => `node-${at}`);
    const targets = names.map((name, at) => ({ name, url: `http://127.0.0.${at + 2}:${port}`, healthCheckFrequency: '1s' }));
    const file = join(folder, 'snowgauge.yaml');
    await writeFile(file, JSON.stringify({ kubernetes: { serviceAccountDir: folder }, targets }));
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(api.port) };
    await ready(2);
    const { values, get } = await startRun(file, env, ['--pod', 'gauge-0', '--pod-namespace', 'default']);
    const share = (total: number): number => names.filter((name) => ownerOf(name, total) === 0).length;
    const shows = (name: string, wanted: readonly number[]) => expect.poll(() => values(name), patience).toEqual(wanted);
    await shows('snowgauge_shard_targets', [share(2)]);
    await api.must('PATCH', `${sets}/gauge`, { spec: { replicas: 3 } });
    await shows('snowgauge_shards', [3]);
    await shows('snowgauge_shard_handover_targets', [share(2) - share(3)]);
    await ready(3);
    await shows('snowgauge_shard_handover_targets', [0]);
    expect(await values('snowgauge_shard_targets')).toEqual([share(3)]);
    expect(JSON.parse((await get('/api/v1/sd')).body)[0].targets).toEqual(['gauge-0.pods.default.svc:0']);
    await api.kill();
    await shows('snowgauge_shard_watch_successful', [0]);
    expect(await values('snowgauge_shard_targets')).toEqual([share(3)]);
    await api.restart();
    await shows('snowgauge_shard_watch_successful', [1]);
    await api.must('PATCH', `${sets}/gauge`, { spec: { replicas: 2 } });
    await shows('snowgauge_shard_targets', [share(2)]);

    const other = await startRun(file, env, ['--pod', 'other-0', '--pod-namespace', 'default']);
    await expect
      .poll(async () => (await other.get('/readyz?verbose')).body, patience)
      .toMatch(/\[-\]shard failed: waiting for StatefulSet default\/other: status 403: statefulsets\.apps "other" is forbidden/);
  });
});
