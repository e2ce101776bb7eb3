// Watches the StatefulSet of the shards: number of replicas, and how many are ready.

import * as z from 'zod/mini';
import type { Cluster } from '../kubernetes/exchange.ts';
import { type FollowPace, follow } from '../kubernetes/follow.ts';
import { maxShards, type ShardReplicas } from './handover.ts';

export interface SetName {
  readonly namespace: string;
  readonly name: string;
}

export interface StatefulSet extends ShardReplicas {
  /** Name of the headless Service, which gives each pod a DNS name. */
  readonly service: string;
  /** The ordinal of the first pod. */
  readonly start: number;
}

export interface SetUpdate {
  /** The StatefulSet as last read. Also set if it can be listed, but not watched. */
  readonly set?: StatefulSet;
  /** Why it is not watched. */
  readonly reason?: string;
  /** A request failed, and the one before it did not: the next one may succeed. */
  readonly isFirst?: true;
}

const count = z.number().check(z.int(), z.nonnegative());

const statefulSet = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    replicas: z.prefault(count, 1),
    serviceName: z.prefault(z.string(), ''),
    ordinals: z.optional(z.looseObject({ start: z.prefault(count, 0) })),
  }),
  status: z.optional(z.looseObject({ readyReplicas: z.prefault(count, 0) })),
});

/** The fields of the object that are kept. */
const wanted = {
  metadata: { name: true, resourceVersion: true },
  spec: { replicas: true, serviceName: true, ordinals: { start: true } },
  status: { readyReplicas: true },
} as const;

const none = 'not found';

/** Needs permission to get, list and watch this one object by name. Resolves after the signal. */
export const watchStatefulSet = (
  { namespace, name }: SetName,
  cluster: Cluster,
  update: (update: SetUpdate) => void,
  pace: FollowPace,
  signal: AbortSignal,
): Promise<void> => {
  /** The StatefulSet, or a text that says why there is none. */
  let set: StatefulSet | string = none;
  const take = (object: unknown): undefined => {
    const read = z.safeParse(statefulSet, object);
    if (!read.success || read.data.metadata.name !== name) return;
    const { spec, status } = read.data;
    const [ready, start] = [status?.readyReplicas ?? 0, spec.ordinals?.start ?? 0];
    const { replicas, serviceName: service } = spec;
    set = replicas > maxShards ? `it has ${replicas} replicas, more than ${maxShards}` : { replicas, ready, service, start };
  };
  const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/statefulsets`;
  return follow(
    cluster,
    { path, wanted, query: { fieldSelector: `metadata.name=${name}` } },
    {
      list: () => {
        set = none;
        return { item: take, whole: () => undefined };
      },
      event: ({ type, object }) => {
        if (type === 'DELETED') set = none;
        else take(object);
        return true;
      },
      say: (fault, isRepeated) => {
        const failure = fault === undefined ? {} : { reason: fault, ...(!isRepeated && { isFirst: true as const }) };
        update(typeof set === 'string' ? { reason: set, ...failure } : { set, ...failure });
      },
    },
    pace,
    signal,
  );
};
