// Pods that snowgauge in mode fleet discovers with the permissions that the chart gives it.

import { expect, test } from 'vitest';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { install, makeSpace } from './release.ts';

const timeout = 600_000;

const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A node with default settings, which other pods cannot reach. */
const onLoopback = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'alone' },
  spec: {
    containers: [
      {
        name: 'node',
        image: `${image.repository}:${image.tag}`,
        imagePullPolicy: 'Never',
        args: ['node'],
        ports: [{ containerPort: 9650 }],
        securityContext: restricted,
      },
    ],
  },
};

export const discoverySuite = (cluster: () => Cluster): void => {
  test.concurrent('mode fleet without targets discovers and follows the pods of its namespace, with read permissions only', {
    timeout,
  }, async (context) => {
    const space = await makeSpace(context, cluster(), 'discovered');
    const nodes = (replicas: number): Promise<void> =>
      install(space, cluster(), 'drill', { replicas, node: { healthCheckFrequency: '1s' } }, '--wait');
    // It is ready without any pods to find.
    const target = { healthCheckFrequency: '1s', timeout: '1s' };
    await install(space, cluster(), 'fleet', { mode: 'fleet', config: { discovery: { target } } }, '--wait');
    expect(await space.helm('test', 'fleet', '--logs')).toContain('/metrics: ok');
    await nodes(2);
    await cluster().apply(space.namespace, onLoopback);
    const page = async (): Promise<string> => {
      const pod = await space.pod('fleet-snowgauge-0');
      return pod === undefined ? '' : (await space.ask(pod, 9652, '/metrics')).body;
    };
    const up = async (): Promise<readonly string[]> =>
      Array.from((await page()).matchAll(/^snowgauge_up\{target="([^"]+)"\} 1$/gm), ([, name = '']) => name).sort();
    const watches = (...names: readonly string[]): Promise<unknown> =>
      until(`${names.join(', ')} watched`, async () => (await up()).join() === names.join());
    const named = (at: number): string => `discovered.drill-snowgauge-${at}`;

    await watches(named(0), named(1));
    await until('the node on its loopback is counted', async () =>
      /^snowgauge_discovery_dropped_targets\{source="kubernetes\/0",reason="refused"\} 1$/m.test(await page()),
    );
    await nodes(3);
    await watches(named(0), named(1), named(2));
    const address = async (): Promise<string | undefined> =>
      new RegExp(`^snowgauge_target_info\\{target="${named(1)}",url="([^"]+)"`, 'm').exec(await page())?.[1];
    const before = await address();
    await space.kubectl('delete', 'pod', 'drill-snowgauge-1', '--wait=false');
    await until('the pod has another address', async () => (await address()) !== before && (await up()).length === 3);
    await nodes(1);
    await watches(named(0));
    const account = `system:serviceaccount:${space.namespace}:fleet-snowgauge`;
    const may = (verb: string, what: string): Promise<string> =>
      space.kubectl('auth', 'can-i', verb, what, `--as=${account}`).catch(() => 'no');
    expect((await may('list', 'pods')).trim()).toBe('yes');
    expect((await may('watch', 'statefulsets/fleet-snowgauge')).trim()).toBe('yes');
    for (const [verb, what] of [
      ['delete', 'pods'],
      ['patch', 'pods'],
      ['get', 'secrets'],
      ['list', 'configmaps'],
      ['list', 'statefulsets'],
      ['get', 'statefulsets/drill-snowgauge'],
      ['patch', 'statefulsets/fleet-snowgauge'],
    ] as const)
      expect((await may(verb, what)).trim()).toBe('no');
  });
};
