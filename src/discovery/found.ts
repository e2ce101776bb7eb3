// A discovered target: its labels before relabeling.

/** By name; those that begin with __ are removed after relabeling. */
export type Labels = ReadonlyMap<string, string>;

export interface DiscoveredTarget {
  /** Before relabeling; with __address__. The same object while nothing in it has changed. */
  readonly labels: Labels;
  /** Default of the label `target`, if relabeling does not set it. Absent: host and port of the address. */
  readonly name?: string | undefined;
  /** Why it has no address; absent if it has one. */
  readonly fault?: string;
  /** It has no address yet, which is no fault. */
  readonly isPending?: true;
  /** A message about parts that are not used. */
  readonly leftOut?: string;
  /** By label: what an operator has to correct, if it is not the label itself. */
  readonly setBy?: ReadonlyMap<string, string>;
}

/** Groups by the value of a label, which names the part of the source that a target is from. */
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
