// What restarts a node, and after how long, with the real numbers of docs/probes.md; policy.ts scales them to seconds.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { asksNode, asksSnowgauge, config, node, nodeStatus } from './documented.ts';
import { signalTo, starved } from './pods.ts';
import { install, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

/** Time until the probes of docs/probes.md fail: 360 × 10 s, 20 × 20 s; and 20 check intervals of 30 s. */
const [startup, liveness, silence] = [3600, 400, 600];
/** Allowance for a slow kubelet and machine. */
const late = 240;

interface Ending {
  readonly title: string;
  readonly namespace: string;
  readonly values: object;
  /** Time from the start of the node's container, or from SIGSTOP, to its restart. */
  readonly seconds: number;
  /** SIGSTOP to a node that is ready. */
  readonly hangs?: true;
}

const asked = (title: string, namespace: string, args: readonly string[], scheme = 'HTTP'): Ending => ({
  title,
  namespace,
  values: { node: { ...node, args }, config, nodeProbes: { ...asksNode, node: { host: '0.0.0.0', scheme } } },
  seconds: startup,
});

const endings: readonly Ending[] = [
  asked('listens on 127.0.0.1, and startup asks its pod', 'soak-loopback', ['--http-host=127.0.0.1']),
  asked('has its health API off, and startup asks it', 'soak-no-health', ['--api-health-enabled=false']),
  asked('is asked by the wrong scheme by startup', 'soak-scheme', [], 'HTTPS'),
  {
    title: 'is healthy beside a starved sidecar that startup asks (source: snowgauge)',
    namespace: 'soak-startup',
    values: { node, config, resources: starved, nodeProbes: asksSnowgauge },
    seconds: startup,
  },
  {
    title: 'is healthy beside a starved sidecar that liveness asks (source: snowgauge)',
    namespace: 'soak-liveness',
    values: { node, config, resources: starved, nodeProbes: { ...asksSnowgauge, startup: {} } },
    seconds: liveness,
  },
  {
    title: 'has a frozen health worker, and liveness asks snowgauge',
    namespace: 'soak-frozen',
    values: {
      node: { ...node, scenario: { faults: [{ fault: 'time-freezes', at: '300s' }] } },
      config,
      nodeProbes: asksSnowgauge,
    },
    seconds: 300 + silence + liveness,
  },
  {
    title: 'hangs, and liveness asks it',
    namespace: 'soak-hung',
    values: { node, config, nodeProbes: asksNode },
    seconds: liveness,
    hangs: true,
  },
];

export const patienceEndsSuite = (cluster: () => Cluster, tell: (row: Row) => void): void => {
  for (const { title, namespace, values, seconds, hangs } of endings) {
    test.concurrent(`patience: a node that ${title} is restarted after ${seconds} s`, { timeout: 6_000_000 }, async (context) => {
      const space = await makeSpace(context, cluster(), namespace);
      const wait = hangs ? ['--wait'] : [];
      await install(space, cluster(), 'drill', { terminationGracePeriodSeconds: 2, allowUnsafe: true, ...values }, ...wait);
      if (hangs) await signalTo(cluster(), await nodeStatus(space), 'SIGSTOP');
      const begun = hangs ? Date.now() : await startedAt(space);
      await until('the node was restarted', async () => (await nodeStatus(space)).restartCount === 1, {
        timeoutMs: (seconds + late + 60) * 1000,
        everyMs: 2000,
      });
      const took = (Date.now() - begun) / 1000;
      tell({ what: `a node that ${title}: restarted after`, seen: `${took.toFixed(0)} s` });
      expect(took).toBeGreaterThan(seconds - 25);
      expect(took).toBeLessThan(seconds + late);
    });
  }
};

const startedAt = (space: Space): Promise<number> =>
  until('the node runs', async () => Date.parse((await nodeStatus(space)).state.running?.startedAt ?? '') || undefined);
