// Current values of each index at a given time.

import type { IndexName } from '../../protocol/paths.ts';
import { askedAt, current, type Observed } from '../../snapshot/observed.ts';
import type { StatusContext } from '../source.ts';
import { type Accepted, type IndexHead, lastOf } from './head.ts';
import type { IntegrityErrorKind } from './integrity-error.ts';
import type { IndexesState, IndexState } from './state.ts';

export const shownStates = ['ok', 'empty', 'off', 'historical', 'error', 'unknown'] as const;
export type ShownState = (typeof shownStates)[number];

export interface CurrentIndex {
  readonly index: IndexName;
  /** `error` if the last request failed. Undefined if the last request is too old. */
  readonly state: ShownState | undefined;
  readonly last: Accepted | undefined;
  readonly drift: bigint | undefined;
  readonly agrees: boolean | undefined;
  /** Index of the last verified container. */
  readonly verified: bigint | undefined;
  /** Errors found since the exporter started. Never stale. */
  readonly errors: Readonly<Record<IntegrityErrorKind, number>>;
}

type At = Pick<StatusContext, 'now' | 'maxAge'>;

export const currentIndexes = ({ watched }: IndexesState, at: At): readonly CurrentIndex[] =>
  Array.from(watched, ([index, state]) => currentIndex(index, state, at));

export const currentIndex = (index: IndexName, { head, verification }: IndexState, { now, maxAge }: At): CurrentIndex => {
  const known = current(head, now, maxAge);
  const last = known && lastOf(known);
  const ifCurrent = <T extends { readonly at: number }>(one: T | undefined): T | undefined =>
    one !== undefined && now - one.at <= maxAge ? one : undefined;
  const compared = ifCurrent(verification.chain.compared);
  const tail = ifCurrent(verification.following.tail);
  const isEmpty = verification.following.tail?.number === -1n;
  return {
    index,
    state: shownState(head, now, maxAge),
    last,
    drift: compared?.drift,
    agrees: isEmpty ? undefined : compared?.agrees,
    verified: isEmpty ? undefined : tail?.number,
    errors: verification.errorCounts,
  };
};

const shownState = (head: Observed<IndexHead>, now: number, maxAge: number): ShownState | undefined => {
  const at = askedAt(head);
  if (at === undefined) return 'unknown';
  if (now - at > maxAge) return undefined;
  return head.state === 'fresh' ? head.value.state : 'error';
};
