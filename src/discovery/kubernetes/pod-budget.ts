// How much is kept of all pods of all sources together. A pod may carry hundreds of kilobytes in labels and annotations, and a namespace thousands of pods.

import type { DiscoveredTarget } from '../found.ts';
import type { PodNode } from './pod.ts';

/** Some thousand pods of three kilobytes each; a list that is read anew stands beside the one before. */
export const maxKept = 12 * 1024 * 1024;

/** Names of labels that are kept once for all pods, the first: most pods have the same. */
const maxShared = 1000;
/** Bytes of an entry, of a text beside its characters, and of a pod. */
const costs = { entry: 40, text: 24, pod: 400 } as const;

export const createPodBudget = (most = maxKept) => {
  const shared = new Map<string, string>();
  /** Of each source, what it keeps. */
  const sizes = new Set<() => number>();
  const shareOf = (name: string): string => {
    if (shared.size < maxShared && !shared.has(name)) shared.set(name, name);
    return shared.get(name) ?? name;
  };
  const textOf = (text: string): number => costs.text + text.length;
  return {
    /** A source keeps pods: gives whether it may keep so many bytes, with all that the others keep, and what ends that. */
    join: (sizeNow: () => number) => {
      sizes.add(sizeNow);
      return {
        hasRoomFor: (own: number): boolean => {
          let all = own;
          for (const one of sizes) if (one !== sizeNow) all += one();
          return all <= most;
        },
        leave: (): void => {
          sizes.delete(sizeNow);
        },
      };
    },
    /** The same, in less memory. */
    compact: (node: PodNode): PodNode =>
      node === undefined
        ? node
        : { ...node, labels: new Map([...node.labels].map(([name, value]) => [shareOf(name), value] as const)) },
    /** Bytes, about. */
    sizeOf: (found: DiscoveredTarget): number => {
      let size = costs.pod;
      for (const [name, value] of found.labels) size += costs.entry + textOf(value) + (shared.has(name) ? 0 : textOf(name));
      return size;
    },
  };
};

export type PodBudget = ReturnType<typeof createPodBudget>;
