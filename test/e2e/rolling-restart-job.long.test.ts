// The containers of the Job that run kubectl, with a real one and an API server and the Job's own role.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ApiServer, startApiServer } from '../support/api-server.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWith } from '../support/tools.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const folder = new URL('../../deploy/kubernetes/overlays/rolling-restart/', import.meta.url).pathname;
const objects = ['job.yaml', 'access.yaml'].flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((one) => one.toJS()),
);
const of = (kind: string) => objects.find((one) => one.kind === kind);

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly volumeMounts?: readonly object[];
}

const initContainers: readonly Container[] = of('Job').spec.template.spec.initContainers;
const args = (container: string, index: number): readonly string[] =>
  (initContainers.find(({ name }) => name === container)?.args ?? []).map((arg) =>
    arg.replace('$(JOB_COMPLETION_INDEX)', String(index)),
  );

// A container that waits for its image or for the API server does not run the one before it again.
test('restart follows safe at once: another container has waited for its image, the API server and the Role before', () => {
  const [may, safe, restart] = initContainers;
  expect([may?.name, safe?.name, restart?.name]).toEqual(['may', 'safe', 'restart']);
  expect(may?.image).toBe(restart?.image);
  expect(may?.volumeMounts).toEqual(restart?.volumeMounts);
});

describeWith(['etcd', 'kube-apiserver', 'kubectl'], 'the rolling restart', (etcd = '', kubeApiserver = '', kubectl = '') => {
  let api: ApiServer;
  const pods = '/api/v1/namespaces/validators/pods';
  beforeAll(async () => {
    api = await startApiServer(etcd, kubeApiserver);
    await api.must('POST', '/api/v1/namespaces', { metadata: { name: 'validators' } });
    await api.must('POST', '/api/v1/namespaces/validators/serviceaccounts', of('ServiceAccount'));
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/validators';
    await api.must('POST', `${rbac}/roles`, of('Role'));
    await api.must('POST', `${rbac}/rolebindings`, of('RoleBinding'));
  });
  afterAll(() => api?.stop());

  const create = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<string> => {
    const spec = { containers: [{ name: 'node', image: 'node' }] };
    return (await api.must('POST', pods, { metadata: { name, labels }, spec })).metadata.uid;
  };
  const uidOf = async (name: string): Promise<string | undefined> => (await api.ask('GET', `${pods}/${name}`)).body.metadata?.uid;

  /** Runs the container for a pod of the Job, and returns its output; rejects if it fails. */
  const running = async () => {
    const home = await temporaryFolder();
    const account = join(home, 'ca.crt');
    await writeFile(account, api.authority());
    const { body } = await api.ask('POST', '/api/v1/namespaces/validators/serviceaccounts/rolling-restart/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const access = ['--namespace=validators', `--server=https://127.0.0.1:${api.port}`, `--certificate-authority=${account}`];
    return async (container: string, index: number): Promise<string> => {
      const all = [...access, `--token=${body.status.token}`, ...args(container, index)];
      return (await promisify(execFile)(kubectl, all, { env: { HOME: home } })).stdout;
    };
  };

  test('waits until the Role allows to delete the pod of its ordinal', async () => {
    const run = await running();
    expect(await run('may', 0)).toBe('yes\n');
    await expect(run('may', 3)).rejects.toMatchObject({ code: 1, stdout: 'no\n' });
  });

  test('deletes the labelled pod of its ordinal once, and keeps the new pod, which has no label, when it runs again', async () => {
    const run = await running();
    const restart = (index: number): Promise<string> => run('restart', index);
    const marked = { 'snowgauge.io/restart': 'true' };
    await create('validator-0', marked);
    const other = await create('validator-1', marked);
    expect(await restart(0)).toContain('pod "validator-0" deleted');
    expect([await uidOf('validator-0'), await uidOf('validator-1')]).toEqual([undefined, other]);
    const made = await create('validator-0');
    expect(await restart(0)).not.toContain('deleted');
    expect([await uidOf('validator-0'), await uidOf('validator-1')]).toEqual([made, other]);
  });
});
