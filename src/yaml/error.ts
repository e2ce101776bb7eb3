// The errors in a text, and the result of parsing it.

/** An error of the operator: where it is, what is wrong, and what to write instead. */
export interface ConfigError {
  /** As in `targets[0].tagSets[1].name`; empty for the document itself. */
  readonly path: string;
  /** 1-based; absent if the error is not in the file (a variable, a missing file). */
  readonly line?: number;
  readonly message: string;
}

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };
