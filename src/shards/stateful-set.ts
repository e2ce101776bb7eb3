// The StatefulSet that a pod of shards is of, watched: how many there are to be, and how many are ready.

import * as z from 'zod/mini';
import type { Cluster } from '../kubernetes/exchange.ts';
import { type FollowPace, follow } from '../kubernetes/follow.ts';
import { notTooOften } from '../pause.ts';
import { maxShards, type ShardReplicas } from './handover.ts';

export interface SetName {
  readonly namespace: string;
  readonly name: string;
}

export interface StatefulSet extends ShardReplicas {
  /** Of the headless Service, under which each pod has a name. */
  readonly service: string;
  /** The ordinal of the first pod. */
  readonly start: number;
}

export interface SetUpdate {
  /** As it was read last; also where it may be listed, and not watched. */
  readonly set?: StatefulSet;
  /** Why it is not watched. */
  readonly reason?: string;
}

const whole = z.number().check(z.int(), z.nonnegative());

const statefulSet = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    replicas: z.prefault(whole, 1),
    serviceName: z.prefault(z.string(), ''),
    ordinals: z.optional(z.looseObject({ start: z.prefault(whole, 0) })),
  }),
  status: z.optional(z.looseObject({ readyReplicas: z.prefault(whole, 0) })),
});

/** What is asked for of it. */
const wanted = {
  metadata: { name: true, resourceVersion: true },
  spec: { replicas: true, serviceName: true, ordinals: { start: true } },
  status: { readyReplicas: true },
} as const;

const none = 'not found';

/** The right to get, list and watch that one by its name is enough. Resolves after the signal. */
export const watchStatefulSet = (
  { namespace, name }: SetName,
  cluster: Cluster,
  update: (update: SetUpdate) => void,
  pace: FollowPace,
  signal: AbortSignal,
): Promise<void> => {
  /** A text: why there is none. */
  let set: StatefulSet | string = none;
  const take = (object: unknown): undefined => {
    const read = z.safeParse(statefulSet, object);
    if (!read.success || read.data.metadata.name !== name) return;
    const { spec, status } = read.data;
    const [ready, start] = [status?.readyReplicas ?? 0, spec.ordinals?.start ?? 0];
    const { replicas, serviceName: service } = spec;
    set = replicas > maxShards ? `it has ${replicas} replicas, more than ${maxShards}` : { replicas, ready, service, start };
  };
  let said: SetUpdate = { reason: none };
  // Who scales it at every moment fills no log, and has no targets shared out at each.
  const tell = notTooOften(pace.retryMs, () => update(said));
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
      say: (fault) => {
        said = typeof set === 'string' ? { reason: fault ?? set } : { set, ...(fault !== undefined && { reason: fault }) };
        tell();
      },
    },
    pace,
    signal,
  );
};
