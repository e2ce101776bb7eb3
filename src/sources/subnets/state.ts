// State of the subnets of a node, and results of one poll.

import type { Answer } from '../../client/client.ts';
import type { Failure } from '../../client/outcome.ts';
import type { KnownSubnet } from './known.ts';
import type { Search } from './placement.ts';

/** bootstrapping: the P-Chain cannot respond yet, which is not a failure. */
export type SearchProblem = { readonly kind: 'bootstrapping' } | { readonly kind: 'failed'; readonly failure: Failure };

export interface SubnetsState {
  /** `tagSets: auto` is configured. */
  readonly isAuto: boolean;
  /** Each has a tag set, unless one is configured for it. */
  readonly known: readonly KnownSubnet[];
  /** Another subnet was found after `known` was full. */
  readonly hasMore?: boolean;
  /** Checks of the current process whose subnet is known, and those without a tag. */
  readonly settled: ReadonlySet<string>;
  /** In progress, or ended with checks whose subnet was not found. */
  readonly search?: Search | undefined;
  /** A known subnet is gone from the report: verify on the P-Chain that it still exists. */
  readonly verify: boolean;
  /** Why the last search stopped. */
  readonly problem?: SearchProblem | undefined;
  /** When it continues or restarts; exporter's clock. Undefined: with the next poll. */
  readonly retryAt?: number | undefined;
  /** Start of the last search that sent a request; exporter's clock. */
  readonly searchedAt?: number | undefined;
  /** Consecutive searches that stopped, or that left checks unplaced. */
  readonly failures: number;
}

/** Empty if no request was needed. */
export interface SubnetsAsked {
  readonly search?: Search;
  readonly problem?: SearchProblem;
  readonly answers: readonly Answer<unknown>[];
}
