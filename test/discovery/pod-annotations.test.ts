// What the annotations of a pod may say of it, and what becomes of those that are wrong.

import { expect, test } from 'vitest';
import { servePods } from '../support/pods-api.ts';
import { world } from './world.ts';

const target = { healthCheckFrequency: '1h', timeout: '1s', indexes: [] };

test.each(['httpp', '0', '65536'])('a port that the pod does not have makes its target invalid: %s', async (port) => {
  const api = await servePods();
  api.put({ name: 'typo', ip: '127.0.0.2', annotations: { 'snowgauge.io/port': port } });
  const { becomes, get } = await world({ discovery: { target, kubernetes: [{ namespaces: ['a'] }] } }, api.cluster);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'kubernetes/0', reason: 'invalid' }, [1]);
  const [source] = JSON.parse(await get('/api/v1/status')).discovery;
  const examples = [`a.typo has no port named ${port}: correct snowgauge.io/port of the pod`];
  expect(source.unwatched).toMatchObject([{ reason: 'invalid', targets: 1, examples }]);
});
