// The rules on completeness, kept for each chain in the store. The sentences are the real node's.

/** What the store remembers of a chain. */
export interface IndexMarks {
  /** The chain was indexed in an earlier run. */
  readonly indexed: boolean;
  /** Containers were accepted, or may have been, that are not in the index: for ever. */
  readonly incomplete: boolean;
}

export interface IndexFlags {
  readonly indexEnabled: boolean;
  readonly indexAllowIncomplete: boolean;
}

export type Ruling =
  | { readonly kind: 'runs'; readonly marks: IndexMarks }
  | { readonly kind: 'refused'; readonly message: string };

export const unmarked: IndexMarks = { indexed: false, incomplete: false };

/** What the flags of this start make of a chain with these marks. */
export const ruleOn = (marks: IndexMarks, { indexEnabled, indexAllowIncomplete }: IndexFlags): Ruling => {
  if (!indexEnabled) {
    // Interface, index rule 5: from true to false the node refuses to start, unless incomplete is allowed.
    if (marks.indexed && !indexAllowIncomplete)
      return {
        kind: 'refused',
        message: 'running would cause index to become incomplete but incomplete indices are disabled',
      };
    return { kind: 'runs', marks: { ...marks, incomplete: true } };
  }
  if (marks.incomplete && !indexAllowIncomplete)
    return { kind: 'refused', message: 'index is incomplete but incomplete indices are disabled. Shutting down' };
  return { kind: 'runs', marks: { ...marks, indexed: true } };
};
