// The row of a target in a fleet, for page and API: rendered once after its poll, and cached while it is valid.

import { html } from 'hono/html';
import type { Target } from '../../conditions/condition.ts';
import { shownUntil } from '../../conditions/true-until.ts';
import { lastValue } from '../../snapshot/observed.ts';
import type { Level } from '../../sources/source.ts';
import type { Sources } from '../../sources/sources.ts';
import { maxAge } from '../../sources/target-state.ts';
import { isoOf, shortened } from '../../text.ts';
import type { ConditionStatus } from '../condition-status.ts';
import { byMark, exceptionsOf, type Mark, reachMark, tagSetMark, targetMark } from '../marks.ts';
import { type Html, mark, targetHref } from '../parts.ts';
import { type JudgedTagSet, type Present, type TargetOutline, targetOutline } from '../status.ts';
import type { ShownTransition } from '../strip.ts';

export interface FleetRow {
  readonly target: Target;
  readonly wallOffset: number;
  /** Until when the row is valid, inclusive; seconds, steady clock. */
  readonly until: number;
  readonly name: string;
  /** Empty while unknown. */
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly isDown: boolean;
  readonly isFrozen: boolean;
  /** What fires an alert although the target may be healthy. */
  readonly exceptions: readonly string[];
  /** Seconds, steady clock. */
  readonly polledAt: number | undefined;
  /** Seconds after which the state counts as stale. */
  readonly maxAge: number;
  readonly tagSets: readonly RowTagSet[];
  /** As HTML a line of the table; for a healthy target, an entry of the list of names. As JSON its object in the API. */
  readonly text: string;
}

export type RowFormat = 'html' | 'json';

export interface RowTagSet {
  readonly name: string;
  readonly tags: readonly string[];
  readonly ready: ConditionStatus;
  /** Changes of its condition Ready, and removals of the target, after which it is unknown; oldest first. */
  readonly changes: readonly ShownTransition[];
}

export const healths = ['failing', 'uncertain', 'healthy'] as const;

export const healthOf = ({ level }: Pick<FleetRow, 'level'>): (typeof healths)[number] =>
  level === 'bad' ? 'failing' : level === 'good' ? 'healthy' : 'uncertain';

/** Seconds for which the texts of an unhealthy target are valid: they contain ages. */
const textsMaxAge = 10;

export const fleetRow = (
  table: Sources,
  target: Target,
  present: Present,
  transitions: (target: string) => readonly ShownTransition[],
  format: RowFormat,
): FleetRow => {
  const { state } = target;
  const { now, wallOffset } = present;
  const { name, labels } = state.options;
  const status = targetOutline(table, target, present);
  const { level } = targetMark(status);
  const network = lastValue(state.sources.info.network) ?? '';
  const changes = transitions(name).filter(({ condition, kind }) => condition === 'Ready' || kind === 'target-removed');
  return {
    target,
    wallOffset,
    until: Math.min(shownUntil(table, target, now, wallOffset), level === 'good' ? Number.POSITIVE_INFINITY : now + textsMaxAge),
    name,
    network,
    labels,
    level,
    isDown: status.state === 'down',
    isFrozen: status.frozen !== undefined,
    exceptions: exceptionsOf(status),
    polledAt: state.lastPoll?.at,
    maxAge: maxAge(state),
    tagSets: status.tagSets.map((set) => ({
      name: set.name,
      tags: set.tags,
      ready: set.conditions[0],
      changes: changes.filter(({ kind, tagSets }) => kind === 'target-removed' || tagSets?.[0] === set.name),
    })),
    text:
      format === 'json'
        ? JSON.stringify(jsonOf(status, { level, network, target }))
        : String(level === 'good' ? entry(status) : line(status, now + wallOffset)),
  };
};

export const isStillTrue = (row: FleetRow | undefined, target: Target, { now, wallOffset }: Present): row is FleetRow =>
  row?.target === target && row.wallOffset === wallOffset && now <= row.until;

/** As in /api/v1/status, without details of a single node, and without ages, which would change every second. */
const jsonOf = (status: TargetOutline, { level, network, target }: Pick<FleetRow, 'level' | 'network' | 'target'>): object => ({
  name: status.name,
  health: healthOf({ level }),
  url: status.url,
  ...(status.source !== undefined && { source: status.source }),
  ...(network !== '' && { network }),
  labels: target.state.options.labels,
  state: status.state,
  ...(status.reason !== undefined && { reason: status.reason }),
  conditions: status.conditions,
  tagSets: status.tagSets.map(({ name, tags, conditions }) => ({ name, tags, conditions })),
  ...(status.frozen !== undefined && { frozen: { since: status.frozen.since, suspect: status.frozen.suspect } }),
  ...(status.maintenance !== undefined && { maintenance: status.maintenance }),
  ...(status.lastPollAt !== undefined && { lastPollAt: status.lastPollAt }),
});

/** The same words as in the counts above the list. They are not used for a target that is down or frozen. */
const words: Readonly<Record<Level, string>> = { bad: 'failing', warn: 'uncertain', none: 'uncertain', good: 'healthy' };

const stateOf = (target: TargetOutline): Mark => {
  const { level } = targetMark(target);
  if (target.frozen !== undefined) return { level, word: 'frozen' };
  return { level, word: target.state === 'up' ? words[level] : reachMark(target).word };
};

/** Maximum number of tag sets in a line. */
const maxSets = 6;

const entry = ({ name, maintenance }: TargetOutline): Html =>
  html`<li data-key="${name}"><a href="${targetHref(name)}">${name}</a>${maintenance !== undefined && ' (in maintenance)'}</li>
`;

const line = (status: TargetOutline, now: number): Html => {
  const { name, maintenance } = status;
  const sets = status.tagSets.toSorted(byMark(tagSetMark));
  const affected = sets.filter((set) => tagSetMark(set).level !== 'good');
  const since = sinceOf(status, sets);
  return html`<tr role="row" data-key="${name}"><th scope="row" role="rowheader"><a href="${targetHref(name)}">${name}</a></th>
<td role="cell">${mark(stateOf(status))}${maintenance !== undefined && ' in maintenance'}</td>
<td role="cell">${affected.slice(0, maxSets).map((set) => html`${mark({ ...tagSetMark(set), word: set.name })} `)}${affected.length > maxSets && `and ${affected.length - maxSets} more`}</td>
<td role="cell" class="why">${shortened(whyOf(status, sets), 160)}</td>
<td role="cell" class="num">${since !== undefined && shortTime(since, now)}</td></tr>
`;
};

const whyOf = (status: TargetOutline, sets: readonly JudgedTagSet[]): string => {
  const { frozen, reason, conditions } = status;
  if (frozen !== undefined) return `runs no health checks${frozen.suspect === undefined ? '' : `: hangs in ${frozen.suspect}`}`;
  const failed = conditions.find((one) => one.status === 'False');
  const [ready, healthy] = sets[0]?.conditions ?? [];
  const condition = ready?.status === 'True' && healthy?.status !== 'True' ? healthy : ready;
  return reason ?? failed?.message ?? condition?.message ?? '';
};

/** Since when the worst tag set is not ready or not healthy, or the node does not respond: the earlier of the two. */
const sinceOf = ({ frozen, conditions }: TargetOutline, [worst]: readonly JudgedTagSet[]): string | undefined => {
  const affected = worst?.conditions.find(({ status }) => status !== 'True');
  const failed = conditions.find(({ status }) => status === 'False');
  return frozen?.since ?? [affected, failed].flatMap((one) => one?.lastTransitionTime ?? []).sort()[0];
};

/** `11:59:00`, with the date if it is not today. */
const shortTime = (instant: string, now: number): string =>
  instant.slice(0, 10) === isoOf(now).slice(0, 10) ? instant.slice(11, 19) : `${instant.slice(5, 10)} ${instant.slice(11, 16)}`;
