// The host names that the chart passes to snowgauge as its own.

import { expect, test } from 'vitest';
import { at, helmTemplate, objectsOf } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

describeWith(['helm'], 'SNOWGAUGE_OWN_HOSTS', (helm = '') => {
  const ownHosts = async (values: object): Promise<unknown> => {
    const objects = await objectsOf(helm, { values, namespace: 'watch' });
    const set = objects.find(({ kind }) => kind === 'StatefulSet');
    const env: unknown = at(set, 'spec.template.spec.containers.0.env');
    return (Array.isArray(env) ? env : []).find(({ name }) => name === 'SNOWGAUGE_OWN_HOSTS')?.value;
  };

  test.each([
    { values: {}, hosts: 'test-snowgauge.watch' },
    { values: { clusterDomain: 'cluster.local' }, hosts: 'test-snowgauge.watch' },
    { values: { clusterDomain: 'prod.local' }, hosts: 'test-snowgauge.watch' },
    { values: { clusterDomain: 'corp.example' }, hosts: 'test-snowgauge.watch,*.watch.svc.corp.example' },
    { values: { clusterDomain: 'notlocal' }, hosts: 'test-snowgauge.watch,*.watch.svc.notlocal' },
    {
      values: {
        clusterDomain: 'corp.example',
        namespaceOverride: 'other',
        ingress: { enabled: true, hosts: ['status.example.com'] },
      },
      hosts: 'test-snowgauge.other,*.other.svc.corp.example,status.example.com',
    },
  ])('with $values has the Service and Ingress hosts', async ({ values, hosts }) => {
    expect(await ownHosts(values)).toBe(hosts);
  });

  test('are not rendered for an invalid clusterDomain', async () => {
    const { code, stderr } = await helmTemplate(helm, { values: { clusterDomain: '*' } });
    expect(code).not.toBe(0);
    expect(stderr).toContain('clusterDomain');
  });
});
