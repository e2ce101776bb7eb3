// What the documentation promises of a real kubelet, with its true numbers: the rows of policy.ts scale them to seconds.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, hasRun, podOf, signalTo, target } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

const name = 'drill-snowgauge-0';
const timeout = 3_600_000;
const node = { healthCheckFrequency: '30s', resources: {} };
const config = { targets: [target({ healthCheckFrequency: '30s', timeout: '10s' })] };
/** As docs/probes.md has them: 10 s × 360, 20 s × 20. */
const asksNode = { startup: { enabled: true }, liveness: { enabled: true }, node: { host: '0.0.0.0', scheme: 'HTTP' } };
const onSnowgauge = { enabled: true, source: 'snowgauge' };
const asksSnowgauge = { startup: onSnowgauge, liveness: onSnowgauge, mayRestartHealthyNodes: true };

export const patienceSuite = (cluster: () => Cluster, tell: (row: Row) => void): void => {
  const row = (title: string, namespace: string, run: (space: Space) => Promise<void>): void => {
    test.concurrent(title, { timeout }, async (context) => run(await makeSpace(context, cluster(), namespace)));
  };

  const starved = { requests: { memory: '16Mi' }, limits: { memory: '16Mi' } };
  const unstartable = [
    { what: 'has an error in its configuration', namespace: 'soak-error', values: { configObject: { existing: 'mine' } } },
    { what: 'is out of memory for ever', namespace: 'soak-starved', values: { config, resources: starved, allowUnsafe: true } },
  ];
  for (const { what, namespace, values } of unstartable) {
    row(`for a quarter of an hour the sidecar ${what}, and the node is untouched`, namespace, async (space) => {
      await cluster().apply(namespace, configMap('mine', 'tagets: []\n'));
      await install(space, cluster(), 'drill', { node, nodeProbes: asksNode, ...values });
      expect(await hasRun(space, name, 'node', 900, rarely(1200))).toMatchObject({ restartCount: 0 });
      const { restartCount } = container(await podOf(space, name), 'snowgauge');
      tell({ what: `the sidecar ${what} for 15 min`, seen: `node: 0 restarts; sidecar: ${restartCount}` });
    });
  }

  row('a hung node is restarted after 20 × 20 s by a liveness probe that asks it', 'soak-hung', async (space) => {
    await install(space, cluster(), 'drill', { node, config, nodeProbes: asksNode, terminationGracePeriodSeconds: 2 }, '--wait');
    const seconds = await restartedAfter(space, () => stop(space));
    tell({ what: 'node hung, liveness asks the node: restarted after', seen: `${seconds.toFixed(0)} s` });
    expect(seconds).toBeGreaterThan(380);
    expect(seconds).toBeLessThan(460);
  });

  row(
    'a hung node is restarted by a liveness probe of snowgauge, which was restarted meanwhile',
    'soak-memory',
    async (space) => {
      const values = { node, config: { ...config, stateDir: '/state' } };
      await install(
        space,
        cluster(),
        'drill',
        { ...values, nodeProbes: asksSnowgauge, terminationGracePeriodSeconds: 2 },
        '--wait',
      );
      // Nothing is dead by an interval that nobody has measured.
      await hasRun(space, name, 'node', 240, rarely(400));
      const seconds = await restartedAfter(space, async () => {
        await stop(space);
        const hung = Date.now();
        await until('two minutes have passed', async () => Date.now() - hung > 120_000, rarely(300));
        await signalTo(cluster(), container(await podOf(space, name), 'snowgauge'), 'SIGKILL');
      });
      tell({
        what: 'node hung, liveness asks snowgauge, which is restarted once: restarted after',
        seen: `${seconds.toFixed(0)} s`,
      });
      // 20 intervals of silence, and 20 × 20 s of a probe that fails.
      expect(seconds).toBeGreaterThan(960);
      expect(seconds).toBeLessThan(1200);
    },
  );

  row('a target that is renamed under its probes costs no node, for twenty minutes', 'soak-renamed', async (space) => {
    const probes = { ...asksSnowgauge, readiness: { enabled: true } };
    await install(space, cluster(), 'drill', { node, nodeProbes: probes, configObject: { existing: 'shared' } });
    const named = (called: string) => configMap('shared', JSON.stringify({ targets: [{ ...config.targets[0], name: called }] }));
    await cluster().apply('soak-renamed', named('node'));
    await until('the pod is ready', async () => isReady(await podOf(space, name)));
    await cluster().apply('soak-renamed', named('renamed'));
    await hasRun(space, name, 'node', 1200, rarely(1800));
    const pod = await podOf(space, name);
    tell({
      what: 'target renamed, 20 min',
      seen: `node: ${container(pod, 'node').restartCount} restarts, ready: ${isReady(pod)}`,
    });
    expect([container(pod, 'node').restartCount, isReady(pod)]).toEqual([0, true]);
  });

  const stop = async (space: Space): Promise<void> => signalTo(cluster(), container(await podOf(space, name), 'node'), 'SIGSTOP');
};

/** Each look costs the machine a process. */
const rarely = (seconds: number) => ({ timeoutMs: seconds * 1000, everyMs: 5000 });

const configMap = (called: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: called },
  data: { 'snowgauge.yaml': text },
});

const restartedAfter = async (space: Space, happens: () => Promise<void>): Promise<number> => {
  const begun = Date.now();
  await happens();
  await until('the node was restarted', async () => container(await podOf(space, name), 'node').restartCount === 1, {
    timeoutMs: 1_800_000,
    everyMs: 1000,
  });
  return (Date.now() - begun) / 1000;
};
