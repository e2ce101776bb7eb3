// What the rows on a real kubelet ask of pods and their containers.

import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { type ContainerStatus, type Pod, type Space, statusOf } from './release.ts';

/** The node of mode demo, as the sidecar beside it sees it. */
export const target = (more: object = {}) => ({
  name: 'node',
  url: 'http://127.0.0.1:9650',
  healthCheckFrequency: '1s',
  timeout: '1s',
  ...more,
});

export const podOf = async (space: Space, name: string): Promise<Pod> => {
  const pod = await space.pod(name);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  return pod;
};

export const container = (pod: Pod, name: string): ContainerStatus => {
  const status = statusOf(pod, name);
  if (status === undefined) throw new Error(`nothing is known of ${name} yet`);
  return status;
};

/** Resolves when the container runs, and has run for so many seconds without a restart. */
export const hasRun = (space: Space, pod: string, name: string, seconds: number): Promise<ContainerStatus> =>
  until(`${name} of ${pod} has run for ${seconds} s`, async () => {
    const status = container(await podOf(space, pod), name);
    const since = Date.parse(status.state.running?.startedAt ?? '');
    return Date.now() - since > seconds * 1000 && status;
  });

export const signalTo = async (cluster: Cluster, { containerID }: ContainerStatus, signal: string): Promise<void> => {
  const id = containerID?.replace('containerd://', '') ?? '';
  await cluster.exec(['ctr', '--namespace', 'k8s.io', 'tasks', 'kill', '--signal', signal, id]);
};
