// A discovered target: its labels before relabeling.

/** Label values by label name. Labels that begin with __ are removed after relabeling. */
export type Labels = ReadonlyMap<string, string>;

/** A source returns the same objects as long as its list is unchanged, because results of relabeling are cached by object. */
export interface DiscoveredTarget {
  /** Labels before relabeling, including __address__. */
  readonly labels: Labels;
  /** Value of the label `target` if relabeling does not set it. Absent: host and port of the address. */
  readonly name?: string | undefined;
  /** Why it has no address; absent if it has one. */
  readonly fault?: string;
  /** Set if it has no address yet. That is not an error. */
  readonly isPending?: true;
  /** Set if the address may belong to another target by now: the pod is being deleted, or recreated without an address yet. */
  readonly isStale?: true;
  /** A message about annotations that are not used. */
  readonly leftOut?: string;
  /** Label name -> what an operator has to correct, such as an annotation. Absent for a label: the label itself. */
  readonly setBy?: ReadonlyMap<string, string>;
}

/** Groups targets by the value of a label that names the part of the source, such as the file or the DNS name. */
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
