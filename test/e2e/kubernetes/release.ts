// A release of the chart in its own namespace under Pod Security "restricted", and access to its pods.

import type { TestContext } from 'vitest';
import * as z from 'zod/mini';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import type { Answer } from '../../support/cluster/inside.ts';

/** Relative to the project's root, where the tests run. */
export const chart = 'charts/snowgauge';

const containerStatus = z.object({
  name: z.string(),
  containerID: z.optional(z.string()),
  ready: z.boolean(),
  restartCount: z.number(),
  state: z.object({
    terminated: z.optional(z.object({ exitCode: z.number(), finishedAt: z.string(), startedAt: z.string() })),
    running: z.optional(z.object({ startedAt: z.string() })),
    waiting: z.optional(z.object({ reason: z.optional(z.string()) })),
  }),
  lastState: z.object({ terminated: z.optional(z.object({ exitCode: z.number(), reason: z.optional(z.string()) })) }),
});
const pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    labels: z._default(z.record(z.string(), z.string()), {}),
    annotations: z._default(z.record(z.string(), z.string()), {}),
  }),
  spec: z.object({
    containers: z.array(z.looseObject({ name: z.string() })),
    initContainers: z.optional(z.array(z.looseObject({ name: z.string(), restartPolicy: z.optional(z.string()) }))),
  }),
  status: z.object({
    podIP: z.optional(z.string()),
    conditions: z.optional(
      z.array(z.object({ type: z.string(), status: z.string(), lastTransitionTime: z._default(z.string(), '') })),
    ),
    containerStatuses: z.optional(z.array(containerStatus)),
    initContainerStatuses: z.optional(z.array(containerStatus)),
  }),
});
export type Pod = z.infer<typeof pod>;
export type ContainerStatus = z.infer<typeof containerStatus>;

/** Status of a container, main or sidecar; undefined until the kubelet has reported it. */
export const statusOf = ({ status }: Pod, container: string): ContainerStatus | undefined =>
  [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(({ name }) => name === container);

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

export interface Space {
  readonly namespace: string;
  readonly helm: (...args: readonly string[]) => Promise<string>;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** Objects of the namespace from the API server: `read('/api/v1', 'pods')`. */
  readonly read: (api: string, what: string) => Promise<unknown>;
  readonly pods: () => Promise<readonly Pod[]>;
  /** The pod whose name has this prefix; undefined if there is none. */
  readonly pod: (prefix: string) => Promise<Pod | undefined>;
  /** Sends a GET to a port of a pod from within the cluster's network. */
  readonly ask: (pod: Pod, port: number, path: string) => Promise<Answer>;
}

/** Every release runs the image that was built for the test. */
export const imageArgs: readonly string[] = Object.entries({
  'image.registry': '',
  'image.repository': image.repository,
  'image.tag': image.tag,
  'image.pullPolicy': 'Never',
}).flatMap(([key, value]) => ['--set', `${key}=${value}`]);

export const makeSpace = async (test: TestContext, cluster: Cluster, namespace: string): Promise<Space> => {
  const metadata = { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  await cluster.apply('default', { apiVersion: 'v1', kind: 'Namespace', metadata });
  test.onTestFailed(async () => console.error(await cluster.report(namespace)));
  test.onTestFinished(async () => {
    await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  });
  const list = z.object({ items: z.array(pod) });
  const read: Space['read'] = (api, what) => cluster.read(`${api}/namespaces/${namespace}/${what}`);
  const pods = async () => list.parse(await read('/api/v1', 'pods')).items;
  return {
    namespace,
    helm: (...args) => cluster.helm(['--namespace', namespace, ...args], { timeoutMs: 400_000 }),
    kubectl: (...args) => cluster.kubectl(['--namespace', namespace, ...args], { timeoutMs: 400_000 }),
    read,
    pods,
    pod: async (prefix) => (await pods()).find(({ metadata: { name } }) => name.startsWith(prefix)),
    ask: ({ status: { podIP } }, port, path) => cluster.ask(`http://${podIP}:${port}${path}`),
  };
};

/** On a busy machine a container may get no CPU for half a minute, and the kubelet would restart it. No test is about that. */
const probes = { liveness: { failureThreshold: 12 } };

/** Installs a release, or upgrades it to these values; without a mode, a node with its sidecar. */
export const install = async (space: Space, cluster: Cluster, name: string, values: object, ...args: readonly string[]) => {
  await cluster.helm(
    ['--namespace', space.namespace, 'upgrade', '--install', name, chart, ...imageArgs, '--values=-', '--timeout=300s', ...args],
    { input: JSON.stringify({ mode: 'demo', probes, ...values }), timeoutMs: 400_000 },
  );
};
