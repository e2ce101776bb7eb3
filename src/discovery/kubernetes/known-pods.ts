// Pods with a node, by namespace and name, including recently deleted ones.

import { isDeepStrictEqual } from 'node:util';
import type { DiscoveredTarget } from '../found.ts';
import { nodeOf, type PodNode, podKeyOf } from './pod.ts';
import type { PodBudget } from './pod-budget.ts';

interface KnownPods {
  /** Takes targets from before a reload, also those of pods without an address, or whose containers have ended. */
  readonly inherit: (key: string, found: DiscoveredTarget) => void;
  /** Takes the complete list of a namespace. Known pods that are missing from it count as deleted. */
  readonly replace: (namespace: string, nodes: ReadonlyMap<string, PodNode>) => void;
  /** Takes an event of the watch. Returns false if the memory limit would be exceeded. */
  readonly take: (type: string, object: unknown) => boolean;
  readonly found: () => readonly DiscoveredTarget[];
  /** Size in bytes of the pods of a namespace, or of all pods. */
  readonly sizeOf: (namespace?: string) => number;
  readonly close: () => void;
}

interface Known {
  readonly found: DiscoveredTarget;
  readonly size: number;
}

export const knownPods = (
  goneAfterMs: number,
  budget: PodBudget,
  hasRoomFor: (bytes: number) => boolean,
  changed: () => void,
): KnownPods => {
  const known = new Map<string, Known>();
  /** Size in bytes by namespace. `size` is the total. */
  const sizes = new Map<string, number>();
  let size = 0;
  const grow = (key: string, by: number): void => {
    const namespace = namespaceOf(key);
    sizes.set(namespace, (sizes.get(namespace) ?? 0) + by);
    size += by;
  };
  const sizeAt = (key: string): number => {
    const one = known.get(key);
    return one === undefined ? 0 : one.size;
  };
  const going = new Map<string, NodeJS.Timeout>();
  const stay = (key: string): void => {
    clearTimeout(going.get(key));
    going.delete(key);
  };
  const go = (key: string): void => {
    const one = known.get(key);
    if (one === undefined || going.has(key)) return;
    known.set(key, { ...one, found: staleOf(one.found) });
    const gone = (): void => {
      going.delete(key);
      grow(key, -sizeAt(key));
      known.delete(key);
      changed();
    };
    // If the memory limit is exceeded, deleted pods are dropped at once. Otherwise, they would add up if each new list has different pods.
    going.set(key, setTimeout(gone, hasRoomFor(size) ? goneAfterMs : 0));
  };
  const keep = (key: string, found: DiscoveredTarget): void => {
    const next = { found, size: budget.sizeOf(found) };
    grow(key, next.size - sizeAt(key));
    known.set(key, next);
  };
  const set = (key: string, node: PodNode): void => {
    const before = known.get(key);
    // A pod whose containers had ended before it was known is no target.
    if (node === undefined || (before === undefined && node.isStale === true)) {
      go(key);
      return;
    }
    stay(key);
    keep(key, nextOf(before?.found, node));
  };
  return {
    inherit: keep,
    replace: (namespace, nodes) => {
      for (const [key, node] of nodes) set(key, node);
      for (const key of known.keys()) if (key.startsWith(`${namespace}/`) && !nodes.has(key)) go(key);
    },
    take: (type, object) => {
      const key = podKeyOf(object);
      if (key === undefined) return true;
      const node = type === 'DELETED' ? undefined : budget.compact(nodeOf(object));
      if (node !== undefined && !hasRoomFor(size - sizeAt(key) + budget.sizeOf(node))) return false;
      set(key, node);
      return true;
    },
    sizeOf: (namespace) => (namespace === undefined ? size : (sizes.get(namespace) ?? 0)),
    found: () => Array.from(known.values(), ({ found }) => found),
    close: () => {
      for (const timer of going.values()) clearTimeout(timer);
    },
  };
};

/** Returns the same object if nothing has changed. */
const nextOf = (before: DiscoveredTarget | undefined, node: DiscoveredTarget): DiscoveredTarget => {
  if (before === undefined) return node;
  // A recreated pod keeps its target with the last address until it has a new one.
  if (node.isPending === true && before.isPending !== true) return staleOf(before);
  return before.isStale === node.isStale && isDeepStrictEqual(before.labels, node.labels) ? before : node;
};

const staleOf = (found: DiscoveredTarget): DiscoveredTarget => (found.isStale === true ? found : { ...found, isStale: true });

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
