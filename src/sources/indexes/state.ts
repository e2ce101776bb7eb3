// State of the indexes of a node, and results of one poll.

import type { Answer } from '../../client/client.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Observed } from '../../snapshot/observed.ts';
import type { GrowthRate } from './growth.ts';
import type { IndexHead } from './head.ts';
import type { IndexAnswers } from './questions.ts';
import type { Verification } from './verification.ts';

export interface IndexState {
  readonly head: Observed<IndexHead>;
  readonly growth: GrowthRate;
  /** Chain comparison, verified tail. */
  readonly verification: Verification;
  /** Was on at least once: with `auto`, watched from then on. */
  readonly wasOn: boolean;
}

/** A poll that requested all indexes of the interface. */
export interface IndexScan {
  /** Seconds, exporter's clock. */
  readonly at: number;
  readonly nodeWasReady: boolean;
  /** Seconds until all are requested again. */
  readonly dueAfter: number;
}

export interface IndexesState {
  /** All configured indexes, in that order; with `auto`, those that have been on. */
  readonly watched: ReadonlyMap<IndexName, IndexState>;
  /** Last scan. With `auto`, undefined if the next poll must scan. */
  readonly discovery?: IndexScan;
}

export interface IndexAsked extends IndexAnswers {
  readonly head: Answer<IndexHead>;
}

export type IndexesAsked = ReadonlyMap<IndexName, IndexAsked>;
