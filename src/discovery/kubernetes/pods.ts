// Discovers pods with a node in some namespaces.

import type { PodsConfig } from '../../config/discovery.ts';
import { defaultPace, type FollowPace, follow } from '../../kubernetes/follow.ts';
import { type DiscoveredTarget, partsOf } from '../found.ts';
import { type RunSource, type SourceContext, shownReasons } from '../source.ts';
import { knownPods } from './known-pods.ts';
import { nodeOf, type PodNode, podFields, podKeyOf } from './pod.ts';
import { createPodBudget, maxKept } from './pod-budget.ts';

export interface PodPace extends FollowPace {
  /** Milliseconds for which a deleted pod stays a target. It may be recreated with the same name, and is then the same node. */
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
  const faults = new Map<string, { readonly fault: string; readonly isRepeated: boolean }>();
  const pending = new Set(namespaces);
  let found: readonly DiscoveredTarget[] = [];
  /** Namespace -> size in bytes of the list that is being read. */
  const reading = new Map<string, number>();
  const { hasRoomFor, leave } = budget.join(() => pods.sizeOf() + [...reading.values()].reduce((sum, one) => sum + one, 0));
  const pods = knownPods(pace.goneAfterMs, budget, hasRoomFor, () => publishSoon());
  const before = partsOf(inherited, '__meta_kubernetes_namespace');
  for (const namespace of namespaces) for (const one of before.get(namespace) ?? []) pods.inherit(keyOf(namespace, one), one);
  const sizeWith = (own: string): number =>
    namespaces.reduce((sum, one) => sum + (reading.get(one) ?? 0) + (one === own ? 0 : pods.sizeOf(one)), 0);
  const publish = (): void => {
    const next = pods.found();
    const isSame = next.length === found.length && next.every((one, at) => found[at] === one);
    // Wait until every namespace was read or has failed: before that, the list is incomplete.
    if (signal.aborted || [...pending].some((one) => !faults.has(one))) return;
    const all = [...faults].map(([namespace, { fault, isRepeated }]) => ({
      reason: `namespace ${namespace}: ${fault}`,
      // A server that fails for all namespaces is logged once.
      cause: fault,
      isRepeated,
    }));
    const reason = shownReasons(all.map((one) => one.reason));
    // An unchanged list is reported, too: reading it was a success.
    const list = isSame ? found : next;
    if (update(all.length === 0 ? { kind: 'ok', found: list } : { kind: 'failed', reason, faults: all, found: list }))
      found = list;
  };
  let isDue = false;
  /** Once per iteration of the event loop, however many pods have changed: an update takes time linear in the number of pods. */
  const publishSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      publish();
    });
  };
  const each = namespaces.map((namespace) => {
    const path = { path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`, wanted: podFields };
    const list = () => {
      /** Keeps only pods with a node: a namespace may have thousands of others. */
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
    const setFault = (fault: string | undefined, isRepeated: boolean): void => {
      if (fault === undefined) {
        faults.delete(namespace);
        pending.delete(namespace);
      } else {
        faults.set(namespace, { fault, isRepeated });
        // Drop an incomplete list.
        reading.delete(namespace);
      }
      publishSoon();
    };
    return follow(cluster, path, { list, event: ({ type, object }) => pods.take(type, object), say: setFault }, pace, signal);
  });
  await Promise.all(each);
  pods.close();
  leave();
};

const keyOf = (namespace: string, { labels }: DiscoveredTarget): string =>
  `${namespace}/${labels.get('__meta_kubernetes_pod_name')}`;
