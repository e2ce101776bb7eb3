// The pods of some namespaces that hold a node.

import type { PodsConfig } from '../../config/discovery.ts';
import { defaultPace, type FollowPace, follow } from '../../kubernetes/follow.ts';
import { type DiscoveredTarget, partsOf } from '../found.ts';
import type { RunSource, SourceContext } from '../source.ts';
import { knownPods } from './known-pods.ts';
import { nodeOf, type PodNode, podFields, podKeyOf } from './pod.ts';
import { createPodBudget, maxKept } from './pod-budget.ts';

export interface PodPace extends FollowPace {
  /** A pod that is deleted may be there again under its name, and is the same node. */
  readonly goneAfterMs: number;
}

const tooMuch = `labels and annotations of the pods are more than ${maxKept / 1024 / 1024} MiB: watch fewer namespaces, or shorten them`;

const usual: PodPace = { ...defaultPace, goneAfterMs: 5000 };

export const runPods: RunSource<PodsConfig> = (config, context) => watchPods(config, context, usual, context.pods);

type Context = Pick<SourceContext, 'update' | 'signal' | 'cluster' | 'inherited'>;

export const watchPods = async (
  { namespaces }: Pick<PodsConfig, 'namespaces'>,
  { update, signal, cluster, inherited = [] }: Context,
  pace: PodPace,
  budget = createPodBudget(),
): Promise<void> => {
  const faults = new Map<string, string>();
  const pending = new Set(namespaces);
  let found: readonly DiscoveredTarget[] = [];
  let told: string | undefined;
  /** By namespace, what is kept of the list that is being read. */
  const reading = new Map<string, number>();
  const { hasRoomFor, leave } = budget.join(() => pods.sizeOf() + [...reading.values()].reduce((sum, one) => sum + one, 0));
  const pods = knownPods(pace.goneAfterMs, budget, hasRoomFor, () => saySoon());
  const before = partsOf(inherited, '__meta_kubernetes_namespace');
  for (const namespace of namespaces)
    pods.replace(namespace, new Map((before.get(namespace) ?? []).map((one) => [keyOf(namespace, one), one])));
  const sizeWith = (own: string): number =>
    namespaces.reduce((sum, one) => sum + (reading.get(one) ?? 0) + (one === own ? 0 : pods.sizeOf(one)), 0);
  const say = (): void => {
    const next = pods.found();
    const isSame = next.length === found.length && next.every((one, at) => found[at] === one);
    const reason = [...faults]
      .map(([namespace, fault]) => `namespace ${namespace}: ${fault}`)
      .slice(0, 10)
      .join('; ');
    // Of several namespaces, a part of the list is not the list: each is read, or fails.
    if (signal.aborted || [...pending].some((one) => !faults.has(one))) return;
    // Also what is the same as before: it is a success.
    if (isSame && reason === told && reason !== '') return;
    const list = isSame ? found : next;
    if (update(reason === '' ? { kind: 'ok', found: list } : { kind: 'failed', reason, found: list }))
      [found, told] = [list, reason];
  };
  let isDue = false;
  /** Once in a turn of the event loop, however many pods came or went in it: to say it takes as long as there are pods. */
  const saySoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      say();
    });
  };
  const each = namespaces.map((namespace) => {
    const path = { path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`, wanted: podFields };
    const list = () => {
      /** The nodes alone are kept: a namespace may have thousands of other pods. */
      const nodes = new Map<string, PodNode>();
      reading.set(namespace, 0);
      return {
        item: (item: unknown): string | undefined => {
          const key = podKeyOf(item);
          const node = budget.compact(nodeOf(item));
          if (key === undefined || node === undefined) return undefined;
          const size = budget.sizeOf(node);
          reading.set(namespace, (reading.get(namespace) ?? 0) + size);
          if (!hasRoomFor(sizeWith(namespace))) {
            nodes.clear();
            reading.delete(namespace);
            return tooMuch;
          }
          nodes.set(key, node);
          return undefined;
        },
        whole: () => {
          reading.delete(namespace);
          pods.replace(namespace, nodes);
        },
      };
    };
    const told = (fault?: string): void => {
      if (fault === undefined) {
        faults.delete(namespace);
        pending.delete(namespace);
      } else {
        faults.set(namespace, fault);
        // A list that broke off is not kept.
        reading.delete(namespace);
      }
      saySoon();
    };
    return follow(cluster, path, { list, event: ({ type, object }) => pods.take(type, object), say: told }, pace, signal);
  });
  await Promise.all(each);
  pods.close();
  leave();
};

const keyOf = (namespace: string, { labels }: DiscoveredTarget): string =>
  `${namespace}/${labels.get('__meta_kubernetes_pod_name')}`;
