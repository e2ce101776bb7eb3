// Shards that are to be there, and are not.

import type { FamilyName, Recording, Terms } from './rule.ts';

/** Shards that share targets: of one StatefulSet, or of one job where there is none. */
export const together = ({ set }: Terms): string => `${set.fleet}, job, statefulset`;

const distinct = (terms: Terms, infos: string): string =>
  `count by (${together(terms)}) (count by (${together(terms)}, shard) (${infos}))`;

export const presentShards = (terms: Terms): string => distinct(terms, terms.of('snowgauge_shard_info'));

export const shardRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:shards_missing',
    help: 'Number of shards that are not scraped although another shard of the same set is.',
    // A lost scrape of the only one that is there finds none: then the last ones count.
    expr: (terms) => {
      const last = (family: FamilyName): string => `last_over_time(${terms.of(family)}[${terms.set.scrapeGap}])`;
      return `(
  max by (${together(terms)}) (${terms.of('snowgauge_shards')})
  or
  max by (${together(terms)}) (${last('snowgauge_shards')})
)
-
(
  ${presentShards(terms)}
  or
  ${distinct(terms, last('snowgauge_shard_info'))}
)`;
    },
  },
];
