// What is known of the subnets of a node, and what one poll brings.

import type { Answer } from '../../client/client.ts';
import type { Failure } from '../../client/outcome.ts';
import type { KnownSubnet } from './known.ts';
import type { Search } from './placement.ts';

/** bootstrapping: the P-Chain answers nothing yet, which is no fault. */
export type SearchProblem = { readonly kind: 'bootstrapping' } | { readonly kind: 'failed'; readonly failure: Failure };

export interface SubnetsState {
  /** `tagSets: auto` is configured. */
  readonly isAuto: boolean;
  /** Each has a tag set, unless one is configured for it. */
  readonly known: readonly KnownSubnet[];
  /** Checks of the process that answers of which is known where they belong, those of no tag among them. */
  readonly settled: ReadonlySet<string>;
  /** Under way, or ended with checks that nothing was found for. */
  readonly search?: Search | undefined;
  /** A known subnet has gone from the report: the P-Chain is asked whether it still exists. */
  readonly verify: boolean;
  /** Why the last search did not go on. */
  readonly problem?: SearchProblem | undefined;
  /** When it goes on, or begins again; exporter's clock. Absent: with the next poll. */
  readonly retryAt?: number | undefined;
  /** When the last search that asked something began; exporter's clock. */
  readonly searchedAt?: number | undefined;
  /** Searches in a row that did not go on, or that left checks unplaced. */
  readonly failures: number;
}

/** Nothing, where there was nothing to ask. */
export interface SubnetsAsked {
  readonly search?: Search;
  readonly problem?: SearchProblem;
  readonly answers: readonly Answer<unknown>[];
}
