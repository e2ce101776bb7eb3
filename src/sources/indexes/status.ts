// Status of the indexes, for API and page.

import type { IndexName } from '../../protocol/paths.ts';
import { parseInstant } from '../../protocol/time.ts';
import { lastValue } from '../../snapshot/observed.ts';
import { isoOf, rounded, shortened } from '../../text.ts';
import { type ObservedStatus, observedStatus } from '../observed-status.ts';
import type { StatusContext } from '../source.ts';
import { currentIndex } from './current.ts';
import { containersPerSecond } from './growth.ts';
import { type IndexHead, lastOf } from './head.ts';
import type { IntegrityErrorKind } from './integrity-error.ts';
import type { IndexesState, IndexState } from './state.ts';

export interface IndexStatus extends ObservedStatus {
  readonly name: IndexName;
  readonly state?: IndexHead['state'];
  /** Decimal: a uint64 does not fit a JSON number. */
  readonly lastAcceptedIndex?: string;
  readonly lastAcceptedId?: string;
  /** By the node's clock. */
  readonly lastAcceptedAt?: string;
  readonly lastAcceptedAgeSeconds?: number;
  /** Containers per second, over the last heads. */
  readonly containersPerSecond?: number;
  readonly overSeconds?: number;
  /** The chain's height − 1 − the block's number in the index. */
  readonly heightDrift?: number;
  readonly agreesWithChain?: boolean;
  /** Decimal: index of the last verified container. */
  readonly verifiedIndex?: string;
  /** Integrity errors found since the exporter's start. */
  readonly errors: Readonly<Record<IntegrityErrorKind, number>>;
}

export interface IndexesStatus {
  /** In the order of the configuration. */
  readonly indexes: readonly IndexStatus[];
}

export const indexesStatus = ({ watched }: IndexesState, context: StatusContext): IndexesStatus => ({
  indexes: Array.from(watched, ([name, index]) => ({ name, ...indexStatus(name, index, context) })),
});

const indexStatus = (name: IndexName, index: IndexState, context: StatusContext): Omit<IndexStatus, 'name'> => {
  const known = lastValue(index.head);
  const last = known && lastOf(known);
  const acceptedAt = last && parseInstant(last.timestamp);
  const growth = containersPerSecond(index.growth);
  const { drift, agrees, verified, errors } = currentIndex(name, index, context);
  return {
    ...observedStatus(index.head, context),
    ...(known && { state: known.state }),
    ...(last && { lastAcceptedIndex: last.index.toString(), lastAcceptedId: shortened(last.id, 128) }),
    ...(acceptedAt !== undefined && {
      lastAcceptedAt: isoOf(acceptedAt),
      lastAcceptedAgeSeconds: rounded(context.nodeNow - acceptedAt),
    }),
    ...(growth && { containersPerSecond: rounded(growth.rate), overSeconds: rounded(growth.overSeconds) }),
    ...(drift !== undefined && { heightDrift: Number(drift) }),
    ...(agrees !== undefined && { agreesWithChain: agrees }),
    ...(verified !== undefined && { verifiedIndex: verified.toString() }),
    errors,
  };
};
