// By which rules a target is judged: from the configuration, or the usual ones.

import type { Reason } from '../protocol/reasons.ts';

export interface Readiness {
  /** Checks whose failure does not make the node unready. */
  readonly ignoreChecks: readonly string[];
  /** Reasons that do not either, because the whole network shares them. */
  readonly ignoreReasons: readonly Reason[];
  /** Rounds of the node, or failed polls. */
  readonly failAfter: number;
  readonly passAfter: number;
}

/** In cadences. */
export interface Liveness {
  readonly unresponsiveAfter: number;
  readonly frozenAfter: number;
}

export interface Rules {
  /** In cadences. */
  readonly frozenAfter: number;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
}

/** The defaults of the configuration. */
export const usualRules: Rules = {
  frozenAfter: 3,
  readiness: { ignoreChecks: [], ignoreReasons: ['block-processing', 'stake-disconnected'], failAfter: 2, passAfter: 1 },
  liveness: { unresponsiveAfter: 20, frozenAfter: 20 },
};

export const rulesOf = (given: Partial<Rules>): Rules => ({
  frozenAfter: given.frozenAfter ?? usualRules.frozenAfter,
  readiness: given.readiness ?? usualRules.readiness,
  liveness: given.liveness ?? usualRules.liveness,
});
