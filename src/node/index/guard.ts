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

export const unmarked: IndexMarks = { indexed: false, incomplete: false };

/** Why a node with these flags does not start on a chain with these marks; undefined where it does. */
export const startRefusalOf = (marks: IndexMarks, { indexEnabled, indexAllowIncomplete }: IndexFlags): string | undefined => {
  if (indexAllowIncomplete) return undefined;
  if (indexEnabled)
    return marks.incomplete ? 'index is incomplete but incomplete indices are disabled. Shutting down' : undefined;
  // Interface, index rule 5: from true to false the node refuses to start, unless incomplete is allowed.
  return marks.indexed ? 'running would cause index to become incomplete but incomplete indices are disabled' : undefined;
};

/** What a start with these flags makes of the marks. */
export const marksAfter = (marks: IndexMarks, { indexEnabled }: IndexFlags): IndexMarks =>
  indexEnabled ? { ...marks, indexed: true } : { ...marks, incomplete: true };
