// Current values of each index at a given time.

import type { IndexName } from '../../protocol/paths.ts';
import { current, type Observed } from '../../snapshot/observed.ts';
import { type Accepted, type IndexHead, lastOf } from './head.ts';
import type { IntegrityErrorKind } from './integrity-error.ts';
import type { IndexesState, IndexState } from './state.ts';

export const shownStates = ['ok', 'empty', 'off', 'historical', 'error', 'unknown'] as const;
export type ShownState = (typeof shownStates)[number];

export interface CurrentIndex {
  readonly index: IndexName;
  /** Undefined if the last successful response is too old. */
  readonly state: ShownState | undefined;
  readonly last: Accepted | undefined;
  readonly drift: bigint | undefined;
  readonly agrees: boolean | undefined;
  /** Index of the last verified container. */
  readonly verified: bigint | undefined;
  /** Errors found since the exporter started. Never stale. */
  readonly errors: Readonly<Record<IntegrityErrorKind, number>>;
}

export const currentIndexes = ({ watched }: IndexesState, now: number, maxAge: number): readonly CurrentIndex[] =>
  Array.from(watched, ([index, state]) => currentIndex(index, state, now, maxAge));

export const currentIndex = (index: IndexName, { head, verification }: IndexState, now: number, maxAge: number): CurrentIndex => {
  const known = current(head, now, maxAge);
  const last = known && lastOf(known);
  const ifCurrent = <T extends { readonly at: number }>(one: T | undefined): T | undefined =>
    one !== undefined && now - one.at <= maxAge ? one : undefined;
  const compared = ifCurrent(verification.chain.compared);
  const tail = ifCurrent(verification.following.tail);
  const isEmpty = verification.following.tail?.number === -1n;
  const isTooOld = known === undefined && (head.state === 'fresh' || head.state === 'stale');
  return {
    index,
    state: isTooOld ? undefined : shownState(head),
    last,
    drift: compared?.drift,
    agrees: isEmpty ? undefined : compared?.agrees,
    verified: isEmpty ? undefined : tail?.number,
    errors: verification.errorCounts,
  };
};

const shownState = (head: Observed<IndexHead>): ShownState => {
  switch (head.state) {
    case 'pending':
      return 'unknown';
    case 'fresh':
      return head.value.state;
    case 'stale':
    case 'failed':
      return 'error';
    default:
      return head satisfies never;
  }
};
