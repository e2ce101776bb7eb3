// Which shards are missing, and whether the present ones agree.

import type { FamilyName, Recording, Terms } from './rule.ts';

/** Labels of the shards that share targets: those of a StatefulSet, or of a job if there is none. */
export const together = ({ set }: Pick<Terms, 'set'>): string => `${set.fleet}, job, statefulset`;

/** Aggregates one series per shard, so that lost scrapes, a previous address or a second Prometheus do not matter. */
const over = (terms: Terms, by: 'max' | 'min' | 'sum', family: FamilyName): string => {
  const ofEach = `${terms.lately(terms.of(family))} * on (${terms.set.exporter}, pod) group_left (shard) snowgauge:shard`;
  return `${by} by (${together(terms)}) (max by (${together(terms)}, shard) (${ofEach}))`;
};

const distinct = (terms: Terms, shards: string): string =>
  `count by (${together(terms)}) (group by (${together(terms)}, shard) (${shards}))`;

export const shardRecordings: readonly Recording[] = [
  {
    record: 'snowgauge:shard',
    help: 'Always 1, for each shard that was scraped within `scrapeGap`.',
    // An exporter that became another shard must not be two: no rule could join with it.
    expr: ({ set, of, lately }) => {
      const info = of('snowgauge_shard_info');
      return `group by (${set.exporter}, pod, statefulset, shard) (${info} or ${lately(info)} unless on (${set.exporter}, pod) ${info})`;
    },
  },
  {
    record: 'snowgauge:shards_missing',
    help: 'Number of shards that are not scraped although another shard of the same set is.',
    // If the scrape of the only shard was lost, there are no current samples: then the last ones are used.
    expr: (terms) => `(
  max by (${together(terms)}) (${terms.of('snowgauge_shards')})
  or
  max by (${together(terms)}) (${terms.lately(terms.of('snowgauge_shards'))})
)
-
(
  ${distinct(terms, terms.of('snowgauge_shard_info'))}
  or
  ${distinct(terms, 'snowgauge:shard')}
)`,
  },
  {
    record: 'snowgauge:shards_disagree',
    help: '1 if the shards of a set disagree on their number, or all are present and do not watch each target once; 0 if they agree. No sample while one is missing.',
    expr: (terms) => {
      const arePresent = `${distinct(terms, 'snowgauge:shard')} == ${over(terms, 'max', 'snowgauge_shards')}`;
      return `group by (${together(terms)}) (
  ${over(terms, 'max', 'snowgauge_shards')} != ${over(terms, 'min', 'snowgauge_shards')}
  or
  (
    ${over(terms, 'sum', 'snowgauge_shard_targets')} != ${over(terms, 'max', 'snowgauge_shard_fleet_targets')}
    or
    ${over(terms, 'sum', 'snowgauge_shard_handover_targets')} > 0
  )
  and
  ${arePresent}
)
or
0 * (${arePresent})`;
    },
  },
];
