// What is known of the heads of the indexes, and what one poll brings.

import type { Answer } from '../../client/client.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Observed } from '../../snapshot/observed.ts';
import type { GrowthRate } from './growth.ts';
import type { IndexHead } from './head.ts';

export interface HeadState {
  /** Every configured one is there from the start. */
  readonly heads: ReadonlyMap<IndexName, Observed<IndexHead>>;
  readonly growth: ReadonlyMap<IndexName, GrowthRate>;
}

export type HeadAsked = ReadonlyMap<IndexName, Answer<IndexHead>>;
