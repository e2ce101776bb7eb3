// What the token for pod labels may do with the Role and the admission policy of the chart, on a real API server.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, type ApiServer, startApiServer } from '../support/api-server.ts';
import { at, type Manifest, objectsOf } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

vi.setConfig({ hookTimeout: 400_000 });

const values = {
  mode: 'sidecar',
  serviceAccount: { name: 'node' },
  config: { kubernetes: { podLabels: { enabled: true } } },
};
const policies = '/apis/admissionregistration.k8s.io/v1';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const places: Readonly<Record<string, string>> = {
  Role: `${roles}/roles`,
  RoleBinding: `${roles}/rolebindings`,
  ValidatingAdmissionPolicy: `${policies}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${policies}/validatingadmissionpolicybindings`,
};

const label = 'ready.snowgauge.io/all';
/** A label by somebody else: it does not block patches, and may be removed. */
const odd = 'ready.snowgauge.io/odd';
const pods = '/api/v1/namespaces/default/pods';

describeWith(['etcd', 'kube-apiserver', 'helm'], 'the token for pod labels', (etcd = '', kubeApiserver = '', helm = '') => {
  let api: ApiServer;
  const tokens = { own: '', other: '', unbound: '' };

  const create = async (path: string, objects: readonly Manifest[]): Promise<void> => {
    for (const object of objects) await api.must('POST', path, object);
  };
  const tokenOf = async (name: string | undefined): Promise<string> => {
    const uid = name && (await api.must('GET', `${pods}/${name}`)).metadata.uid;
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name, uid };
    const spec = { expirationSeconds: 3600, ...(name !== undefined && { boundObjectRef }) };
    return (await api.must('POST', '/api/v1/namespaces/default/serviceaccounts/node/token', { spec })).status.token;
  };

  beforeAll(async () => {
    api = await startApiServer(etcd, kubeApiserver);
    await api.must('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'node' } });
    const objects = await objectsOf(helm, { values, namespace: 'default' });
    for (const [kind, path] of Object.entries(places))
      await create(
        path,
        objects.filter((object) => object.kind === kind),
      );
    for (const name of ['own-0', 'other-0'])
      await api.must('POST', pods, {
        metadata: {
          name,
          labels: { app: 'validator', [odd]: 'maybe' },
          annotations: { note: 'mine' },
          finalizers: ['example.org/kept'],
        },
        spec: { serviceAccountName: 'node', containers: [{ name: 'node', image: 'node' }] },
      });
    await api.must('PATCH', `${pods}/own-0/status`, {
      status: {
        phase: 'Running',
        podIP: '10.1.1.1',
        podIPs: [{ ip: '10.1.1.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    tokens.own = await tokenOf('own-0');
    tokens.other = await tokenOf('other-0');
    tokens.unbound = await tokenOf(undefined);
    // A policy takes effect after a short delay. The message differs each time, so that each patch changes the status.
    let tries = 0;
    await until('the policy is in force', async () => {
      tries += 1;
      const body = { status: { message: `try ${tries}` } };
      return (await api.ask('PATCH', `${pods}/own-0/status`, body, tokens.own)).status === 422;
    });
  });
  afterAll(() => api?.stop());

  const patch = (pod: string, body: object, token: string, subresource = '/status'): Promise<Answer> =>
    api.ask('PATCH', `${pods}/${pod}${subresource}`, body, token);

  test.each([
    { what: 'sets a ready label', metadata: { labels: { [label]: 'true' } } },
    {
      what: 'changes and confirms it',
      metadata: { labels: { [label]: 'false' }, annotations: { 'ready.snowgauge.io/confirmed-at': 'now' } },
    },
    { what: 'removes an unknown ready label', metadata: { labels: { [label]: 'true', [odd]: null } } },
    {
      what: 'removes label and annotation',
      metadata: { labels: { [label]: null }, annotations: { 'ready.snowgauge.io/confirmed-at': null } },
    },
  ])('$what on its own pod', async ({ metadata }) => {
    const { status, body } = await patch('own-0', { metadata }, tokens.own);
    expect({ status, message: at(body, 'message') }).toEqual({ status: 200, message: undefined });
    expect(at(body, 'metadata.labels')).toMatchObject({ app: 'validator' });
    expect(body.metadata.labels[label]).toBe(metadata.labels[label] ?? undefined);
  });

  test.each([
    { what: 'the phase', body: { status: { phase: 'Failed' } }, says: 'the status must stay' },
    { what: 'the address', body: { status: { podIP: '10.6.6.6', podIPs: [{ ip: '10.6.6.6' }] } }, says: 'the status must stay' },
    { what: 'a condition', body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, says: 'the status must stay' },
    {
      what: 'its status together with a label',
      body: { metadata: { labels: { [label]: 'true' } }, status: { reason: 'x' } },
      says: 'the status must stay',
    },
    { what: 'another label', body: { metadata: { labels: { app: 'other' } } }, says: 'labels other than' },
    { what: 'the last other label', body: { metadata: { labels: { app: null } } }, says: 'labels other than' },
    { what: 'a new other label', body: { metadata: { labels: { more: 'x' } } }, says: 'labels other than' },
    {
      what: 'a ready label to an invalid value',
      body: { metadata: { labels: { [label]: 'maybe' } } },
      says: 'labels other than',
    },
    { what: 'all labels', body: { metadata: { labels: null } }, says: 'labels other than' },
    { what: 'another annotation', body: { metadata: { annotations: { note: 'other' } } }, says: 'annotations other than' },
    { what: 'all annotations', body: { metadata: { annotations: null } }, says: 'annotations other than' },
    { what: 'the finalizers', body: { metadata: { finalizers: null } }, says: 'the rest of the metadata' },
    { what: 'the generated name', body: { metadata: { generateName: 'x-' } }, says: 'the rest of the metadata' },
  ])('may not change $what of its own pod', async ({ body, says }) => {
    const before = await api.must('GET', `${pods}/own-0`);
    const { status, body: answer } = await patch('own-0', body, tokens.own);
    expect({ status, message: at(answer, 'message') }).toEqual({ status: 422, message: expect.stringContaining(says) });
    expect(await api.must('GET', `${pods}/own-0`)).toEqual(before);
  });

  test('cannot change the spec of the pod: the status patch ignores it, and a patch of the pod is forbidden', async () => {
    const spec = { containers: [{ name: 'node', image: 'evil' }] };
    const body = { metadata: { labels: { [label]: 'true' } }, spec };
    await patch('own-0', body, tokens.own);
    expect((await patch('own-0', body, tokens.own, '')).status).toBe(403);
    expect(at(await api.must('GET', `${pods}/own-0`), 'spec.containers.0.image')).toBe('node');
  });

  test('may not change another pod, and a token that is not bound to a pod may change none', async () => {
    const body = { metadata: { labels: { [label]: 'true' } } };
    for (const [pod, token] of [
      ['other-0', tokens.own],
      ['own-0', tokens.other],
      ['own-0', tokens.unbound],
    ] as const) {
      const { status, body: answer } = await patch(pod, body, token);
      expect({ status, message: at(answer, 'message') }).toEqual({
        status: 422,
        message: expect.stringContaining('not the own pod of this token'),
      });
    }
  });

  test('without a policy may patch the status of exactly the pods that the Role names', async () => {
    await api.must('POST', '/api/v1/namespaces', { metadata: { name: 'named' } });
    const off = { config: values.config, mode: 'demo', replicas: 1, admissionPolicy: { enabled: false } };
    const objects = await objectsOf(helm, { values: off, namespace: 'named', release: 't' });
    expect(objects.some(({ kind }) => kind === 'ValidatingAdmissionPolicy')).toBe(false);
    for (const kind of ['Role', 'RoleBinding'])
      await create(
        (places[kind] ?? '').replace('/default/', '/named/'),
        objects.filter((object) => object.kind === kind),
      );
    const accounts = '/api/v1/namespaces/named/serviceaccounts';
    await api.must('POST', accounts, { metadata: { name: 't-snowgauge' } });
    const { status: made } = await api.must('POST', `${accounts}/t-snowgauge/token`, { spec: { expirationSeconds: 3600 } });
    const body = { metadata: { labels: { [label]: 'true' } } };
    const patched = async (name: string): Promise<number> => {
      const spec = { containers: [{ name: 'node', image: 'node' }] };
      await api.must('POST', '/api/v1/namespaces/named/pods', { metadata: { name }, spec });
      return (await api.ask('PATCH', `/api/v1/namespaces/named/pods/${name}/status`, body, made.token)).status;
    };
    // The pod of the StatefulSet, its next one, and another one.
    expect([await patched('t-snowgauge-0'), await patched('t-snowgauge-1'), await patched('other-0')]).toEqual([200, 403, 403]);
  });

  test('does not restrict other users', async () => {
    expect((await api.ask('PATCH', `${pods}/own-0/status`, { status: { message: 'by the kubelet' } })).status).toBe(200);
  });
});
