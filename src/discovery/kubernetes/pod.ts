// Converts a pod to a discovered target: the labels that Prometheus gives a pod, and the address of the node in it.

import * as z from 'zod/mini';
import type { DiscoveredTarget } from '../found.ts';
import { nodePort, shownName } from '../target-of.ts';
import { annotationNames, annotationOf, annotationPrefix, givenBy, watchName } from './pod-annotations.ts';

/** The discovered target; undefined if the pod has no node to watch. */
export type PodNode = DiscoveredTarget | undefined;

const texts = z.nullish(z.record(z.string(), z.string()));

const container = z.looseObject({
  name: z.optional(z.string()),
  restartPolicy: z.optional(z.string()),
  ports: z.nullish(
    z.array(
      z.looseObject({ name: z.optional(z.string()), containerPort: z.optional(z.number()), hostPort: z.optional(z.number()) }),
    ),
  ),
});

const pod = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.optional(z.string()),
    deletionTimestamp: z.nullish(z.string()),
    labels: texts,
    annotations: texts,
    ownerReferences: z.nullish(
      z.array(z.looseObject({ kind: z.string(), name: z.string(), controller: z.optional(z.boolean()) })),
    ),
  }),
  spec: z.looseObject({
    nodeName: z.optional(z.string()),
    containers: z.nullish(z.array(container)),
    initContainers: z.nullish(z.array(container)),
  }),
  status: z.optional(
    z.looseObject({
      phase: z.optional(z.string()),
      podIP: z.optional(z.string()),
      hostIP: z.optional(z.string()),
      conditions: z.nullish(z.array(z.looseObject({ type: z.string(), status: z.string() }))),
    }),
  ),
});

type Pod = z.output<typeof pod>;

const own = (names: readonly string[]) => Object.fromEntries(names.map((name) => [annotationPrefix + name, true as const]));

const containersWanted = { name: true, restartPolicy: true, ports: { name: true, containerPort: true, hostPort: true } } as const;

/** The fields of the schema above. Labels and annotations other than ours are kept up to a limit, see pick.ts. */
export const podFields = {
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    deletionTimestamp: true,
    resourceVersion: true,
    labels: { ...own([watchName]), '*': true },
    annotations: { ...own([watchName, ...annotationNames]), '*': true },
    ownerReferences: { kind: true, name: true, controller: true },
  },
  spec: { nodeName: true, containers: containersWanted, initContainers: containersWanted },
  status: { phase: true, podIP: true, hostIP: true, conditions: { type: true, status: true } },
} as const;

/** The maximum lengths are the limits of Kubernetes. */
const named = z.looseObject({
  metadata: z.looseObject({ name: z.string().check(z.maxLength(253)), namespace: z.string().check(z.maxLength(63)) }),
});

/** `namespace/name`; undefined if the object is not a pod. */
export const podKeyOf = (object: unknown): string | undefined => {
  const read = z.safeParse(named, object);
  return read.success ? `${read.data.metadata.namespace}/${read.data.metadata.name}` : undefined;
};

export const nodeOf = (object: unknown): PodNode => {
  const read = z.safeParse(pod, object);
  if (!read.success) return undefined;
  const { metadata, status } = read.data;
  const ports = portsOf(read.data);
  const choice = choiceOf(read.data, ports);
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  // The kubelet ends the containers of a deleted pod, and sets such a phase, before the pod is removed.
  if (choice === 'none' || (hasEnded && typeof metadata.deletionTimestamp !== 'string')) return undefined;
  const address = addressOf(read.data, ports);
  const fault = choice === 'node' ? address?.fault : choice.fault;
  const { labels, leftOut } = givenBy(metadata.annotations ?? {});
  return {
    name: `${metadata.namespace}.${metadata.name}`,
    labels: new Map([...metaOf(read.data), ...labels, ['__address__', fault === undefined ? (address?.text ?? '') : '']]),
    setBy: annotationOf,
    ...(address === undefined && { isPending: true }),
    ...(hasEnded && { isStale: true }),
    ...(fault !== undefined && { fault }),
    ...(leftOut !== undefined && { leftOut }),
  };
};

type Port = {
  readonly name?: string | undefined;
  readonly containerPort?: number | undefined;
  readonly hostPort?: number | undefined;
};

/** The ports of all containers and sidecars. A sidecar is an init container with the restart policy Always. */
const portsOf = ({ spec }: Pod): readonly Port[] =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')].flatMap(
    ({ ports }) => ports ?? [],
  );

/** Whether the pod has a node to watch. `fault`: its label is invalid, or it has our annotations but is not selected. */
const choiceOf = ({ metadata }: Pod, ports: readonly Port[]): 'node' | 'none' | { readonly fault: string } => {
  const label = `${annotationPrefix}${watchName}`;
  const watch = metadata.labels?.[label];
  if (watch === 'true') return 'node';
  if (watch === 'false') return 'none';
  if (watch !== undefined) return { fault: `its label ${label} must be "true" or "false"` };
  if (ports.some(({ containerPort }) => containerPort === nodePort)) return 'node';
  const annotation = [watchName, ...annotationNames].find(
    (name) => metadata.annotations?.[annotationPrefix + name] !== undefined,
  );
  if (annotation === undefined) return 'none';
  return {
    fault: `has the annotation ${annotationPrefix}${annotation}, but neither the label ${label}: "true" nor a container port ${nodePort}`,
  };
};

const isPort = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;

/**
 * The address of the node in the pod; undefined if the pod has no IP yet. `snowgauge.io/port` is a port number or the name of a port. With
 * `snowgauge.io/host: node`, it is the address of the Kubernetes node, with the hostPort of that port.
 */
const addressOf = (
  { metadata: { annotations }, status }: Pod,
  ports: readonly Port[],
): { readonly text: string; readonly fault?: string } | undefined => {
  const wanted = annotations?.[`${annotationPrefix}port`] || String(nodePort);
  const declared = ports.find(({ name, containerPort }) => name === wanted || String(containerPort) === wanted);
  const number = declared?.containerPort ?? (isPort(wanted) ? Number(wanted) : undefined);
  const wantedHost = annotations?.[`${annotationPrefix}host`] || undefined;
  const onNode = wantedHost === 'node';
  const host = onNode ? status?.hostIP : status?.podIP;
  if (host === undefined || host === '') return undefined;
  if (number === undefined)
    return {
      text: '',
      fault: `has no port named ${shownName(wanted)}: correct ${annotationPrefix}port of the pod`,
    };
  if (wantedHost !== undefined && !onNode)
    return { text: '', fault: `its annotation ${annotationPrefix}host must be node, or absent for the address of the pod` };
  // With hostNetwork, Kubernetes sets the hostPort of every declared port.
  if (onNode && declared !== undefined && declared.hostPort === undefined)
    return { text: '', fault: `has no hostPort for its port ${number}, which ${annotationPrefix}host: node needs` };
  return { text: `${host.includes(':') ? `[${host}]` : host}:${onNode ? (declared?.hostPort ?? number) : number}` };
};

/** Replaces characters that a label name of Prometheus must not have. */
const sanitized = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, '_');

const metaOf = ({ metadata, spec, status }: Pod): readonly (readonly [string, string])[] => {
  const controller = metadata.ownerReferences?.find((one) => one.controller === true);
  const facts = {
    namespace: metadata.namespace,
    pod_name: metadata.name,
    pod_uid: metadata.uid,
    pod_ip: status?.podIP,
    pod_host_ip: status?.hostIP,
    pod_node_name: spec.nodeName,
    pod_phase: status?.phase,
    pod_ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status.toLowerCase(),
    pod_controller_kind: controller?.kind,
    pod_controller_name: controller?.name,
  };
  const known = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const listed = (kind: 'label' | 'annotation', values: Readonly<Record<string, string>> | null | undefined) =>
    Object.entries(values ?? {}).flatMap(([name, value]) => [
      [`pod_${kind}_${sanitized(name)}`, value] as const,
      [`pod_${kind}present_${sanitized(name)}`, 'true'] as const,
    ]);
  return [...known, ...listed('label', metadata.labels), ...listed('annotation', metadata.annotations)].map(
    ([name, value]) => [`__meta_kubernetes_${name}`, value] as const,
  );
};
