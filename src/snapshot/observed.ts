// What we know of one source, and whether it is still true.

import type { Answer } from '../client/client.ts';
import type { Failure, Outcome } from '../client/outcome.ts';

/** `at`: when it was learnt, seconds in the exporter's clock. */
export type Observed<T> =
  | { readonly state: 'pending' }
  | { readonly state: 'fresh'; readonly value: T; readonly at: number }
  /** Known from before; the last ask failed. */
  | { readonly state: 'stale'; readonly value: T; readonly at: number; readonly failure: Failure; readonly failedAt: number }
  | { readonly state: 'failed'; readonly failure: Failure; readonly failedAt: number };

export const pending = { state: 'pending' } as const;

export const observe = <T>(before: Observed<T>, outcome: Outcome<T>, at: number): Observed<T> => {
  if (outcome.kind === 'ok') return { state: 'fresh', value: outcome.value, at };
  const known = before.state === 'fresh' || before.state === 'stale';
  return known
    ? { state: 'stale', value: before.value, at: before.at, failure: outcome, failedAt: at }
    : { state: 'failed', failure: outcome, failedAt: at };
};

/** The same value where it was not asked. */
export const observeAnswer = <T>(before: Observed<T>, answer: Pick<Answer<T>, 'outcome' | 'endedAt'> | undefined): Observed<T> =>
  answer === undefined ? before : observe(before, answer.outcome, answer.endedAt);

export const lastValue = <T>(observed: Observed<T> | undefined): T | undefined =>
  observed?.state === 'fresh' || observed?.state === 'stale' ? observed.value : undefined;

/** The value while it is no older than `maxAge` seconds; old knowledge gives nothing. */
export const current = <T>(observed: Observed<T>, now: number, maxAge: number): T | undefined => {
  const known = observed.state === 'fresh' || observed.state === 'stale';
  return known && now - observed.at <= maxAge ? observed.value : undefined;
};

/** When the values among these were learnt. */
export const observedAt = (all: Iterable<Observed<unknown>>): readonly number[] =>
  Array.from(all).flatMap((one) => (one.state === 'fresh' || one.state === 'stale' ? one.at : []));

/** Why the last ask failed, where it did. */
export const failureIn = (observed: Observed<unknown> | undefined): Failure | undefined =>
  observed?.state === 'stale' || observed?.state === 'failed' ? observed.failure : undefined;
