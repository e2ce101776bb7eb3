// What API and page show of the heads of the indexes, and how fast they grow.

import type { IndexName } from '../../protocol/paths.ts';
import { parseInstant } from '../../protocol/time.ts';
import { lastValue, type Observed } from '../../snapshot/observed.ts';
import { isoOf, rounded, shortened } from '../../text.ts';
import { type ObservedStatus, observedStatus } from '../observed-status.ts';
import type { StatusContext } from '../source.ts';
import { containersPerSecond, type GrowthRate } from './growth.ts';
import { type IndexHead, lastOf } from './head.ts';
import type { HeadState } from './state.ts';

export interface IndexStatus extends ObservedStatus {
  readonly name: IndexName;
  readonly state?: IndexHead['state'];
  /** Decimal: a uint64 does not fit a JSON number. */
  readonly lastAcceptedIndex?: string;
  readonly lastAcceptedId?: string;
  /** The node's own clock. */
  readonly lastAcceptedAt?: string;
  readonly lastAcceptedAgeSeconds?: number;
  /** Containers a second, over the last heads. */
  readonly containersPerSecond?: number;
  readonly overSeconds?: number;
}

export interface HeadStatus {
  /** In the order of the configuration. */
  readonly indexes: readonly IndexStatus[];
}

export const headStatus = ({ heads, growth }: HeadState, context: StatusContext): HeadStatus => ({
  indexes: Array.from(heads, ([name, head]) => ({ name, ...indexStatus(head, context), ...growthStatus(growth.get(name)) })),
});

const indexStatus = (head: Observed<IndexHead>, context: StatusContext): Omit<IndexStatus, 'name'> => {
  const known = lastValue(head);
  const last = known === undefined ? undefined : lastOf(known);
  const acceptedAt = last === undefined ? undefined : parseInstant(last.timestamp);
  return {
    ...observedStatus(head, context),
    ...(known !== undefined && { state: known.state }),
    ...(last !== undefined && { lastAcceptedIndex: last.index.toString(), lastAcceptedId: shortened(last.id, 128) }),
    ...(acceptedAt !== undefined && {
      lastAcceptedAt: isoOf(acceptedAt),
      lastAcceptedAgeSeconds: rounded(context.nodeNow - acceptedAt),
    }),
  };
};

const growthStatus = (growth: GrowthRate = []): Pick<IndexStatus, 'containersPerSecond' | 'overSeconds'> => {
  const measured = containersPerSecond(growth);
  if (measured === undefined) return {};
  return { containersPerSecond: rounded(measured.rate), overSeconds: rounded(measured.overSeconds) };
};
