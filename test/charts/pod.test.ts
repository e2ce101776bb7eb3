// The containers of mode demo, run side by side as in a pod.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { at, type Manifest, objectsOf, texts } from '../support/chart.ts';
import { freePort } from '../support/free-port.ts';
import { startCommand } from '../support/running-command.ts';
import { describeWith } from '../support/tools.ts';

const alpha = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

const valuesFor = (api: number, page: number, probes: number): object => ({
  mode: 'demo',
  node: {
    port: api,
    healthCheckFrequency: '1s',
    scenario: { subnets: [{ name: 'alpha', id: alpha, chains: [{ alias: 'alpha-chain', history: 1 }] }] },
  },
  config: {
    listen: { port: page },
    probes: { port: probes },
    targets: [
      {
        name: 'node',
        url: `http://127.0.0.1:${api}`,
        healthCheckFrequency: '1s',
        timeout: '1s',
        tagSets: [{ name: 'all' }, { name: 'alpha', tags: [alpha] }],
      },
    ],
  },
  webConfig: { config: { basic_auth_users: { prometheus: '$2y$04$XaQ7oPQEZOEV7PHVHvpHxOyDyFQWdu2vz1rcd1oWUuz2hnfFWFsKG' } } },
  nodeProbes: { readiness: { tagSet: 'alpha' }, startup: { enabled: true }, liveness: { enabled: true } },
});

const dataOf = (objects: readonly Manifest[], name: string): Readonly<Record<string, string>> => {
  const object = objects.find(({ kind, ...one }) => /ConfigMap|Secret/.test(String(kind)) && at(one, 'metadata.name') === name);
  return texts(object?.data ?? object?.stringData);
};

/** Runs both containers with the mounted files until the end of the test. */
const startPod = async (objects: readonly Manifest[], pod: unknown): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-pod-'));
  const files = ['config', 'scenario', 'web'].flatMap((end) => Object.entries(dataOf(objects, `test-snowgauge-${end}`)));
  await Promise.all(files.map(([name, text]) => writeFile(join(folder, name), text)));
  const argsOf = (path: string): readonly string[] => {
    const args: unknown = at(pod, `${path}.args`);
    return (Array.isArray(args) ? args : []).map((arg) =>
      String(arg)
        .replace(/\/etc\/snowgauge-(?:node|web)/, folder)
        .replace('/data', join(folder, 'data')),
    );
  };
  const sidecar = startCommand([...argsOf('containers.1'), '--config', join(folder, 'snowgauge.yaml')]);
  const node = startCommand(argsOf('containers.0'));
  onTestFinished(async () => {
    sidecar.stop();
    node.stop();
    const ended = await Promise.all([sidecar.finished, node.finished]);
    await rm(folder, { recursive: true });
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ended.map(() => ({ code: 0, stderr: '' })));
  });
};

interface Asked {
  readonly probe: string;
  readonly url: string;
}

/** The URLs that the kubelet would probe, with named ports resolved. */
const probesOf = (pod: unknown, container: string): readonly Asked[] =>
  ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap((probe) => {
    const path = at(pod, `${container}.${probe}.httpGet.path`);
    const port = at(pod, `${container}.${probe}.httpGet.port`);
    if (path === undefined) return [];
    const ports: unknown = at(pod, `${container}.ports`);
    const named = (Array.isArray(ports) ? ports : []).find((one) => at(one, 'name') === port);
    return [{ probe: `${container} ${probe}`, url: `http://127.0.0.1:${at(named, 'containerPort') ?? port}${path}` }];
  });

/** Retries until the response has this status, as a kubelet does. */
const answers = async (url: string, status: number): Promise<string> => {
  const deadline = Date.now() + 280_000;
  for (;;) {
    const reply = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
    const body = (await reply?.text()) ?? 'no answer';
    if (reply?.status === status) return body;
    if (Date.now() > deadline) throw new Error(`${url}: ${reply?.status} ${body}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

describeWith(['helm'], 'the pod of mode demo', (helm = '') => {
  test('passes every rendered probe although the web configuration requires a password', async () => {
    const page = await freePort();
    const values = valuesFor(await freePort(), page, await freePort());
    const objects = await objectsOf(helm, { values });
    const pod = at(
      objects.find(({ kind }) => kind === 'StatefulSet'),
      'spec.template.spec',
    );
    await startPod(objects, pod);
    const asked = [...probesOf(pod, 'containers.1'), ...probesOf(pod, 'containers.0')];
    expect(asked.map(({ probe }) => probe)).toEqual([
      'containers.1 livenessProbe',
      'containers.0 startupProbe',
      'containers.0 readinessProbe',
      'containers.0 livenessProbe',
    ]);
    expect(asked[2]?.url).toMatch(/\/self\/readyz\/alpha$/);
    for (const { url } of asked) expect(await answers(url, 200)).not.toBe('');
    await answers(`http://127.0.0.1:${page}/metrics`, 401);
  });
});
