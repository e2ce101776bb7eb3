// The liveness state on a real kubelet: it survives a restart of the sidecar, and does not apply to the node's next container.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, hasRun, podOf, signalTo, target } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

const name = 'drill-snowgauge-0';
/** Longer than one restart of the sidecar, during which its probes fail. */
const scaled = { periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 25 };

const livez = async (space: Space): Promise<string> => {
  const { status, body } = await space.ask(await podOf(space, name), 9652, '/self/livez');
  return `${status} ${body}`;
};

/** With a check interval of 1 s, probes are as quick; with any other, they and their timeouts are those of docs/probes.md. */
export const memorySuite = (cluster: () => Cluster, seconds: number, tell: (row: Row) => void): void => {
  const isScaled = seconds === 1;
  const timeout = isScaled ? 600_000 : 5_400_000;
  const frequency = `${seconds}s`;
  /** A node that does not respond for 20 intervals counts as dead. */
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
  /** Stops the node once its check interval is known. */
  const hang = async (space: Space): Promise<void> => {
    await hasRun(space, name, 'node', 20 * seconds, patience);
    await signal(space, 'node', 'SIGSTOP');
    await until('the node is silent', async () => (await livez(space)).includes('NoResponse'));
  };

  row(
    'memory: with source: snowgauge a hung node is restarted once, even if its sidecar restarted meanwhile',
    'remembered',
    async (space) => {
      const nodeProbes = { liveness, mayRestartHealthyNodes: true };
      await install(space, cluster(), 'drill', { ...values, allowUnsafe: isScaled, nodeProbes }, '--wait');
      // On a busy machine the node may have been restarted because the sidecar started too late.
      const { restartCount: begun } = await statusOf(space, 'node');
      await hang(space);
      const hung = Date.now();
      // Half of the 20 intervals: counted only from the sidecar's restart, it would be one and a half times as long in total.
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
      // Twice as long as the probe may fail.
      expect(await hasRun(space, name, 'node', 2 * scaled.failureThreshold)).toMatchObject({ restartCount: begun + 1 });
    },
  );

  row(
    'memory: a new node container that hangs while the sidecar is down is not counted as unresponsive',
    'blameless',
    async (space) => {
      await install(space, cluster(), 'drill', values, '--wait');
      await hang(space);
      // After the second restart the kubelet waits 20 s before the next.
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
      // Twice the limit that applied to the previous container.
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
