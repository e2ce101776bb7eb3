// Shards that are to be there, and are not.

import type { Recording, Terms } from './rule.ts';

/** Shards that share targets: of one StatefulSet, or of one job where there is none. */
export const together = ({ set }: Terms): string => `${set.fleet}, job, statefulset`;

export const presentShards = (terms: Terms): string =>
  `count by (${together(terms)}) (count by (${together(terms)}, shard) (${terms.of('snowgauge_shard_info')}))`;

export const shardRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:shards_missing',
    help: 'Number of shards that are not scraped although another shard of the same set is.',
    expr: (terms) => `max by (${together(terms)}) (${terms.of('snowgauge_shards')})
-
${presentShards(terms)}`,
  },
];
