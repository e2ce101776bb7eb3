// The chart's probes on a real kubelet, when the node or the sidecar fails.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, endpoints, podOf, target } from './pods.ts';
import { install, isReady, makeSpace, type Pod, type Space } from './release.ts';

const timeout = 600_000;
const port = 9652;
export const alpha = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
const beta = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

/** Long enough for the sidecar to start, otherwise the node would be restarted because the sidecar does not respond. */
const impatient = { enabled: true, source: 'snowgauge', periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 15 };

/** The pod once its sidecar runs; its node may still be starting. */
const begun = (space: Space, name: string): Promise<Pod> =>
  until(`${name} runs`, async () => {
    const pod = await podOf(space, name);
    return container(pod, 'snowgauge').state.running !== undefined && pod.status.podIP !== undefined && pod;
  });

const statusAt = async (space: Space, pod: Pod, path: string): Promise<number> => (await space.ask(pod, port, path)).status;

export const kubeletSuite = (cluster: () => Cluster): void => {
  const suite = (title: string, namespace: string, run: (space: Space) => Promise<void>): void => {
    test.concurrent(title, { timeout }, async (context) => run(await makeSpace(context, cluster(), namespace)));
  };

  suite(
    'the pod runs under "restricted", and only the node’s readiness probe depends on the sidecar',
    'wiring',
    async (space) => {
      await install(space, cluster(), 'drill', { node: { healthCheckFrequency: '1s' } }, '--wait');
      const { spec } = await podOf(space, 'drill-snowgauge-0');
      const probesOf = (one: object) => Object.keys(one).filter((key) => /Probe$/.test(key));
      expect(spec.containers.map((one) => [one.name, ...probesOf(one)])).toEqual([
        ['node', 'readinessProbe'],
        ['snowgauge', 'livenessProbe'],
      ]);
      expect(spec.initContainers).toBeUndefined();
    },
  );

  suite(
    'a fault in one subnet removes the pod only from the Service of that subnet, within two check intervals',
    'subnets',
    async (space) => {
      const chains = (alias: string) => [{ alias, blockInterval: '2s' }];
      const subnets = [
        { name: 'alpha', id: alpha, chains: chains('alpha-chain') },
        { name: 'beta', id: beta, chains: chains('beta-chain') },
      ];
      const faults = [{ fault: 'check-fails', check: 'alpha-chain', error: 'drill', at: '60s', for: '30s', every: '60s' }];
      const tagSets = [
        { name: 'all' },
        { name: 'primary', tags: ['11111111111111111111111111111111LpoYY'] },
        { name: 'alpha', tags: [alpha] },
        { name: 'beta', tags: [beta] },
      ];
      const kubernetes = { podLabels: { enabled: true } };
      await install(space, cluster(), 'drill', {
        node: { healthCheckFrequency: '5s', scenario: { subnets, faults } },
        config: { targets: [target({ healthCheckFrequency: '5s', tagSets })], kubernetes },
        nodeProbes: { readiness: { tagSet: 'primary', periodSeconds: 1 } },
        tagSetServices: [{ tagSet: 'alpha' }, { tagSet: 'beta' }],
      });
      const name = 'drill-snowgauge-0';
      const pod = await begun(space, name);
      const probe = (tagSet: string) => statusAt(space, pod, `/targets/node/readyz/${tagSet}`);
      const label = async (tagSet: string) => (await podOf(space, name)).metadata.labels[`ready.snowgauge.io/${tagSet}`];
      const serves = (tagSet: string) => endpoints(space, `drill-snowgauge-${tagSet}`);

      const good = async (tagSet: string) => (await serves(tagSet)) === 1 && (await probe(tagSet)) === 200;
      await until('both Services have the pod', async () => (await good('alpha')) && (await good('beta')));
      const failing = /^snowgauge_check_first_failure_timestamp_seconds\{.*check="alpha-chain"\} (\S+)$/m;
      const delay = async (): Promise<number> => {
        await until('the label of alpha tells the fault', async () => (await label('alpha')) === 'false');
        const { body } = await space.ask(pod, port, '/metrics');
        const confirmed = (await podOf(space, name)).metadata.annotations['ready.snowgauge.io/confirmed-at'] ?? '';
        return Date.parse(confirmed) / 1000 - Number(failing.exec(body)?.[1]);
      };
      // Two check intervals of five seconds: not after a single failure, and not later than the second. A busy machine delays everything:
      // one of three faults has to be in time.
      const delays = [await delay()];
      while (!delays.some((took) => took < 10) && delays.length < 3) {
        await until('the label of alpha tells that it is over', async () => (await label('alpha')) === 'true');
        delays.push(await delay());
      }
      const least = Math.min(...delays.filter(Number.isFinite));
      expect(least).toBeGreaterThan(4);
      expect(least).toBeLessThan(10);
      await until('alpha fails and beta does not', async () => (await probe('alpha')) === 503 && (await probe('beta')) === 200);
      await until(
        'the Service of alpha has lost the pod, and it alone',
        async () => (await serves('alpha')) === 0 && (await good('beta')),
      );
      await until('the pod is ready', async () => (await label('beta')) === 'true' && isReady(await podOf(space, name)));
      await until('the Service of alpha has it again', async () => (await serves('alpha')) === 1);
      expect(container(await podOf(space, name), 'node').restartCount).toBe(0);
    },
  );

  suite('a frozen health worker restarts the node and not the sidecar', 'frozen', async (space) => {
    // Repeated, because on a slow machine the sidecar may not know the check interval by the first time.
    const faults = [{ fault: 'time-freezes', at: '30s', for: '60s', every: '2m' }];
    await install(space, cluster(), 'drill', {
      node: { healthCheckFrequency: '2s', scenario: { faults } },
      config: { targets: [target({ healthCheckFrequency: '2s', liveness: { frozenAfter: 5 } })] },
      allowUnsafe: true,
      nodeProbes: { liveness: impatient, mayRestartHealthyNodes: true },
    });
    const pod = await until('the node is restarted', async () => {
      const found = await podOf(space, 'drill-snowgauge-0');
      return container(found, 'node').restartCount > 0 && found;
    });
    // It ended gracefully.
    expect(container(pod, 'node').lastState.terminated).toMatchObject({ exitCode: 0 });
    expect(container(pod, 'snowgauge')).toMatchObject({ restartCount: 0, ready: true });
    expect(await space.kubectl('get', 'events', '--field-selector=reason=Unhealthy')).toMatch(/Liveness probe failed.*503/);
  });

  suite('a crash-looping node neither restarts the sidecar nor makes it unready', 'dead', async (space) => {
    await install(space, cluster(), 'drill', { node: { args: ['--no-such-flag'] } });
    const pod = await until('the node is restarted', async () => {
      const found = await podOf(space, 'drill-snowgauge-0');
      return container(found, 'node').restartCount > 1 && found;
    });
    expect(container(pod, 'node').lastState.terminated).toMatchObject({ exitCode: 2 });
    expect(container(pod, 'snowgauge')).toMatchObject({ restartCount: 0, ready: true });
    expect(await statusAt(space, pod, '/readyz')).toBe(200);
    expect(await statusAt(space, pod, '/livez')).toBe(200);
    expect(await statusAt(space, pod, '/targets/node/startupz')).toBe(503);
    expect((await space.ask(pod, port, '/metrics')).body).toMatch(/^snowgauge_up\{target="node"\} 0$/m);
  });

  suite('a native sidecar ends after the node, within the rest of the grace period', 'end', async (space) => {
    // The node takes half of eight seconds. A sidecar stopped at the same time would end long before it.
    const values = {
      sidecar: { native: true },
      terminationGracePeriodSeconds: 8,
      node: { healthCheckFrequency: '1s', args: ['--http-shutdown-wait=4s'] },
    };
    await install(space, cluster(), 'drill', values, '--wait');
    // The finalizer keeps the pod's last state readable.
    const patch = (finalizers: readonly string[]) =>
      space.kubectl('patch', 'pod', 'drill-snowgauge-0', '--type=merge', '--patch', JSON.stringify({ metadata: { finalizers } }));
    await patch(['snowgauge.io/test']);
    await space.kubectl('delete', 'pod', 'drill-snowgauge-0', '--wait=false');
    const [node, sidecar] = await until('both have ended', async () => {
      const pod = await podOf(space, 'drill-snowgauge-0');
      const ended = [container(pod, 'node').state.terminated, container(pod, 'snowgauge').state.terminated];
      return ended.every((one) => one !== undefined) && ended;
    });
    await patch([]);
    // 137 would mean that it was killed.
    expect([node?.exitCode, sidecar?.exitCode]).toEqual([0, 0]);
    expect(Date.parse(sidecar?.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(node?.finishedAt ?? ''));
  });

  suite('a changed ConfigMap takes effect without a restart', 'reload', async (space) => {
    const nowhere = (name: string) => target({ name, url: 'http://192.0.2.1:9650' });
    await install(space, cluster(), 'fleet', { mode: 'fleet', config: { targets: [nowhere('one')] } }, '--wait');
    const before = await podOf(space, 'fleet-snowgauge');
    await install(space, cluster(), 'fleet', { mode: 'fleet', config: { targets: [nowhere('one'), nowhere('two')] } });
    await until('the second target is polled', async () => {
      const { body } = await space.ask(before, port, '/metrics');
      return body.includes('snowgauge_up{target="two"} 0');
    });
    const after = await space.pods();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual([before.metadata.uid]);
    expect(after.flatMap(({ status }) => status.containerStatuses?.map(({ restartCount }) => restartCount))).toEqual([0]);
  });
};
