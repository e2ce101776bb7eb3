// What never restarts a node, with the real numbers of docs/probes.md; policy.ts and renamed.ts scale them to seconds.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { asksNode, asksSnowgauge, config, configMap, name, node, nodeStatus, rarely } from './documented.ts';
import { containersOf, plainPod, unpullable } from './plain-pod.ts';
import { container, hasRun, podOf, signalTo, starved } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

const timeout = 3_600_000;

export const patienceSuite = (cluster: () => Cluster, tell: (row: Row) => void): void => {
  const row = (title: string, namespace: string, run: (space: Space) => Promise<void>): void => {
    test.concurrent(`patience: ${title}`, { timeout }, async (context) => run(await makeSpace(context, cluster(), namespace)));
  };

  const unstartable = [
    { what: 'has an error in its configuration', namespace: 'soak-error', values: { configObject: { existing: 'mine' } } },
    { what: 'has no configuration', namespace: 'soak-missing', values: { configObject: { existing: 'no-such' } } },
    { what: 'is out of memory for ever', namespace: 'soak-starved', values: { config, resources: starved, allowUnsafe: true } },
  ];
  for (const { what, namespace, values } of unstartable) {
    row(
      `while the sidecar ${what} for 15 min, the node is not restarted, and starts in a rescheduled pod`,
      namespace,
      async (space) => {
        await cluster().apply(namespace, configMap('mine', 'tagets: []\n'));
        await install(space, cluster(), 'drill', { node, nodeProbes: asksNode, ...values });
        const { restartCount } = await hasRun(space, name, 'node', 900, rarely(1200));
        const pod = await podOf(space, name);
        await space.kubectl('delete', 'pod', name, '--wait=false', '--grace-period=1');
        const deleted = Date.now();
        await until('the pod is another one, and its node runs', async () => {
          const next = await podOf(space, name);
          return next.metadata.uid !== pod.metadata.uid && container(next, 'node').state.running !== undefined;
        });
        const took = (Date.now() - deleted) / 1000;
        const sidecar = container(pod, 'snowgauge').restartCount;
        tell({
          what: `the sidecar ${what} for 15 min`,
          seen: `node: ${restartCount} restarts, rescheduled it runs after ${took.toFixed(0)} s; sidecar: ${sidecar} restarts`,
        });
        expect(restartCount).toBe(0);
        expect(took).toBeLessThan(60);
      },
    );
  }

  row('while the image of the sidecar cannot be pulled for 15 min, the node is not restarted', 'soak-unpulled', async (space) => {
    const probe = { httpGet: { port: 9650, path: '/ext/health/liveness' }, timeoutSeconds: 5 };
    const asked = {
      startupProbe: { ...probe, periodSeconds: 10, failureThreshold: 360 },
      livenessProbe: { ...probe, periodSeconds: 20, failureThreshold: 20 },
    };
    const containers = (spec: Readonly<Record<string, unknown>>) =>
      containersOf({ containers: unpullable(spec) }).map((one) => (one.name === 'node' ? { ...one, ...asked } : one));
    await cluster().apply('soak-unpulled', await plainPod(space, (spec) => ({ ...spec, containers: containers(spec) })));
    const { restartCount } = await hasRun(space, 'plain', 'node', 900, rarely(1200));
    tell({ what: 'the image of the sidecar cannot be pulled for 15 min', seen: `node: ${restartCount} restarts` });
    expect(restartCount).toBe(0);
  });

  const broken = [
    { what: 'hung', namespace: 'soak-left', faults: [] },
    { what: 'whose health worker is frozen', namespace: 'soak-frozen-left', faults: [{ fault: 'time-freezes', at: '120s' }] },
  ];
  for (const { what, namespace, faults } of broken) {
    row(`a node ${what} for 15 min is unready and not restarted by default`, namespace, async (space) => {
      await install(space, cluster(), 'drill', { node: { ...node, scenario: { faults } }, config }, '--wait');
      if (faults.length === 0) await signalTo(cluster(), await nodeStatus(space), 'SIGSTOP');
      await until('the pod is not ready', async () => !isReady(await podOf(space, name)));
      const since = Date.now();
      await until('a quarter of an hour has passed', async () => Date.now() - since > 900_000, rarely(1000));
      const pod = await podOf(space, name);
      const { restartCount } = container(pod, 'node');
      tell({ what: `a node ${what} for 15 min, by default`, seen: `node: ${restartCount} restarts, ready: ${isReady(pod)}` });
      expect([restartCount, isReady(pod)]).toEqual([0, false]);
    });
  }

  const renamed = [
    { by: 'the paths of the chart', namespace: 'soak-renamed-self', path: '/self' },
    { by: 'paths that name it', namespace: 'soak-renamed', path: '/targets/node' },
  ];
  for (const { by, namespace, path } of renamed) {
    row(`a target renamed for 20 min under ${by} restarts no node and makes none unready`, namespace, async (space) => {
      const called = (target: string) =>
        cluster().apply(namespace, configMap('shared', JSON.stringify({ targets: [{ ...config.targets[0], name: target }] })));
      await called('node');
      const probes = { ...asksSnowgauge, readiness: { enabled: true } };
      await install(space, cluster(), 'drill', { node, nodeProbes: probes, replicas: 2, configObject: { existing: 'shared' } });
      await naming(space, path);
      const since = Date.now();
      await called('renamed');
      const names = [name, 'drill-snowgauge-1'];
      const seen = new Set<string>();
      await until(
        'twenty minutes have passed',
        async () => {
          for (const one of names) {
            const pod = await podOf(space, one);
            seen.add(`node: ${container(pod, 'node').restartCount} restarts, ready: ${isReady(pod)}`);
          }
          return Date.now() - since > 1_200_000;
        },
        rarely(1500),
      );
      tell({ what: `target renamed under ${path}, two pods, 20 min`, seen: [...seen].join('; ') });
      expect([...seen]).toEqual(['node: 0 restarts, ready: true']);
    });
  }
};

/** Points the probes to this path, and waits until all pods have them and are ready. */
const naming = async (space: Space, path: string): Promise<void> => {
  const asks = { startupProbe: 'startupz', readinessProbe: 'readyz', livenessProbe: 'livez' };
  const patch = Object.entries(asks).map(([probe, condition]) => ({
    op: 'replace',
    path: `/spec/template/spec/containers/0/${probe}/httpGet/path`,
    value: `${path}/${condition}`,
  }));
  await space.kubectl('patch', 'statefulset', 'drill-snowgauge', '--type=json', `--patch=${JSON.stringify(patch)}`);
  await space.kubectl('rollout', 'status', 'statefulset/drill-snowgauge', '--timeout=600s');
};
