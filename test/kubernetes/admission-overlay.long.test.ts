// The overlay with pod labels as users build it, with their own namespace and names: its policy and its Role follow, on a
// real API server.

import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiServer, startApiServer } from '../support/api-server.ts';
import { at, documentsOf, execute, inFolder, type Manifest, root } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

vi.setConfig({ hookTimeout: 400_000 });

const namespace = 'validators';
const policies = '/apis/admissionregistration.k8s.io/v1';
const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
const core = `/api/v1/namespaces/${namespace}`;
const places: readonly (readonly [string, string])[] = [
  ['ServiceAccount', `${core}/serviceaccounts`],
  ['Role', `${roles}/roles`],
  ['RoleBinding', `${roles}/rolebindings`],
  ['ValidatingAdmissionPolicy', `${policies}/validatingadmissionpolicies`],
  ['ValidatingAdmissionPolicyBinding', `${policies}/validatingadmissionpolicybindings`],
];

const labels = { metadata: { labels: { 'ready.snowgauge.io/all': 'true' } } };
const roleFor = (pod: string): object => ({
  target: { kind: 'Role', name: 'snowgauge' },
  patch: JSON.stringify([{ op: 'replace', path: '/rules/0/resourceNames', value: [pod] }]),
});

describeWith(
  ['etcd', 'kube-apiserver', 'kubectl'],
  'the overlay sidecar-labels',
  (etcd = '', kubeApiserver = '', kubectl = '') => {
    let api: ApiServer;
    let tries = 0;
    beforeAll(async () => {
      api = await startApiServer(etcd, kubeApiserver);
      await api.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    });
    afterAll(() => api?.stop());

    const built = (kustomization: object): Promise<readonly Manifest[]> =>
      inFolder(async (folder) => {
        const own = join(folder, 'own');
        await mkdir(own);
        const overlay = relative(own, join(root, 'deploy/kubernetes/overlays/sidecar-labels'));
        await writeFile(join(own, 'kustomization.yaml'), JSON.stringify({ resources: [overlay], ...kustomization }));
        const { code, stdout, stderr } = await execute(kubectl, ['kustomize', own]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        return documentsOf(stdout);
      });

    /** The status codes of patches of a pod with the token: of its labels and of its status. */
    const mayDo = async (pod: string, token: string): Promise<readonly number[]> => {
      tries += 1;
      const codes: number[] = [];
      for (const body of [labels, { status: { message: `try ${tries}` } }])
        codes.push((await api.ask('PATCH', `${core}/pods/${pod}/status`, body, token)).status);
      return codes;
    };

    test.each([
      { kustomization: { namespace }, own: 'snowgauge-0', foreign: 'mine-snowgauge-0', may: [200, 422], notOwn: [403, 403] },
      // The Role still names the pods without the prefix, so that patches are forbidden.
      {
        kustomization: { namespace, namePrefix: 'mine-' },
        own: 'mine-snowgauge-0',
        foreign: 'snowgauge-0',
        may: [403, 403],
        notOwn: [422, 422],
      },
      {
        kustomization: { namespace, namePrefix: 'mine-', nameSuffix: '-a', patches: [roleFor('mine-snowgauge-a-0')] },
        own: 'mine-snowgauge-a-0',
        foreign: 'snowgauge-0',
        may: [200, 422],
        notOwn: [403, 403],
      },
    ])('with $kustomization, patches of the own pod return $may, and of another pod $notOwn', async (row) => {
      const objects = await built(row.kustomization);
      const made: string[] = [];
      for (const [kind, place] of places)
        for (const object of objects.filter((one) => one.kind === kind)) {
          await api.must('POST', place, object);
          made.push(`${place}/${at(object, 'metadata.name')}`);
        }
      expect(made).toHaveLength(places.length);
      const account = made[0] ?? '';
      for (const name of [row.own, row.foreign])
        await api.must('POST', `${core}/pods`, {
          metadata: { name },
          spec: { serviceAccountName: account.split('/').at(-1), containers: [{ name: 'node', image: 'node' }] },
        });
      const { uid } = (await api.must('GET', `${core}/pods/${row.own}`)).metadata;
      const spec = { expirationSeconds: 3600, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: row.own, uid } };
      const { token } = (await api.must('POST', `${account}/token`, { spec })).status;
      const codes = async () => [await mayDo(row.own, token), await mayDo(row.foreign, token)];
      // Policies take effect on the API server after a short delay.
      await until('the policy is in force', async () => JSON.stringify(await codes()) === JSON.stringify([row.may, row.notOwn]), {
        timeoutMs: 60_000,
      });
      for (const path of made.filter((one) => one.startsWith(policies))) await api.must('DELETE', path);
      await until('the policy is gone', async () => (await codes()).every((pair) => !pair.includes(422)));
      for (const path of [
        ...made.filter((one) => !one.startsWith(policies)),
        `${core}/pods/${row.own}`,
        `${core}/pods/${row.foreign}`,
      ])
        await api.must('DELETE', path, { gracePeriodSeconds: 0 });
    });
  },
);
