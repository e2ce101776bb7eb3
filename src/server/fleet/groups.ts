// Groups the targets of a fleet by subnet, network or a label: how many are ready, and since when and why others are not.

import type { Status } from '../../conditions/condition.ts';
import { groupBy, least } from '../../lists.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { Window } from '../strip.ts';
import { type FleetAsked, isSubnet, labelOf } from './asked.ts';
import { type Heat, heatOf } from './heat.ts';
import type { FleetRow, RowTagSet } from './row.ts';

export interface Group {
  /** Empty: the group of the targets without a network, or without the label. */
  readonly name: string;
  /** Tags of a subnet, from its first target; empty: the whole node. */
  readonly tags?: readonly string[];
  readonly targets: number;
  readonly ready: number;
  readonly notReady: number;
  readonly unknown: number;
  /** Targets that are not ready, down or frozen. */
  readonly failing: number;
  /** When the first and the last target became not ready or unknown. */
  readonly since?: string;
  readonly latest?: string;
  /** Reasons of their conditions, the most common first. */
  readonly reasons: readonly (readonly [reason: string, targets: number])[];
  readonly heat: Heat;
}

interface Member {
  readonly group: string;
  readonly row: FleetRow;
  /** Tag sets that count for this group. */
  readonly sets: readonly RowTagSet[];
}

export interface Times {
  readonly window: Window;
  /** Seconds since the Unix epoch. */
  readonly startedAt: number;
  readonly heldFrom: (target: string) => number | undefined;
}

/** Maximum number of groups in a response: the worst. */
const maxGroups = 50;
const maxReasons = 3;

/** Worst first. `leftOut`: number of groups beyond the limit. */
export const groupsOf = async (
  rows: readonly FleetRow[],
  { by, subnet }: FleetAsked,
  times: Times,
): Promise<{ readonly groups: readonly Group[]; readonly leftOut: number }> => {
  const members = rows.flatMap((row) => membersOf(row, by, subnet));
  const ranked = groupBy(members, ({ group }) => group)
    .map((of) => {
      const affected = of.filter(({ sets }) => worstStatus(sets) !== 'True');
      return { of, affected, failing: affected.filter(isFailing).length };
    })
    .sort((a, b) => badness(b) - badness(a));
  const groups: Group[] = [];
  for (const one of ranked.slice(0, maxGroups)) {
    // The strip of a large group takes a few milliseconds, and so does the work before and after this loop.
    await yieldToEventLoop();
    groups.push(groupOf(one, by, times));
  }
  await yieldToEventLoop();
  return { groups, leftOut: Math.max(0, ranked.length - maxGroups) };
};

const membersOf = (row: FleetRow, by: string, subnet: string | undefined): readonly Member[] => {
  const sets = subnet === undefined ? row.tagSets : row.tagSets.filter((set) => isSubnet(set, subnet));
  if (by === 'subnet') return sets.map((set) => ({ group: set.name, row, sets: [set] }));
  return [{ group: by === 'network' ? row.network : labelOf(row, by), row, sets }];
};

/** The worst status. */
const worstStatus = (sets: readonly RowTagSet[]): Status => {
  if (sets.some(({ ready }) => ready.status === 'False')) return 'False';
  return sets.some(({ ready }) => ready.status === 'Unknown') ? 'Unknown' : 'True';
};

/** The readiness of a target that is down or frozen is unknown, but it does not serve its subnets either. */
const isFailing = ({ row, sets }: Member): boolean => row.isDown || row.isFrozen || worstStatus(sets) === 'False';

interface Ranked {
  readonly of: readonly Member[];
  readonly affected: readonly Member[];
  readonly failing: number;
}

/** Fraction of targets that are failing. Unknown ones count for little; targets that are not polled yet are unknown. */
const badness = ({ of, affected, failing }: Ranked): number => (failing + affected.length / 1000) / of.length;

const groupOf = ({ of, affected, failing }: Ranked, by: string, { window, startedAt, heldFrom }: Times): Group => {
  const notReady = affected.filter(({ sets }) => worstStatus(sets) === 'False').length;
  const affectedSets = affected.flatMap(({ sets }) => sets.filter(({ ready }) => ready.status !== 'True'));
  const instants = affectedSets.flatMap(({ ready }) => ready.lastTransitionTime ?? []).sort();
  const [since, latest] = [instants[0], instants.at(-1)];
  return {
    name: of[0]?.group ?? '',
    ...(by === 'subnet' && { tags: of[0]?.sets[0]?.tags ?? [] }),
    targets: of.length,
    ready: of.length - affected.length,
    notReady,
    unknown: affected.length - notReady,
    failing,
    ...(since !== undefined && latest !== undefined && { since, latest }),
    reasons: reasonsOf(affected),
    heat: heatOf(
      of.map(({ row, sets }) => ({ sets, seen: { since: knownSince(row.name, sets, startedAt, heldFrom), begun: startedAt } })),
      window,
    ),
  };
};

const knownSince = (name: string, sets: readonly RowTagSet[], startedAt: number, heldFrom: Times['heldFrom']): number =>
  heldFrom(name) ?? Math.min(startedAt, least(sets.flatMap(({ changes: [first] }) => first?.at ?? [])));

const reasonsOf = (affected: readonly Member[]): Group['reasons'] => {
  const counts = new Map<string, number>();
  for (const { row, sets } of affected) {
    const own = sets.flatMap(({ ready: { status, reason, failureReasons } }) =>
      status === 'True' ? [] : (failureReasons ?? [row.isFrozen ? 'HealthFrozen' : reason]),
    );
    for (const reason of new Set(own)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, maxReasons);
};
