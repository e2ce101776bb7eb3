// What we know of one source, and whether it is still true.

import type { Failure, Outcome } from '../client/outcome.ts';

/** `at`: when it was learnt, seconds since the Unix epoch in the exporter's clock. */
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

/** The value while it is no older than `maxAge` seconds; old knowledge gives nothing. */
export const current = <T>(observed: Observed<T>, now: number, maxAge: number): T | undefined => {
  const known = observed.state === 'fresh' || observed.state === 'stale';
  return known && now - observed.at <= maxAge ? observed.value : undefined;
};
