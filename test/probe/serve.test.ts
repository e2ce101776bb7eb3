// /probe of an exporter as `run` starts it: only on its main port, and with the configuration of the last reload.

import { expect, test } from 'vitest';
import { healthy, longest, probeConfig, serveAt, serveProbing } from '../support/probing.ts';

const maintenance = { windows: [] };
const patient = { headers: { 'X-Prometheus-Scrape-Timeout-Seconds': longest } };

test('a reload changes the allow-list, or fails if a secret is unreadable', async () => {
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
  // The probe port is open to everybody who can reach the pod.
  expect(await status(serving.probesUrl)).toBe(404);
});

test('families of metrics.exclude are left out, except for probe_success, until a reload', async () => {
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
