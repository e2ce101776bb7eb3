// /probe of an exporter as `run` starts it: on its port alone, and by the configuration of the last reload.

import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/commands/serve.ts';
import { silentLog } from '../../src/log.ts';
import { healthy, probeConfig, serveAt } from '../support/probing.ts';

const maintenance = { windows: [] };

test('a reload takes another allow-list, or says which secret it cannot read', async () => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const stop = new AbortController();
  const options = { source: 'test', listen: { host: '127.0.0.1', port: 0 }, probes: { port: 0 }, targets: [], maintenance };
  const now = (): number => Date.now() / 1000;
  const context = { now, log: silentLog, version: 'test', signal: stop.signal };
  const serving = await serve({ ...options, probe: await probeConfig('{}') }, context);
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  onTestFinished(async () => {
    stop.abort();
    await serving.finished;
  });
  const status = async (base = serving.url) => (await fetch(`${base}/probe?target=127.0.0.1:${node.port}`)).status;
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
