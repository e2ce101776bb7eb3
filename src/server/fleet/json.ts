// /api/v1/fleet: what the page of a fleet shows, as JSON.

import { isoOf, rounded } from '../../text.ts';
import { cells } from '../strip.ts';
import type { OwnView } from '../view.ts';
import type { Fleet } from './fleet.ts';
import type { Group } from './groups.ts';

export const fleetJson = (fleet: Fleet, { discovery, shards }: OwnView): string => {
  const { now, total, matched, found, counts, polls, groups, groupsLeftOut, window, rows, asked } = fleet;
  const end = asked.from + rows.length;
  const head = JSON.stringify({
    now: isoOf(now),
    // The response contains only targets of this shard.
    ...(shards !== undefined && { shard: shards.shard, totalShards: shards.total }),
    total,
    matched,
    counts,
    polls: {
      frozen: polls.frozen,
      notPolledYet: polls.never,
      stale: polls.late,
      longestAgoSeconds: rounded(polls.within),
    },
    ...(discovery.length > 0 && { discovery }),
    by: asked.by,
    history: { from: isoOf(window.from), to: isoOf(window.to), cellSeconds: (window.to - window.from) / cells },
    groups: groups.map(groupJson),
    groupsLeftOut,
    found,
    from: asked.from,
    ...(end < found && { next: end }),
  });
  // The JSON of the targets is already rendered.
  return `${head.slice(0, -1)},"targets":[${rows.map(({ text }) => text).join(',')}]}\n`;
};

const groupJson = ({ name, tags, targets, ready, notReady, unknown, failing, since, latest, reasons, heat }: Group): object => ({
  name,
  ...(tags !== undefined && { tags }),
  targets,
  ready,
  notReady,
  unknown,
  failing,
  ...(since !== undefined && { since, latest }),
  reasons: reasons.map(([reason, count]) => ({ reason, targets: count })),
  history: heat,
});
