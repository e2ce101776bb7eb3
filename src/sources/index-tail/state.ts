// What is known of the indexes beyond their heads, and what one poll brings.

import type { IndexName } from '../../protocol/paths.ts';
import type { IndexAnswers } from './questions.ts';
import type { IndexWatch } from './watch.ts';

export interface TailState {
  /** Every configured index is there from the start. */
  readonly watches: ReadonlyMap<IndexName, IndexWatch>;
}

export type TailAsked = ReadonlyMap<IndexName, IndexAnswers>;
