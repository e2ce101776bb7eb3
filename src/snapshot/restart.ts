// Whether the node that answers now is the process that answered before.

import type { Answer } from '../client/client.ts';
import type { HealthReport } from '../protocol/health.ts';

/** refused: nothing listened in between · readiness: the node latches its readiness, so one that is lost is another's. */
export type RestartSign = 'refused' | 'readiness';

export interface Restart {
  /** Start of the first poll that the new process answered; exporter's clock. */
  readonly at: number;
  readonly sign: RestartSign;
}

export interface Restarts {
  /** How many were seen. Another number than before: what is remembered of the node is another's. */
  readonly count: number;
  readonly last?: Restart;
  /** The process that answers, or did last, has answered before. */
  readonly answered: boolean;
  /** Since then a connection was refused. */
  readonly refused: boolean;
  readonly passed: boolean;
  /** Since when its readiness fails, while it has not passed; node's clock. */
  readonly failingSince?: number;
}

export const noRestarts: Restarts = { count: 0, answered: false, refused: false, passed: false };

/** What one poll shows: all its answers, and that of readiness among them. `at`: its start. */
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
    // Of a node that never answered a refusal proves nothing: there was none before that could have been restarted.
    refused: before.refused || (refused && (before.answered || answered)),
    passed: before.passed || passed === true,
    ...since,
  };
};

const signOf = (before: Restarts, passed: boolean | undefined, failing: number | undefined): RestartSign | undefined => {
  if (before.refused) return 'refused';
  if (before.passed) return passed === false ? 'readiness' : undefined;
  // Until it has passed, a process never forgets when its readiness first failed.
  return before.failingSince !== undefined && failing !== undefined && failing !== before.failingSince ? 'readiness' : undefined;
};

/** When its one check first failed: of several the oldest failure may end before the others. */
const failingSince = ({ outcome }: Answer<HealthReport>): number | undefined => {
  if (outcome.kind !== 'ok' || outcome.value.healthy) return undefined;
  const [only, ...others] = outcome.value.checks.values();
  return others.length === 0 ? only?.timeOfFirstFailure : undefined;
};
