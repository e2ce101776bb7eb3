// What is known of the indexes of a node, and what one poll brings.

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
  /** Beyond its head. */
  readonly verification: Verification;
  /** It has been on: under `auto` it is watched from then on. */
  readonly wasOn: boolean;
}

/** A poll that asked for all indexes of the interface. */
export interface IndexScan {
  /** Seconds, exporter's clock. */
  readonly at: number;
  readonly nodeWasReady: boolean;
}

export interface IndexesState {
  /** Each that is configured, in that order; under `auto` each that has been on. */
  readonly watched: ReadonlyMap<IndexName, IndexState>;
  /** The last one. Absent under `auto`: the next poll is one. */
  readonly discovery?: IndexScan;
}

export interface IndexAsked extends IndexAnswers {
  readonly head: Answer<IndexHead>;
}

export type IndexesAsked = ReadonlyMap<IndexName, IndexAsked>;
