// How long each node has had of what is shared, lately: who had least is next.

/** After so long half of it counts. */
const halfLifeMs = 300_000;

/** Those that were counted longest ago are forgotten: targets, and what `/probe` asked for. */
const maxNodes = 4096;

/** `now`: milliseconds. */
export const usageOf = (now: () => number) => {
  // A map keeps the order of insertion: the first is the one that was counted longest ago.
  const nodes = new Map<string, { readonly ms: number; readonly age: number }>();
  // In steps: of two that had the same, the one that is asked for a microsecond later has not had less.
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
