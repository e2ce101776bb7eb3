// Signs that several drills share.

import type { Sign } from './drill.ts';

export const isDown: Sign = {
  family: 'snowgauge_up',
  is: (value) => value === 0,
  patience: { intervals: 3, reason: 'a report is stale after three check intervals' },
};

export const isUnready: Sign = {
  family: 'snowgauge_target_condition',
  labels: { condition: 'Ready', tag_set: 'alpha', status: 'false' },
  is: (value) => value === 1,
  patience: { intervals: 1, reason: 'readiness fails at the second failed run' },
};

/** An index that does not have the last block of its chain. */
export const disagrees = (index: string): Sign => ({
  family: 'snowgauge_index_agrees_with_chain',
  labels: { index },
  is: (value) => value === 0,
  patience: { intervals: 3, reason: 'the chain must accept a block first, and the index lack it in two polls' },
});
