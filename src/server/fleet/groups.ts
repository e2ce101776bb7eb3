// The targets of a fleet by subnet, network or a label: how many are ready of how many, since when, and why not.

import type { Status } from '../../conditions/condition.ts';
import { groupBy } from '../../events/group-by.ts';
import { least } from '../../lists.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { Window } from '../strip.ts';
import { type FleetAsked, isSubnet, labelOf } from './asked.ts';
import { type Heat, heatOf } from './heat.ts';
import type { FleetRow, RowTagSet } from './row.ts';

export interface Group {
  /** Empty: those that have none. */
  readonly name: string;
  /** Of a subnet: its tags, as its first target has them; none is the whole node. */
  readonly tags?: readonly string[];
  readonly targets: number;
  readonly ready: number;
  readonly notReady: number;
  readonly unknown: number;
  /** Of those that are not ready or unknown: when the first and the last of them became so. */
  readonly since?: string;
  readonly latest?: string;
  /** Why those are so, in the words of their conditions, the commonest first. */
  readonly reasons: readonly (readonly [reason: string, targets: number])[];
  readonly heat: Heat;
}

interface Member {
  readonly group: string;
  readonly row: FleetRow;
  /** Of those that count. */
  readonly sets: readonly RowTagSet[];
}

export interface Times {
  readonly window: Window;
  /** Seconds since the Unix epoch. */
  readonly startedAt: number;
  readonly heldFrom: (target: string) => number | undefined;
}

/** Most of one answer: the worst. */
const maxGroups = 50;
const maxReasons = 3;

/** The worst first; and how many of them are left out. */
export const groupsOf = async (
  rows: readonly FleetRow[],
  { by, subnet }: FleetAsked,
  times: Times,
): Promise<{ readonly groups: readonly Group[]; readonly leftOut: number }> => {
  const members = rows.flatMap((row) => membersOf(row, by, subnet));
  const ranked = groupBy(members, ({ group }) => group)
    .map((of) => ({ of, ill: of.filter(({ sets }) => together(sets) !== 'True') }))
    .sort((a, b) => badness(b) - badness(a));
  const groups: Group[] = [];
  for (const one of ranked.slice(0, maxGroups)) {
    // The strip of a large one takes a few milliseconds, and so does what comes before and after them.
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

/** Several together are as bad as the worst. */
const together = (sets: readonly RowTagSet[]): Status => {
  if (sets.some(({ ready }) => ready.status === 'False')) return 'False';
  return sets.some(({ ready }) => ready.status === 'Unknown') ? 'Unknown' : 'True';
};

interface Ranked {
  readonly of: readonly Member[];
  readonly ill: readonly Member[];
}

/** The share that is not ready; what is unknown comes after that, and what is not polled yet is like it. */
const badness = ({ of, ill }: Ranked): number =>
  (ill.filter(({ sets }) => together(sets) === 'False').length + ill.length / 1000) / of.length;

const groupOf = ({ of, ill }: Ranked, by: string, { window, startedAt, heldFrom }: Times): Group => {
  const notReady = ill.filter(({ sets }) => together(sets) === 'False').length;
  const illSets = ill.flatMap(({ sets }) => sets.filter(({ ready }) => ready.status !== 'True'));
  const instants = illSets.flatMap(({ ready }) => ready.lastTransitionTime ?? []).sort();
  const [since, latest] = [instants[0], instants.at(-1)];
  return {
    name: of[0]?.group ?? '',
    ...(by === 'subnet' && { tags: of[0]?.sets[0]?.tags ?? [] }),
    targets: of.length,
    ready: of.length - ill.length,
    notReady,
    unknown: ill.length - notReady,
    ...(since !== undefined && latest !== undefined && { since, latest }),
    reasons: reasonsOf(ill),
    heat: heatOf(
      of.map(({ row, sets }) => ({ sets, seen: { since: knownSince(row.name, sets, startedAt, heldFrom), begun: startedAt } })),
      window,
    ),
  };
};

const knownSince = (name: string, sets: readonly RowTagSet[], startedAt: number, heldFrom: Times['heldFrom']): number =>
  heldFrom(name) ?? Math.min(startedAt, least(sets.flatMap(({ changes: [first] }) => first?.at ?? [])));

const reasonsOf = (ill: readonly Member[]): Group['reasons'] => {
  const counts = new Map<string, number>();
  for (const { row, sets } of ill) {
    const own = sets.flatMap(({ ready: { status, reason, failureReasons } }) =>
      status === 'True' ? [] : (failureReasons ?? [row.isFrozen ? 'HealthFrozen' : reason]),
    );
    for (const reason of new Set(own)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, maxReasons);
};
