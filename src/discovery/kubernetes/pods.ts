// The pods of some namespaces that hold a node.

import type { PodsConfig } from '../../config/discovery.ts';
import { defaultPace, type FollowPace, follow } from '../../kubernetes/follow.ts';
import type { Found, RunSource, SourceContext } from '../source.ts';
import { knownPods } from './known-pods.ts';
import { keyOf, nodeOf, type PodNode } from './pod.ts';

export interface Pace extends FollowPace {
  /** A pod that is deleted may be there again under its name, and is the same node. */
  readonly goneAfterMs: number;
}

const usual: Pace = { ...defaultPace, goneAfterMs: 5000 };

export const runPods: RunSource<PodsConfig> = (config, context) => watchPods(config, context, usual);

type Context = Pick<SourceContext, 'update' | 'signal' | 'cluster'>;

export const watchPods = async (
  { namespaces }: Pick<PodsConfig, 'namespaces'>,
  { update, signal, cluster }: Context,
  pace: Pace,
): Promise<void> => {
  const faults = new Map<string, string>();
  const pending = new Set(namespaces);
  let found: readonly Found[] = [];
  let told: string | undefined;
  const pods = knownPods(pace.goneAfterMs, () => say());
  const say = (): void => {
    const next = pods.found();
    const isSame = next.length === found.length && next.every((one, at) => found[at] === one);
    const reason = [...faults]
      .map(([namespace, fault]) => `namespace ${namespace}: ${fault}`)
      .slice(0, 10)
      .join('; ');
    // Of several namespaces, a part of the list is not the list.
    if (signal.aborted || (pending.size > 0 && faults.size === 0) || (isSame && reason === told)) return;
    [found, told] = [isSame ? found : next, reason];
    update(reason === '' ? { kind: 'ok', found } : { kind: 'failed', reason, found });
  };
  const each = namespaces.map((namespace) => {
    const path = { path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods` };
    const list = () => {
      /** Of each page only the nodes are kept: a pod is large, and a namespace may have thousands. */
      const nodes = new Map<string, PodNode>();
      return {
        page: (items: readonly unknown[]) => {
          for (const item of items) {
            const key = keyOf(item);
            if (key !== undefined) nodes.set(key, nodeOf(item));
          }
        },
        whole: () => pods.replace(namespace, nodes),
      };
    };
    const told = (fault?: string): void => {
      if (fault === undefined) {
        faults.delete(namespace);
        pending.delete(namespace);
      } else faults.set(namespace, fault);
      say();
    };
    return follow(cluster, path, { list, event: ({ type, object }) => pods.take(type, object), say: told }, pace, signal);
  });
  await Promise.all(each);
  pods.close();
};
