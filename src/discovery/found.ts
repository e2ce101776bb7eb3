// What is found of a target: its labels before relabeling.

/** By name; those that begin with __ end with relabeling. */
export type Labels = ReadonlyMap<string, string>;

export interface DiscoveredTarget {
  /** Before relabeling; with __address__. The same object for as long as nothing of it changed. */
  readonly labels: Labels;
  /** The label `target` where relabeling sets none; else the host and port of its address. */
  readonly name?: string | undefined;
  /** Why it has no address, where it has none. */
  readonly fault?: string;
  /** It has none yet, and no fault. */
  readonly isPending?: true;
  /** What of it could not be used, a sentence. */
  readonly leftOut?: string;
}

/** By the value of the label, which says of which part of a source they are. */
export const partsOf = (all: readonly DiscoveredTarget[], label: string): ReadonlyMap<string, readonly DiscoveredTarget[]> => {
  const parts = new Map<string, DiscoveredTarget[]>();
  for (const one of all) {
    const part = one.labels.get(label);
    if (part === undefined) continue;
    const found = parts.get(part) ?? [];
    parts.set(part, found);
    found.push(one);
  }
  return parts;
};
