// `indexes: auto`: which indexes to poll, and when to poll those that have never been on.

import { type IndexName, indexNames } from '../../protocol/paths.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import type { IndexesState, IndexScan } from './state.ts';

/** Seconds between two polls of all indexes, unless the node restarts or becomes ready. */
export const discoverEvery = 600;

/** The same after a poll in which a ready node did not respond to some of the requests. Each of them may last until its timeout. */
export const retryEvery = 60;

/** Indexes that may be watched, in display order. */
export const configuredIndexes = ({ indexes }: Pick<TargetOptions, 'indexes'>): readonly IndexName[] =>
  indexes === 'auto' ? indexNames : indexes;

export const indexesToAsk = (
  options: Pick<TargetOptions, 'indexes'>,
  { watched, discovery }: IndexesState,
): readonly IndexName[] => (options.indexes === 'auto' && discovery === undefined ? indexNames : [...watched.keys()]);

interface Scanned {
  readonly at: number;
  readonly isReady: boolean;
  readonly restarted: boolean;
  /** False if an index may be on, but its request failed, such as by a timeout. */
  readonly isComplete: boolean;
}

/**
 * The last scan; undefined if the next poll must scan. An index exists as soon as its chain is created, and all chains are created when the
 * node is ready.
 */
export const discoveryAfter = (
  before: IndexScan | undefined,
  { at, isReady, restarted, isComplete }: Scanned,
): IndexScan | undefined => {
  const last = before ?? { at, nodeWasReady: isReady, dueAfter: isReady && !isComplete ? retryEvery : discoverEvery };
  const isDue = restarted || at - last.at >= last.dueAfter || (isReady && !last.nodeWasReady);
  return isDue ? undefined : last;
};
