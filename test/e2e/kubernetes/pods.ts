// Helpers for pods and their containers on a real kubelet.

import * as z from 'zod/mini';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { type ContainerStatus, type Pod, type Space, statusOf } from './release.ts';

/** The node of mode demo as a target of its sidecar. */
export const target = (more: object = {}) => ({
  name: 'node',
  url: 'http://127.0.0.1:9650',
  healthCheckFrequency: '1s',
  timeout: '1s',
  ...more,
});

/** Too little memory for Node.js to start: killed again and again. */
export const starved = { requests: { memory: '16Mi' }, limits: { memory: '16Mi' } };

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

/** Throws if the container was ever restarted, with the reason of its last end. */
export const neverRestarted = ({ name, restartCount, lastState: { terminated } }: ContainerStatus): void => {
  if (restartCount === 0) return;
  const end = terminated === undefined ? 'nobody knows why' : `${terminated.reason ?? 'ended'}, exit code ${terminated.exitCode}`;
  throw new Error(`container ${name} was restarted ${restartCount} times: ${end}`);
};

/** Resolves when the container has run for this number of seconds without a restart. */
export const hasRun = (
  space: Space,
  pod: string,
  name: string,
  seconds: number,
  patience: { readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<ContainerStatus> =>
  until(
    `${name} of ${pod} has run for ${seconds} s`,
    async () => {
      const status = container(await podOf(space, pod), name);
      const since = Date.parse(status.state.running?.startedAt ?? '');
      return Date.now() - since > seconds * 1000 && status;
    },
    patience,
  );

export const signalTo = async (cluster: Cluster, { containerID }: ContainerStatus, signal: string): Promise<void> => {
  const id = containerID?.replace('containerd://', '') ?? '';
  await cluster.exec(['ctr', '--namespace', 'k8s.io', 'tasks', 'kill', '--signal', signal, id]);
};

const slices = z.object({
  items: z.array(
    z.object({ endpoints: z.nullish(z.array(z.object({ conditions: z.object({ ready: z.optional(z.boolean()) }) }))) }),
  ),
});

/** Number of pods that the Service would send traffic to. */
export const endpoints = async (space: Space, service: string): Promise<number> => {
  const of = `labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${service}`)}`;
  const found = await space.read('/apis/discovery.k8s.io/v1', `endpointslices?${of}`);
  const addresses = slices.parse(found).items.flatMap(({ endpoints }) => endpoints ?? []);
  return addresses.filter(({ conditions }) => conditions.ready === true).length;
};
