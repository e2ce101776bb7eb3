// Detects whether a different process of the node responds than before.

import type { Answer } from '../client/client.ts';
import type { HealthReport } from '../protocol/health.ts';

/** refused: nothing listened in between · readiness: a process never loses its readiness, so a lost one shows a new process. */
export type RestartSign = 'refused' | 'readiness';

export interface Restart {
  /** Start of the first poll with a response of the new process; exporter's clock. */
  readonly at: number;
  readonly sign: RestartSign;
}

export interface Restarts {
  /** The number of restarts. If it changes, earlier observations are those of another process. */
  readonly count: number;
  readonly last?: Restart;
  /** The current process has responded before. */
  readonly answered: boolean;
  /** A connection was refused since then. */
  readonly refused: boolean;
  readonly passed: boolean;
  /** When its readiness first failed, until it passes; node's clock. */
  readonly failingSince?: number;
}

export const noRestarts: Restarts = { count: 0, answered: false, refused: false, passed: false };

/** Without the signs of the former node, which prove nothing about the process of another one. */
export const restartsOfAnother = ({ count, last }: Restarts): Restarts => ({ ...noRestarts, count, ...(last && { last }) });

/** Applies one poll. `answers`: all its responses, also the one for readiness. `at`: start of the poll. */
export const followRestarts = (
  before: Restarts,
  answers: readonly Answer<unknown>[],
  readiness: Answer<HealthReport>,
  at: number,
): Restarts => {
  const answered = answers.some(({ outcome }) => outcome.kind === 'ok');
  const refused = answers.some(({ outcome }) => outcome.kind === 'refused');
  const passed = readiness.outcome.kind === 'ok' ? readiness.outcome.value.healthy : undefined;
  const failing = failingSince(readiness);
  const sign = answered ? signOf(before, passed, failing) : undefined;
  const since = failing === undefined ? {} : { failingSince: failing };
  if (sign !== undefined) {
    return { count: before.count + 1, last: { at, sign }, answered: true, refused, passed: passed === true, ...since };
  }
  return {
    ...before,
    answered: before.answered || answered,
    // A refused connection before the first response proves nothing: there was no earlier process that could have been restarted.
    refused: before.refused || (refused && (before.answered || answered)),
    passed: before.passed || passed === true,
    ...since,
  };
};

const signOf = (before: Restarts, passed: boolean | undefined, failing: number | undefined): RestartSign | undefined => {
  if (before.refused) return 'refused';
  if (before.passed) return passed === false ? 'readiness' : undefined;
  // Until its readiness passes, a process keeps reporting when it first failed.
  return before.failingSince !== undefined && failing !== undefined && failing !== before.failingSince ? 'readiness' : undefined;
};

/** When its only check first failed. With several checks, the oldest failure may end before the others. */
const failingSince = ({ outcome }: Answer<HealthReport>): number | undefined => {
  if (outcome.kind !== 'ok' || outcome.value.healthy) return undefined;
  const [only, ...others] = outcome.value.checks.values();
  return others.length === 0 ? only?.timeOfFirstFailure : undefined;
};
