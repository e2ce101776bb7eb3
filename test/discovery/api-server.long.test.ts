// Pod discovery against a real API server, through the bundled program, with the permissions that docs/discovery.md lists.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiServer, startApiServer } from '../support/api-server.ts';
import { patience, startRun } from '../support/run-process.ts';
import { describeWith } from '../support/tools.ts';
import { folderOf, nodes } from './world.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

describeWith(['etcd', 'kube-apiserver'], 'discovery of pods', (etcd = '', kubeApiserver = '') => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApiServer(etcd, kubeApiserver);
    for (const name of ['validators', 'closed']) await api.must('POST', '/api/v1/namespaces', { metadata: { name } });
    await api.must('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'fleet' } });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/validators';
    await api.must('POST', `${rbac}/roles`, {
      metadata: { name: 'discovery' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }],
    });
    await api.must('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'discovery' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'discovery' },
      subjects: [{ kind: 'ServiceAccount', name: 'fleet', namespace: 'default' }],
    });
  });
  afterAll(() => api?.stop());

  const pods = '/api/v1/namespaces/validators/pods';
  const create = (name: string, port: number): Promise<unknown> =>
    api.must('POST', pods, {
      metadata: { name, annotations: { 'snowgauge.io/port': String(port) }, labels: { 'snowgauge.io/watch': 'true' } },
      spec: { containers: [{ name: 'node', image: 'node', ports: [{ containerPort: port }] }] },
    });
  const run = (name: string, podIP: string): Promise<unknown> =>
    api.must('PATCH', `${pods}/${name}/status`, { status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }] } });
  const remove = (name: string): Promise<unknown> => api.must('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);

  test('discovery follows pods that are created, moved and deleted, keeps them while the API server is down, and logs a forbidden namespace', async () => {
    const [folder, { port }] = [await folderOf(), await nodes()];
    const { body } = await api.ask('POST', '/api/v1/namespaces/default/serviceaccounts/fleet/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    await writeFile(join(folder, 'token'), body.status.token);
    await writeFile(join(folder, 'ca.crt'), api.authority());
    const config = {
      kubernetes: { serviceAccountDir: folder },
      discovery: {
        target: { healthCheckFrequency: '1s', indexes: [] },
        kubernetes: [{ namespaces: ['validators'] }, { namespaces: ['closed'] }],
      },
    };
    const file = join(folder, 'snowgauge.yaml');
    await writeFile(file, JSON.stringify(config));
    await create('node-0', port);
    await run('node-0', '127.0.0.2');
    const { values, said } = await startRun(file, {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(api.port),
    });
    const up = (name: string, wanted: readonly number[]): Promise<unknown> =>
      expect.poll(() => values('snowgauge_up', { target: `validators.${name}` }), patience).toEqual(wanted);
    await up('node-0', [1]);
    await said('namespace closed: status 403: pods is forbidden: User');
    await create('node-1', port);
    await up('node-1', []);
    await run('node-1', '127.0.0.3');
    await up('node-1', [1]);
    await remove('node-1');
    await up('node-1', []);
    await api.kill();
    await said('"source":"kubernetes/0","reason":"namespace validators: ');
    await up('node-0', [1]);
    await api.restart();
    await said('"source":"kubernetes/0","targets":1,"msg":"discovery recovered"');
    await remove('node-0');
    await create('node-0', port);
    await run('node-0', '127.0.0.4');
    const moved = { target: 'validators.node-0', url: `http://127.0.0.4:${port}` };
    await expect.poll(() => values('snowgauge_target_info', moved), patience).toEqual([1]);
    await up('node-0', [1]);
  });
});
