// The data of a fleet for page and API: targets that match a query, worst first, their groups, and how current their state is.

import type { Level } from '../../sources/source.ts';
import { levelRank, worst } from '../marks.ts';
import type { Present } from '../status.ts';
import { windowOf } from '../strip.ts';
import { type FleetAsked, isAskedFor, isSubnet } from './asked.ts';
import { type Group, groupsOf, type Times } from './groups.ts';
import { type FleetRow, healthOf, type healths } from './row.ts';

export interface Fleet {
  readonly asked: FleetAsked;
  /** Seconds since the Unix epoch. */
  readonly now: number;
  /** Number of all targets, whatever the filters. */
  readonly total: number;
  /** Number of targets that match the filters, whatever their health. */
  readonly matched: number;
  readonly counts: Readonly<Record<(typeof healths)[number], number>>;
  /** The worst level of the matching targets; `none` if there are none. */
  readonly level: Level;
  /** What fires an alert although the matching targets may be healthy, each with its target. */
  readonly exceptions: readonly string[];
  /** One page of the matching targets with the requested health, worst first: from `asked.from` on, at most `asked.limit`. */
  readonly rows: readonly FleetRow[];
  readonly found: number;
  readonly groups: readonly Group[];
  readonly groupsLeftOut: number;
  readonly window: Times['window'];
  readonly polls: Polls;
  /** Filter values that a user can select, from all targets. */
  readonly facets: readonly Facet[];
}

/** How old the state of the matching targets is. All but `within` are numbers of targets. */
export interface Polls {
  /** The node responds, but runs no health checks. */
  readonly frozen: number;
  readonly never: number;
  /** The last poll was longer ago than the target's `maxAge`. */
  readonly late: number;
  /** The longest time since a last poll, in seconds; late targets are excluded. */
  readonly within: number;
}

export interface Facet {
  /** `network`, `subnet`, or the name of a label. */
  readonly name: string;
  readonly isLabel: boolean;
  /** The most common value first. */
  readonly values: readonly (readonly [value: string, targets: number])[];
}

interface Moment extends Present, Pick<Times, 'heldFrom'> {
  /** Seconds, steady clock. */
  readonly startedAt: number;
}

export const fleetOf = async (all: readonly FleetRow[], asked: FleetAsked, moment: Moment): Promise<Fleet> => {
  const { wallOffset, heldFrom } = moment;
  const [now, startedAt] = [moment.now + wallOffset, moment.startedAt + wallOffset];
  const matched = all.filter((row) => isAskedFor(row, asked));
  const counts = { failing: 0, uncertain: 0, healthy: 0 };
  for (const row of matched) counts[healthOf(row)] += 1;
  const found = (asked.health === undefined ? matched : matched.filter((row) => healthOf(row) === asked.health)).toSorted(
    (a, b) => placeOf(a, asked) - placeOf(b, asked),
  );
  const firstChange = matched
    .flatMap(({ tagSets }) => tagSets.flatMap(({ changes: [first] }) => first?.at ?? []))
    .reduce((earliest, at) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
  const window = windowOf(Math.min(startedAt, firstChange), now);
  const { groups, leftOut } = await groupsOf(matched, asked, { window, startedAt, heldFrom });
  return {
    asked,
    now,
    total: all.length,
    matched: matched.length,
    counts,
    level: matched.length === 0 ? 'none' : worst(matched),
    exceptions: matched.flatMap(({ name, exceptions }) => exceptions.map((part) => `${part} of ${name}`)),
    rows: found.slice(asked.from, asked.from + asked.limit),
    found: found.length,
    groups,
    groupsLeftOut: leftOut,
    window,
    polls: pollsOf(matched, moment.now),
    facets: facetsOf(all),
  };
};

/**
 * The sort key of a target. If a subnet is requested, targets that are not ready for it come first. Targets with the same key keep the
 * order of the configuration.
 */
const placeOf = ({ level, tagSets }: FleetRow, { subnet }: FleetAsked): number => {
  const isIll = subnet !== undefined && tagSets.some((set) => isSubnet(set, subnet) && set.ready.status !== 'True');
  return levelRank[level] - (isIll ? 4 : 0);
};

const pollsOf = (rows: readonly FleetRow[], now: number): Polls => {
  let [frozen, never, late, within] = [0, 0, 0, 0];
  for (const { isFrozen, polledAt, maxAge } of rows) {
    if (isFrozen) frozen += 1;
    if (polledAt === undefined) never += 1;
    else if (now - polledAt > maxAge) late += 1;
    else within = Math.max(within, now - polledAt);
  }
  return { frozen, never, late, within };
};

const maxFacets = 10;
const maxValues = 30;

const facetsOf = (rows: readonly FleetRow[]): readonly Facet[] => {
  const counted = new Map<string, Map<string, number>>();
  const count = (name: string, value: string): void => {
    const values = counted.get(name) ?? new Map<string, number>();
    counted.set(name, values.set(value, (values.get(value) ?? 0) + 1));
  };
  for (const { network, tagSets, labels } of rows) {
    if (network !== '') count('network', network);
    for (const { name } of tagSets) count('subnet', name);
    for (const [name, value] of Object.entries(labels)) count(`label ${name}`, value);
  }
  return [...counted].slice(0, maxFacets).map(([key, values]) => {
    const isLabel = key.startsWith('label ');
    const commonest = [...values].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, maxValues);
    return { name: isLabel ? key.slice(6) : key, isLabel, values: commonest };
  });
};
