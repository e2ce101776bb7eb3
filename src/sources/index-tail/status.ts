// What API and page show of the indexes beyond their heads: beside their chains, and along their tails.

import type { IndexName } from '../../protocol/paths.ts';
import type { StatusContext } from '../source.ts';
import { currentWatch } from './current.ts';
import type { IndexFaultKind } from './fault.ts';
import type { TailState } from './state.ts';

export interface IntegrityStatus {
  readonly name: IndexName;
  /** The chain's height − 1 − the block's number in the index. */
  readonly heightDrift?: number;
  readonly agreesWithChain?: boolean;
  /** Decimal: how far the containers were verified. */
  readonly verifiedIndex?: string;
  /** Found since the exporter's start. */
  readonly errors: Readonly<Record<IndexFaultKind, number>>;
}

export interface TailStatus {
  /** In the order of the configuration. */
  readonly indexIntegrity: readonly IntegrityStatus[];
}

export const tailStatus = ({ watches }: TailState, { now, maxAge }: StatusContext): TailStatus => ({
  indexIntegrity: Array.from(watches, ([name, watch]) => {
    const { drift, agrees, verified, faultCounts } = currentWatch(watch, now, maxAge);
    return {
      name,
      ...(drift !== undefined && { heightDrift: Number(drift) }),
      ...(agrees !== undefined && { agreesWithChain: agrees }),
      ...(verified !== undefined && { verifiedIndex: verified.toString() }),
      errors: faultCounts,
    };
  }),
});
