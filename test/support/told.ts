// Event history records as one line each, for tables in tests.

import * as z from 'zod/mini';

/** The response of /api/v1/history. */
export const transitionsSchema = z.object({
  records: z.array(
    z.object({
      kind: z.string(),
      check: z.optional(z.string()),
      condition: z.optional(z.string()),
      tagSets: z.optional(z.array(z.string())),
      from: z.optional(z.string()),
      to: z.optional(z.string()),
      unseen: z.optional(z.literal(true)),
      reason: z.optional(z.string()),
      failureReasons: z.optional(z.array(z.string())),
      message: z.optional(z.string()),
    }),
  ),
});

type Told = z.output<typeof transitionsSchema>['records'][number];

const line = ({ kind, check = '', condition, tagSets = [], from, to, unseen, reason, failureReasons }: Told): string => {
  switch (kind) {
    case 'check':
      if (unseen === true) return `${check} recovered unseen`;
      return to === 'failing' ? `${check} began to fail: ${reason}` : `${check} passes again`;
    case 'found-failing':
      return `${check} found failing: ${reason}`;
    case 'check-gone':
    case 'check-back':
      return `${check} ${kind === 'check-gone' ? 'is gone' : `is back, ${to}`}`;
    case 'condition':
      return `${[condition, ...tagSets].join(' ')}: ${from} → ${to}${failureReasons === undefined ? '' : ` (${failureReasons.join(', ')})`}`;
    case 'health-frozen':
      return `frozen, perhaps for ${check}`;
    case 'health-running':
      return 'running again';
    default:
      return kind;
  }
};

/**
 * Healthy changes are omitted because they follow from the checks. Repeated records are merged with a count, in the order of the
 * first.
 */
export const told = (records: readonly Told[]): readonly string[] => {
  const times = new Map<string, number>();
  for (const record of records.filter(({ condition }) => condition !== 'Healthy'))
    times.set(line(record), (times.get(line(record)) ?? 0) + 1);
  return [...times].map(([text, count]) => (count === 1 ? text : `${text} ×${count}`));
};
