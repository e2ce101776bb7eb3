// The liveness memory on a real kubelet: it survives the sidecar's restart, and no container is blamed for the one before it.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, hasRun, podOf, signalTo, target } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

const name = 'drill-snowgauge-0';
/** Longer than the sidecar is away after one restart; it counts as failed meanwhile. */
const scaled = { periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 25 };

const livez = async (space: Space): Promise<string> => {
  const { status, body } = await space.ask(await podOf(space, name), 9652, '/self/livez');
  return `${status} ${body}`;
};

/** At a check interval of 1 s with probes as quick; at any other one with the probes and the patience of docs/probes.md. */
export const memorySuite = (cluster: () => Cluster, seconds: number, tell: (row: Row) => void): void => {
  const isScaled = seconds === 1;
  const timeout = isScaled ? 600_000 : 5_400_000;
  const frequency = `${seconds}s`;
  /** A node that is silent for 20 intervals is dead. */
  const values = {
    node: { healthCheckFrequency: frequency, resources: {} },
    terminationGracePeriodSeconds: 2,
    config: { stateDir: '/state', targets: [target({ healthCheckFrequency: frequency, liveness: { unresponsiveAfter: 20 } })] },
  };
  const liveness = { enabled: true, source: 'snowgauge', ...(isScaled && scaled) };
  const patience = isScaled ? {} : { timeoutMs: 3_600_000, everyMs: 2000 };
  const row = (title: string, namespace: string, run: (space: Space) => Promise<void>): void => {
    test.concurrent(title, { timeout }, async (context) => run(await makeSpace(context, cluster(), `${namespace}-${frequency}`)));
  };
  const statusOf = async (space: Space, which: string) => container(await podOf(space, name), which);
  const signal = async (space: Space, which: string, what: string): Promise<void> =>
    signalTo(cluster(), await statusOf(space, which), what);
  const runsAgain = (space: Space, which: string, restarts: number): Promise<boolean> =>
    until(`${which} runs after restart ${restarts}`, async () => {
      const { restartCount, state } = await statusOf(space, which);
      return restartCount === restarts && state.running !== undefined;
    });
  /** The node hangs, once its check interval is known. */
  const hang = async (space: Space): Promise<void> => {
    await hasRun(space, name, 'node', 20 * seconds, patience);
    await signal(space, 'node', 'SIGSTOP');
    await until('the node is silent', async () => (await livez(space)).includes('NoResponse'));
  };

  row(
    'memory: a hung node is restarted by source: snowgauge though its sidecar was restarted meanwhile, and its next container is left alone',
    'remembered',
    async (space) => {
      const nodeProbes = { liveness, mayRestartHealthyNodes: true };
      await install(space, cluster(), 'drill', { ...values, allowUnsafe: isScaled, nodeProbes }, '--wait');
      // On a busy machine the sidecar may have begun too late for the node.
      const { restartCount: begun } = await statusOf(space, 'node');
      await hang(space);
      const hung = Date.now();
      // Half of the patience: were the silence counted from the restart on, it would be one and a half in all.
      await until('half of it has passed', async () => Date.now() - hung > 10 * seconds * 1000, patience);
      await signal(space, 'snowgauge', 'SIGKILL');
      await runsAgain(space, 'snowgauge', 1);
      await until('it is taken for dead', async () => /^503 .*Unresponsive/.test(await livez(space)), patience);
      await until('the node was restarted', async () => (await statusOf(space, 'node')).restartCount > begun, patience);
      const took = Math.round((Date.now() - hung) / 1000);
      tell({
        what: `node hung (interval ${frequency}), liveness asks snowgauge, killed once meanwhile`,
        seen: `restarted after ${took} s`,
      });
      expect(took).toBeGreaterThan(20 * seconds);
      expect(took).toBeLessThan(25 * seconds + (isScaled ? scaled.failureThreshold : 400) + 60);
      await until('the pod is ready again', async () => isReady(await podOf(space, name)));
      expect(await livez(space)).toMatch(/^200 .*NodeResponding/);
      // Twice what a probe bears.
      expect(await hasRun(space, name, 'node', 2 * scaled.failureThreshold)).toMatchObject({ restartCount: begun + 1 });
    },
  );

  row(
    'memory: a container of the node that begins and hangs while the sidecar is away is not blamed for the one before',
    'blameless',
    async (space) => {
      await install(space, cluster(), 'drill', values, '--wait');
      await hang(space);
      // Then the kubelet waits for 20 s.
      for (const restarts of [1, 2]) {
        await signal(space, 'snowgauge', 'SIGKILL');
        await runsAgain(space, 'snowgauge', restarts);
        await until('it watches', async () => /NoResponse|Unresponsive/.test(await livez(space)));
      }
      await signal(space, 'snowgauge', 'SIGKILL');
      await signal(space, 'node', 'SIGKILL');
      await until('the next node answers', async () => {
        const pod = await podOf(space, name);
        return container(pod, 'node').restartCount === 1 && (await space.ask(pod, 9650, '/ext/health/liveness')).status > 0;
      });
      await signal(space, 'node', 'SIGSTOP');
      expect((await statusOf(space, 'snowgauge')).state.running).toBeUndefined();
      await runsAgain(space, 'snowgauge', 3);
      await until('it answers', () => livez(space));
      // Twice what the one before had left.
      const since = Date.now();
      const answers = new Set<string>();
      await until(
        'it was silent for 40 intervals',
        async () => {
          const said = await livez(space).catch(() => '');
          if (said !== '') answers.add(said.slice(0, 3));
          return Date.now() - since > 40 * seconds * 1000;
        },
        patience,
      );
      expect([...answers]).toEqual(['200']);
      expect(await livez(space)).toContain('no response from this node yet');
      tell({ what: `node began and hung (interval ${frequency}) while the sidecar was down`, seen: 'never taken for dead' });
    },
  );
};
