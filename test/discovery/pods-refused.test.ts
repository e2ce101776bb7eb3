// An API server that refuses, fails or hangs, for all or some namespaces: what is reported and what is kept.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PodPace, watchPods } from '../../src/discovery/kubernetes/pods.ts';
import { createFailureLog } from '../../src/failure-log.ts';
import type { Cluster } from '../../src/kubernetes/exchange.ts';
import { accountOf, tls } from '../support/label-keeper.ts';
import { servePods } from '../support/pods-api.ts';
import { closedPort } from '../support/serve.ts';
import { following } from './updates.ts';
import { patience } from './world.ts';

const fast: PodPace = { deadlineMs: 280_000, watchSeconds: 3600, goneAfterMs: 50, retryMs: 20 };

const world = async (namespaces: readonly string[] = ['a'], pace: Partial<PodPace> = {}) => {
  const api = await servePods();
  const source = () => following((context) => watchPods({ namespaces }, context, { ...fast, ...pace }), api.cluster);
  return { ...api, source };
};

test.each([
  {
    title: 'returns 403',
    mood: { status: 403, message: 'pods is forbidden' },
    reason: /^namespace a: status 403: pods is forbidden$/,
  },
  { title: 'returns 500', mood: { status: 500, message: 'etcd' }, reason: /^namespace a: status 500: etcd$/ },
  {
    title: 'hangs',
    mood: 'mute' as const,
    reason: /^namespace a: no response within 500 ms \(API server https:\S+\)$/,
    pace: { deadlineMs: 500 },
  },
])('keeps the previous list and retries when the server $title', async ({ mood, reason, pace }) => {
  const { put, source, be, forget } = await world(['a'], pace);
  be(mood);
  put({ name: 'node-1', ip: '10.0.0.1' });
  const { finds, fails, recovers, addresses } = source();
  await fails(reason);
  be('well');
  await finds('10.0.0.1:9650');
  be(mood);
  forget();
  await fails(reason);
  expect(addresses()).toEqual(['10.0.0.1:9650']);
  be('well');
  await recovers();
});

test.each([
  {
    title: 'is unreachable',
    change: async (): Promise<Partial<Cluster>> => ({ server: `https://127.0.0.1:${await closedPort()}` }),
    says: 'ECONNREFUSED (API server SERVER): check KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the network policies of the pod',
  },
  {
    title: 'has a certificate of another CA',
    change: async (): Promise<Partial<Cluster>> => {
      const serviceAccountDir = accountOf();
      cpSync(join(tls, 'other-ca.crt'), join(serviceAccountDir, 'ca.crt'));
      return { serviceAccountDir };
    },
    says: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY (API server SERVER): check KUBERNETES_SERVICE_HOST and DIR/ca.crt',
  },
])('the error for an API server that $title contains its address and what to check', async ({ change, says }) => {
  const cluster = { ...(await servePods()).cluster, ...(await change()) };
  const { fails, updates } = following((context) => watchPods({ namespaces: ['a'] }, context, fast), cluster);
  await fails(/./);
  const reason = says.replace('SERVER', `${cluster.server}`).replace('DIR', cluster.serviceAccountDir);
  expect(updates.at(-1)).toMatchObject({ kind: 'failed', reason: `namespace a: ${reason}` });
});

test('without the watch permission reports the failure and lists again with each retry', async () => {
  const { put, source, forbidWatch, allow, lists } = await world();
  forbidWatch('a');
  put({ name: 'node-1', ip: '10.0.0.1' });
  const { finds, fails, recovers, updates } = source();
  await fails(/^namespace a: status 403: no right$/);
  const listed = lists();
  await expect.poll(lists, patience).toBeGreaterThan(listed + 2);
  put({ name: 'node-2', ip: '10.0.0.2' });
  await finds('10.0.0.1:9650', '10.0.0.2:9650');
  const kinds = updates.map(({ kind }) => kind);
  expect(kinds.slice(kinds.indexOf('failed'))).not.toContain('ok');
  allow('a');
  await recovers();
});

test('reports a list that keeps expiring before its last page', async () => {
  const { put, source, expire, allow, asked } = await world();
  for (const at of [1, 2, 3]) put({ name: `node-${at}`, ip: `10.0.0.${at}` });
  expire('a');
  const { finds, fails, recovers } = source();
  await fails(/^namespace a: the list expires before it is complete: status 410$/);
  expect(asked.filter(({ searchParams }) => searchParams.has('continue')).length).toBeGreaterThanOrEqual(3);
  allow('a');
  await recovers();
  await finds('10.0.0.1:9650', '10.0.0.2:9650', '10.0.0.3:9650');
});

test('an outage of the API server is one reason to log for all namespaces, when it starts and when it ends', async () => {
  const { source, be, forget, watches } = await world(['a', 'b', 'c', 'd', 'e']);
  const { updates, recovers } = source();
  await recovers();
  await expect.poll(watches, patience).toBe(5);
  be({ status: 503, message: 'down' });
  forget();
  const failures = () => updates.flatMap((one) => (one.kind === 'failed' ? [one] : []));
  await expect.poll(() => failures().some(({ reason }) => reason.includes('namespace e')), patience).toBe(true);
  await expect.poll(() => failures().some(({ faults }) => faults.some(({ isRepeated }) => isRepeated)), patience).toBe(true);
  be('well');
  await recovers();
  const { toLog } = createFailureLog(() => 0);
  expect(failures()[0]?.faults).toMatchObject([{ isRepeated: false }]);
  expect(failures().filter(({ faults }) => toLog(faults).length > 0)).toHaveLength(1);
});

test('a forbidden namespace does not affect the others', async () => {
  const { put, source } = await world(['a', 'forbidden']);
  put({ name: 'node-1', ip: '10.0.0.1' });
  const { finds, fails } = source();
  await finds('10.0.0.1:9650');
  await fails(/^namespace forbidden: status 403: no right$/);
});
