// The modes of the chart, from install to uninstall, which leaves no objects.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, podOf } from './pods.ts';
import { chart, install, isReady, makeSpace, type Space } from './release.ts';

const timeout = 600_000;
const helmTimeout = '--timeout=400s';

const fleetOf = (url: string) => ({
  mode: 'fleet',
  config: { targets: [{ name: 'node', url, healthCheckFrequency: '1s', timeout: '1s' }] },
});

/** Objects that a release may have left, without those that Kubernetes creates in every namespace. */
const leftIn = async (space: Space): Promise<readonly string[]> => {
  const kinds =
    'all,configmaps,secrets,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,persistentvolumeclaims';
  const names = (await space.kubectl('get', kinds, '--output=name', '--ignore-not-found')).split('\n').filter(Boolean);
  return names.filter((name) => !['configmap/kube-root-ca.crt', 'serviceaccount/default'].includes(name));
};

const uninstall = async (space: Space, ...releases: readonly string[]): Promise<void> => {
  // Helm keeps the pods of its tests for their logs.
  await space.kubectl('delete', 'pods', '--selector=app.kubernetes.io/component=test');
  await space.helm('uninstall', ...releases, '--wait', helmTimeout);
  await space.kubectl('wait', '--for=delete', 'pods', '--all', '--timeout=120s');
};

/** Waits until all pods of the release are ready and have this value of the label; terminating pods are listed for a while. */
const haveLabel = (space: Space, release: string, label: string, value: string | undefined): Promise<boolean> =>
  until(`the pods of ${release} have the label ${label} as ${value}`, async () => {
    const pods = (await space.pods()).filter(({ metadata }) => metadata.labels['app.kubernetes.io/instance'] === release);
    const ours = pods.filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] !== 'test');
    return ours.length > 0 && ours.every((pod) => isReady(pod) && pod.metadata.labels[label] === value);
  });

/** A number in YAML, and not a valid name for a Service. */
const demo = '007';

export const chartSuite = (cluster: () => Cluster): void => {
  test.concurrent('modes demo and fleet: install, helm test, upgrade, rollback, uninstall', { timeout }, async (context) => {
    const space = await makeSpace(context, cluster(), 'modes');
    await install(space, cluster(), demo, { node: { healthCheckFrequency: '1s' } }, '--wait');
    await install(space, cluster(), 'fleet', fleetOf('http://snowgauge-007-node.modes.svc:9650'), '--wait');
    for (const release of [demo, 'fleet']) {
      // Right after the other release's rollback its node may be down for a moment: helm test then passes too, and logs it.
      await until(`helm test ${release} tells that the node is up`, async () =>
        /^snowgauge_up\{target="node"\} 1$/m.test(await space.helm('test', release, '--logs')),
      );
      await space.helm('upgrade', release, chart, '--reuse-values', '--wait', helmTimeout, '--set', 'podLabels.upgraded=yes');
      await haveLabel(space, release, 'upgraded', 'yes');
      await space.helm('rollback', release, '1', '--wait', helmTimeout);
      await haveLabel(space, release, 'upgraded', undefined);
    }
    await uninstall(space, demo, 'fleet');
    expect(await leftIn(space)).toEqual([]);
  });

  test.concurrent('an upgrade that fails half-way makes one pod unready and restarts no node', {
    timeout,
  }, async (context) => {
    const space = await makeSpace(context, cluster(), 'halfway');
    await install(space, cluster(), 'drill', { node: { healthCheckFrequency: '1s' }, replicas: 2 }, '--wait');
    const before = await podOf(space, 'drill-snowgauge-0');
    const other = await podOf(space, 'drill-snowgauge-1');
    // Too little memory for Node.js to start.
    const starved = ['--set', 'allowUnsafe=true,resources.requests.memory=16Mi,resources.limits.memory=16Mi'];
    const upgrade = () => space.helm('upgrade', 'drill', chart, '--reuse-values', ...starved, '--wait', '--timeout=20s');
    for (const time of ['the first time', 'repeated']) {
      await expect(upgrade(), time).rejects.toThrow(/timed out|not ready|deadline/i);
      const spared = await podOf(space, 'drill-snowgauge-0');
      expect(spared.metadata.uid, time).toBe(before.metadata.uid);
      await until('the spared pod is ready', async () => isReady(await podOf(space, 'drill-snowgauge-0')));
      // On a busy machine it may still be starting when the upgrade gives up.
      const halfway = await until('the other pod is a new one, and its node runs', async () => {
        const found = await podOf(space, 'drill-snowgauge-1');
        return found.metadata.uid !== other.metadata.uid && container(found, 'node').state.running !== undefined && found;
      });
      expect(container(halfway, 'node').restartCount, time).toBe(0);
      expect(isReady(halfway), time).toBe(false);
    }
    await space.helm('rollback', 'drill', '1', '--wait', helmTimeout);
    await until('both are ready', async () => (await space.pods()).filter(isReady).length === 2);
    const after = await podOf(space, 'drill-snowgauge-0');
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(container(after, 'node').restartCount).toBe(0);
  });
};
