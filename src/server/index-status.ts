// What the status page and the API say of an index beyond its last container.

import { containersPerSecond, type Pace } from '../snapshot/index-pace.ts';
import type { CurrentWatch } from '../snapshot/snapshot.ts';
import { rounded } from './text.ts';

export interface PaceStatus {
  /** Containers a second, over the last heads. */
  readonly containersPerSecond?: number;
  readonly overSeconds?: number;
}

export interface WatchStatus {
  /** The chain's height − 1 − the block's number in the index. */
  readonly heightDrift?: number;
  readonly agreesWithChain?: boolean;
  /** Decimal: how far the containers were looked at. */
  readonly verifiedIndex?: string;
  /** Faults found since the exporter's start. */
  readonly gaps: number;
}

export const paceOf = (seen: Pace = []): PaceStatus => {
  const measured = containersPerSecond(seen);
  if (measured === undefined) return {};
  return { containersPerSecond: rounded(measured.rate), overSeconds: rounded(measured.overSeconds) };
};

export const watchOf = ({ drift, agrees, verified, gaps }: CurrentWatch): WatchStatus => ({
  ...(drift !== undefined && { heightDrift: Number(drift) }),
  ...(agrees !== undefined && { agreesWithChain: agrees }),
  ...(verified !== undefined && { verifiedIndex: verified.toString() }),
  gaps,
});
