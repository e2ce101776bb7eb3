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
  /** What of it could not be used, a sentence. */
  readonly leftOut?: string;
}
