// What is wrong with a text, and what became of it.

/** One error of the operator's, said so that it can be mended: where, what, and what instead. */
export interface ConfigError {
  /** As in `targets[0].tagSets[1].name`; empty for the document itself. */
  readonly path: string;
  /** 1-based; absent for what is not in the file (the environment, a missing file). */
  readonly line?: number;
  readonly message: string;
}

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };
