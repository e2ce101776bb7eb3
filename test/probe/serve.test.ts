// /probe of an exporter as `run` starts it: on its port alone, and by the configuration of the last reload.

import { expect, test } from 'vitest';
import { healthy, longest, probeConfig, serveAt, serveProbing } from '../support/probing.ts';

const maintenance = { windows: [] };
const patient = { headers: { 'X-Prometheus-Scrape-Timeout-Seconds': longest } };

test('a reload takes another allow-list, or says which secret it cannot read', async () => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const serving = await serveProbing('{}');
  const status = async (base = serving.url) => (await fetch(`${base}/probe?target=127.0.0.1:${node.port}`, patient)).status;
  expect(await status()).toBe(403);

  const allow = `allow: [{ cidr: 127.0.0.1, ports: [${node.port}] }]`;
  const secret = 'modules: [{ name: a, authorization: { credentialsFile: /does/not/exist } }]';
  const bad = await probeConfig(`{ ${allow}, ${secret} }`);
  expect(serving.replace({ targets: [], maintenance, probe: bad })).toMatchObject({
    kind: 'invalid',
    errors: [{ path: 'probe.modules.a.authorization.credentialsFile' }],
  });
  expect(await status()).toBe(403);

  expect(serving.replace({ targets: [], maintenance, probe: await probeConfig(`{ ${allow} }`) })).toMatchObject({ kind: 'ok' });
  expect(await status()).toBe(200);
  // The kubelet's port is open to whoever reaches the pod.
  expect(await status(serving.probesUrl)).toBe(404);
});

test('families that metrics.exclude leaves out are in no answer, until a reload; how the probe went always is', async () => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const exclude = ['probe_*', 'snowgauge_check_*'];
  const serving = await serveProbing(`{ allow: [{ cidr: 127.0.0.1, ports: [${node.port}] }] }`, {
    metrics: { include: [], exclude },
  });
  const families = async () => {
    const answer = await (await fetch(`${serving.url}/probe?target=127.0.0.1:${node.port}`, patient)).text();
    const names = ['probe_success', 'snowgauge_up', 'snowgauge_check_healthy'];
    return names.filter((name) => answer.includes(`# TYPE ${name} `));
  };
  expect(await families()).toEqual(['probe_success', 'snowgauge_up']);
  serving.replace({ targets: [], maintenance, metrics: { include: ['snowgauge_check_*'], exclude: [] } });
  expect(await families()).toEqual(['probe_success', 'snowgauge_check_healthy']);
});
