// Limits the memory for pods of all sources together. A pod may have hundreds of kilobytes of labels and annotations, and a namespace
// thousands of pods.

import type { DiscoveredTarget } from '../found.ts';
import type { PodNode } from './pod.ts';

/**
 * Maximum size in bytes of the pods that are kept: a few thousand pods of three kilobytes each. While a list is read again, the previous
 * one is still in memory.
 */
export const maxKept = 12 * 1024 * 1024;

/** Maximum number of label names that are stored once for all pods. Most pods have the same names. */
const maxShared = 1000;
/** Overhead in bytes of an entry, of a string, and of a pod. */
const costs = { entry: 40, text: 24, pod: 400 } as const;

export const createPodBudget = (maxBytes = maxKept) => {
  const shared = new Map<string, string>();
  /** Functions that return the current size of each source, in bytes. */
  const sizes = new Set<() => number>();
  const shareOf = (name: string): string => {
    if (shared.size < maxShared && !shared.has(name)) shared.set(name, name);
    return shared.get(name) ?? name;
  };
  const textOf = (text: string): number => costs.text + text.length;
  return {
    /**
     * Registers a source. `sizeNow` returns its current size in bytes. `hasRoomFor`: whether the source may keep this many bytes in total,
     * in addition to all other sources.
     */
    join: (sizeNow: () => number) => {
      sizes.add(sizeNow);
      return {
        hasRoomFor: (own: number): boolean => {
          let all = own;
          for (const one of sizes) if (one !== sizeNow) all += one();
          return all <= maxBytes;
        },
        leave: (): void => {
          sizes.delete(sizeNow);
        },
      };
    },
    /** Returns the node with equal labels that need less memory. */
    compact: (node: PodNode): PodNode =>
      node === undefined
        ? node
        : { ...node, labels: new Map([...node.labels].map(([name, value]) => [shareOf(name), value] as const)) },
    /** Approximate size in bytes. */
    sizeOf: (found: DiscoveredTarget): number => {
      let size = costs.pod;
      for (const [name, value] of found.labels) size += costs.entry + textOf(value) + (shared.has(name) ? 0 : textOf(name));
      return size;
    },
  };
};

export type PodBudget = ReturnType<typeof createPodBudget>;
