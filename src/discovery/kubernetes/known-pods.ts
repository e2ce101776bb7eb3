// The nodes among the pods, by their namespace and name, with those that have just gone.

import { isDeepStrictEqual } from 'node:util';
import type { Found } from '../source.ts';
import { keyOf, nodeOf, type PodNode } from './pod.ts';

export interface KnownPods {
  /** The whole list of a namespace. */
  readonly replace: (namespace: string, nodes: ReadonlyMap<string, PodNode>) => void;
  readonly take: (type: string, object: unknown) => void;
  /** Those with an address of now first: a pod that was deleted may have lent its address to another. */
  readonly found: () => readonly Found[];
  readonly close: () => void;
}

interface Known {
  readonly found: Found;
  /** It has this address now. */
  readonly isLive: boolean;
}

export const knownPods = (goneAfterMs: number, changed: () => void): KnownPods => {
  const known = new Map<string, Known>();
  const going = new Map<string, NodeJS.Timeout>();
  const stay = (key: string): void => {
    clearTimeout(going.get(key));
    going.delete(key);
  };
  const go = (key: string): void => {
    const one = known.get(key);
    if (one === undefined || going.has(key)) return;
    known.set(key, { ...one, isLive: false });
    const gone = (): void => {
      going.delete(key);
      known.delete(key);
      changed();
    };
    going.set(key, setTimeout(gone, goneAfterMs));
  };
  const set = (key: string, node: PodNode): void => {
    const before = known.get(key);
    if (node === undefined) {
      go(key);
      return;
    }
    stay(key);
    if (node !== 'pending') {
      const isSame = before !== undefined && isDeepStrictEqual(before.found.labels, node.labels);
      known.set(key, { found: isSame ? before.found : node, isLive: true });
    } else if (before !== undefined) known.set(key, { ...before, isLive: false });
  };
  return {
    replace: (namespace, nodes) => {
      for (const [key, node] of nodes) set(key, node);
      for (const key of known.keys()) if (key.startsWith(`${namespace}/`) && !nodes.has(key)) go(key);
    },
    take: (type, object) => {
      const key = keyOf(object);
      if (key === undefined) return;
      if (type === 'DELETED') go(key);
      else set(key, nodeOf(object));
    },
    found: () => {
      const all = [...known.values()];
      return [...all.filter(({ isLive }) => isLive), ...all.filter(({ isLive }) => !isLive)].map((one) => one.found);
    },
    close: () => {
      for (const timer of going.values()) clearTimeout(timer);
    },
  };
};
