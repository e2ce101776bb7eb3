// The schema of a response of /api/v1/fleet, with only the members that are shown here, and the types of its parts.

import * as z from 'zod/mini';
import { answeredRows } from './answered-rows.ts';

const condition = z.object({
  type: z.string(),
  status: z.string(),
  message: z.string(),
  lastTransitionTime: z.optional(z.string()),
});

const group = z.object({
  name: z.string(),
  /** Only if targets are grouped by subnet. */
  tags: z.optional(answeredRows(z.string())),
  targets: z.number(),
  ready: z.number(),
  failing: z.number(),
  unknown: z.number(),
  since: z.optional(z.string()),
  reasons: answeredRows(z.object({ reason: z.string(), targets: z.number() })),
});

const target = z.object({
  name: z.string(),
  health: z.enum(['failing', 'uncertain', 'healthy']),
  labels: z.optional(z.record(z.string(), z.string())),
  state: z.string(),
  reason: z.optional(z.string()),
  frozen: z.optional(z.object({ since: z.string() })),
  maintenance: z.optional(z.looseObject({})),
  conditions: answeredRows(condition),
  tagSets: answeredRows(z.object({ name: z.string(), conditions: answeredRows(condition) })),
});

const source = z.object({
  source: z.string(),
  status: z.string(),
  message: z.optional(z.string()),
  unwatched: answeredRows(
    z.object({ reason: z.string(), targets: z.number(), message: z.string(), examples: answeredRows(z.string()) }),
  ),
});

export const fleetAnswer = z.object({
  now: z.string(),
  /** Set if the response is from one of several shards: it has only its own targets. */
  shard: z.optional(z.number()),
  /** Absent until it is known. */
  totalShards: z.optional(z.number()),
  total: z.number(),
  matched: z.number(),
  found: z.number(),
  counts: z.object({ failing: z.number(), uncertain: z.number(), healthy: z.number() }),
  polls: z.object({ frozen: z.number(), notPolledYet: z.number(), stale: z.number(), longestAgoSeconds: z.number() }),
  by: z.string(),
  groups: answeredRows(group),
  targets: answeredRows(target),
  discovery: z.optional(answeredRows(source)),
});

export interface FleetAnswer extends z.output<typeof fleetAnswer> {
  /** Set only if no target matches: why, for each filter that matches none. */
  readonly unmatched?: readonly string[];
}
export type AnsweredGroup = z.output<typeof group>;
export type AnsweredTarget = z.output<typeof target>;
export type AnsweredCondition = z.output<typeof condition>;
