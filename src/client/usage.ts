// Records for how long each node has used shared slots recently: the node with the least usage is next.

/** The weight of a usage halves in this time. */
const halfLifeMs = 300_000;

/** Nodes that are remembered, including those of `/probe`. Above this number, the one with the oldest usage is dropped. */
const maxNodes = 4096;

/** `now`: milliseconds. */
export const usageOf = (now: () => number) => {
  // A map keeps the order of insertion: the first node has the oldest usage.
  const nodes = new Map<string, { readonly ms: number; readonly age: number }>();
  // In whole steps: otherwise, of two nodes with equal usage, the one that is looked at a microsecond later would have less.
  const ageNow = (): number => Math.floor(now() / halfLifeMs);
  const of = (node: string): number => {
    const found = nodes.get(node);
    return found === undefined ? 0 : found.ms * 0.5 ** (ageNow() - found.age);
  };
  return {
    of,
    add: (node: string, ms: number): void => {
      const next = { ms: of(node) + ms, age: ageNow() };
      nodes.delete(node);
      nodes.set(node, next);
      const [oldest] = nodes.keys();
      if (nodes.size > maxNodes && oldest !== undefined) nodes.delete(oldest);
    },
  };
};
