// Kills nodes at random moments. The new container that the kubelet starts, its pod and its label are not ready before the node itself
// reports readiness.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { randomOf, seedFrom } from '../../support/random.ts';
import { container, signalTo, target } from './pods.ts';
import { type ContainerStatus, install, isReady, makeSpace, type Pod, type Space } from './release.ts';
import type { Row } from './table.ts';

export interface KillsOptions {
  readonly pods: number;
  /** Kills per node. With more than a few in ten minutes, the kubelet's back-off dominates the times. */
  readonly kills: number;
  /** Check interval and poll interval. */
  readonly seconds: number;
  readonly timeoutMs: number;
}

/** State of one pod between two checks of the loop. */
interface Life {
  /** Id of the last killed container. */
  readonly killed: string | undefined;
  readonly kills: number;
  /** When the next kill is due; not before the pod is ready again. */
  readonly killAt: number | undefined;
  /** Ready again after its last kill. */
  readonly over: boolean;
}

const unborn: Life = { killed: undefined, kills: 0, killAt: undefined, over: false };

const label = 'ready.snowgauge.io/all';
const subnet = { name: 'mine', chains: [{ alias: 'my-l1', blockInterval: '2s' }] };
/** Seconds from the start of the node's API to its readiness, as in a real node. */
const bootstraps = 8;
const faults = [{ fault: 'subnet-bootstraps', at: '0s', for: `${bootstraps}s`, subnet: 'mine' }];

export const killsSuite = (cluster: () => Cluster, options: KillsOptions, tell: (row: Row) => void): void => {
  const { pods, kills, seconds, timeoutMs } = options;
  const title = `policy: ${pods} nodes, each killed ${kills} times, are never ready before their own readiness (interval ${seconds} s)`;
  test.concurrent(title, { timeout: timeoutMs }, async (context) => {
    const space = await makeSpace(context, cluster(), `kills-${seconds}s`);
    const seed = seedFrom('SNOWGAUGE_POD_KILL_SEED');
    const random = randomOf(seed);
    const frequency = `${seconds}s`;
    const kubernetes = { podLabels: { enabled: true } };
    await install(space, cluster(), 'drill', {
      replicas: pods,
      node: { healthCheckFrequency: frequency, scenario: { subnets: [subnet], faults }, resources: {} },
      config: { targets: [target({ healthCheckFrequency: frequency })], kubernetes },
    });
    const lives = new Map<string, Life>();
    const early: string[] = [];
    let [looks, unready] = [0, 0];
    const done = () => [...lives.values()].filter(({ over }) => over).length;
    const deadline = Date.now() + timeoutMs - 60_000;
    while (done() < pods) {
      expect(Date.now(), `${done()} of ${pods} done (SNOWGAUGE_POD_KILL_SEED=${seed})`).toBeLessThan(deadline);
      for (const pod of await space.pods()) {
        const node = pod.status.containerStatuses?.find(({ name }) => name === 'node');
        if (node?.containerID === undefined || pod.status.podIP === undefined) continue;
        const life = lives.get(pod.metadata.name) ?? unborn;
        const counted = countedBy(pod, node);
        const fresh = node.containerID !== life.killed && node.state.running !== undefined;
        if (fresh && counted !== undefined && life.killAt === undefined) {
          looks++;
          // Once ready it stays ready until this loop kills it.
          const itself = await readiness(space, pod);
          if (itself !== 'no answer in time' && itself !== 200) early.push(`${counted}, itself ${itself}`);
          else if (readyAfter(pod, node) < bootstraps - 1) early.push(`${counted} after ${readyAfter(pod, node)} s`);
        } else if (fresh && life.killAt === undefined && (await readiness(space, pod)) === 503) unready++;
        lives.set(pod.metadata.name, await lived(life, fresh && isReady(pod), node));
      }
    }
    const after = await space.pods();
    const sum = (name: string) => after.reduce((all, pod) => all + container(pod, name).restartCount, 0);
    tell({
      what: `${pods * kills} kills at an interval of ${frequency}`,
      seen: `${looks} looks at a pod that counted as ready, ${early.length} too early; ${unready} at one whose node was not ready yet`,
    });
    expect({ early, restarts: sum('node'), sidecars: sum('snowgauge') }).toEqual({
      early: [],
      restarts: pods * kills,
      sidecars: 0,
    });
    expect(looks).toBeGreaterThan(pods * kills);
    // Proves that there were moments at which ready would have been too early.
    expect(unready).toBeGreaterThan((pods * kills) / 2);

    /** Once the pod is ready, draws the moment of the next kill; kills when it has come. */
    async function lived(life: Life, ready: boolean, node: ContainerStatus): Promise<Life> {
      if (life.killAt === undefined) {
        if (!ready) return life;
        if (life.kills === kills) return { ...life, over: true };
        return { ...life, killAt: Date.now() + random() * seconds * 1000 };
      }
      if (Date.now() < life.killAt) return life;
      await signalTo(cluster(), node, 'SIGKILL');
      return { ...life, killed: node.containerID, kills: life.kills + 1, killAt: undefined };
    }
  });
};

/** Why the pod counts as ready; undefined if it does not. */
const countedBy = (pod: Pod, node: ContainerStatus): string | undefined => {
  if (isReady(pod)) return 'pod ready';
  if (node.ready) return 'container ready';
  return pod.metadata.labels[label] === 'true' ? 'labelled' : undefined;
};

/** A timeout on a busy machine says nothing about the node. */
const readiness = async (space: Space, pod: Pod): Promise<number | 'refused' | 'no answer in time'> => {
  try {
    return (await space.ask(pod, 9650, '/ext/health/readiness')).status;
  } catch (error) {
    return String(error).includes('ETIMEDOUT') ? 'no answer in time' : 'refused';
  }
};

/** Seconds from the start of the container until its pod was ready, by the kubelet's clock, which misses nothing between two checks. */
const readyAfter = (pod: Pod, { state: { running } }: ContainerStatus): number => {
  const ready = pod.status.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  return ready === undefined ? Infinity : (Date.parse(ready.lastTransitionTime) - Date.parse(running?.startedAt ?? '')) / 1000;
};
