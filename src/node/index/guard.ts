// Completeness rules, stored per chain. The messages are the real node's.

/** Stored state of a chain. */
export interface IndexMarks {
  /** The chain was indexed in an earlier run. */
  readonly indexed: boolean;
  /** Containers were, or may have been, accepted without being indexed. Permanent. */
  readonly incomplete: boolean;
}

export interface IndexFlags {
  readonly indexEnabled: boolean;
  readonly indexAllowIncomplete: boolean;
}

export const unmarked: IndexMarks = { indexed: false, incomplete: false };

/** Why a node with these flags refuses to start on a chain with these marks; undefined if it starts. */
export const startRefusalOf = (marks: IndexMarks, { indexEnabled, indexAllowIncomplete }: IndexFlags): string | undefined => {
  if (indexAllowIncomplete) return undefined;
  if (indexEnabled)
    return marks.incomplete ? 'index is incomplete but incomplete indices are disabled. Shutting down' : undefined;
  // Interface, index rule 5: from true to false the node refuses to start, unless incomplete is allowed.
  return marks.indexed ? 'running would cause index to become incomplete but incomplete indices are disabled' : undefined;
};

/** Marks after a start with these flags. */
export const marksAfter = (marks: IndexMarks, { indexEnabled }: IndexFlags): IndexMarks =>
  indexEnabled ? { ...marks, indexed: true } : { ...marks, incomplete: true };
