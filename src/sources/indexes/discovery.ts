// `indexes: auto`: which indexes are asked for, and when those that have never been on.

import { type IndexName, indexNames } from '../../protocol/paths.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import type { IndexesState, IndexScan } from './state.ts';

/** Seconds between two polls that ask for all indexes, while the node stays the same. */
export const discoverEvery = 600;

/** Those that may be watched, in the order in which they are shown. */
export const configuredIndexes = ({ indexes }: Pick<TargetOptions, 'indexes'>): readonly IndexName[] =>
  indexes === 'auto' ? indexNames : indexes;

export const indexesToAsk = (
  options: Pick<TargetOptions, 'indexes'>,
  { watched, discovery }: IndexesState,
): readonly IndexName[] => (options.indexes === 'auto' && discovery === undefined ? indexNames : [...watched.keys()]);

/** Undefined where the next poll is to be one: a chain has its indexes once it is created, and all are when the node is ready. */
export const discoveryAfter = (
  before: IndexScan | undefined,
  { at, isReady, restarted }: { readonly at: number; readonly isReady: boolean; readonly restarted: boolean },
): IndexScan | undefined => {
  const last = before ?? { at, nodeWasReady: isReady };
  const isDue = restarted || at - last.at >= discoverEvery || (isReady && !last.nodeWasReady);
  return isDue ? undefined : last;
};
