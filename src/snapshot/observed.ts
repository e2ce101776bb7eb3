// The last value of a source, and whether the last request for it succeeded.

import type { Answer } from '../client/client.ts';
import type { Failure, Outcome } from '../client/outcome.ts';

/** `at`: the time of the response; seconds, exporter's clock. */
export type Observed<T> =
  | { readonly state: 'pending' }
  | { readonly state: 'fresh'; readonly value: T; readonly at: number }
  /** There is an earlier value, but the last request failed. */
  | { readonly state: 'stale'; readonly value: T; readonly at: number; readonly failure: Failure; readonly failedAt: number }
  | { readonly state: 'failed'; readonly failure: Failure; readonly failedAt: number };

export const pending = { state: 'pending' } as const;

export const observe = <T>(before: Observed<T>, outcome: Outcome<T>, at: number): Observed<T> => {
  if (outcome.kind === 'ok') return { state: 'fresh', value: outcome.value, at };
  const failed = { failure: outcome, failedAt: at };
  const known = knownIn(before);
  return known ? { state: 'stale', value: known.value, at: known.at, ...failed } : { state: 'failed', ...failed };
};

const knownIn = <T>(observed: Observed<T> | undefined) =>
  observed?.state === 'fresh' || observed?.state === 'stale' ? observed : undefined;

/** Unchanged if there was no request. */
export const observeAnswer = <T>(before: Observed<T>, answer: Pick<Answer<T>, 'outcome' | 'endedAt'> | undefined): Observed<T> =>
  answer === undefined ? before : observe(before, answer.outcome, answer.endedAt);

/** The value of a response; undefined if the request failed, or if there was none. */
export const valueIn = <T>(answer: Pick<Answer<T>, 'outcome'> | undefined): T | undefined =>
  answer?.outcome.kind === 'ok' ? answer.outcome.value : undefined;

export const lastValue = <T>(observed: Observed<T> | undefined): T | undefined => knownIn(observed)?.value;

/** The value, unless it is older than `maxAge` seconds. */
export const current = <T>(observed: Observed<T>, now: number, maxAge: number): T | undefined => {
  const known = knownIn(observed);
  return known && now - known.at <= maxAge ? known.value : undefined;
};

/** The response times of those that have a value. */
export const observedAt = (all: Iterable<Observed<unknown>>): readonly number[] =>
  Array.from(all).flatMap((one) => knownIn(one)?.at ?? []);

/** The time of the last request, with or without a response. Undefined if there was none. */
export const askedAt = (observed: Observed<unknown> = pending): number | undefined => {
  if (observed.state === 'pending') return undefined;
  return observed.state === 'fresh' ? observed.at : observed.failedAt;
};

/** The failure of the last request, if it failed. */
export const failureIn = (observed: Observed<unknown> | undefined): Failure | undefined =>
  observed?.state === 'stale' || observed?.state === 'failed' ? observed.failure : undefined;
