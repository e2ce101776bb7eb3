// Formats a response of /api/v1/fleet as lines of text, for `snowgauge top`.

import { counted, printable, span, unknownName } from '../text.ts';
import { columnLines, cutTo, type Line } from './columns.ts';
import type { AnsweredCondition, AnsweredGroup, AnsweredTarget, FleetAnswer } from './fleet-answer.ts';
import type { Paint } from './paint.ts';

export const sorts = ['worst', 'name', 'since'] as const;
export type Sort = (typeof sorts)[number];

interface ShownFleet {
  readonly sort: Sort;
  /** Part of a name. */
  readonly filter: string;
  /** How many targets at the start of the list are skipped. */
  readonly offset: number;
  /** Size of the terminal in characters; undefined: no limit. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** A filter of targets. `by`: `network`, `subnet`, or the name of a label; `value`: the value that targets must have. */
export interface FleetFilter {
  readonly by: string;
  readonly isLabel: boolean;
  readonly value: string;
}

/** Names a filter that no target matches, with the names of the groups of all targets. */
export const filterFault = ({ by, isLabel, value }: FleetFilter, groups: readonly AnsweredGroup[]): string => {
  const names = groups.map(({ name }) => name).filter((name) => name !== '');
  return unknownName(isLabel ? `value of label ${by}` : by, value, names.sort());
};

const levels = { failing: 'bad', uncertain: 'warn', healthy: 'plain' } as const;

/** `offset`: how many targets are skipped. Less than requested if there is room for all that follow. */
interface FleetText {
  readonly lines: readonly string[];
  readonly offset: number;
}

/** Two lines of summary, the problems of discovery, the groups, and as many targets as there is room for. */
export const fleetText = (fleet: FleetAnswer, shown: ShownFleet, paint: Paint): FleetText => {
  const { rows: height, columns } = shown;
  const targets = chosen(fleet, shown);
  const most = height === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(height / 3) - 3);
  const groups = columnLines(
    [fleet.by, 'READY', 'FOR', 'WHY'],
    fleet.groups.slice(0, most).map((one) => groupLine(one, fleet)),
    { columns, paint },
  );
  const troubles = discoveryLines(fleet);
  const more = troubles.length > most ? [`discovery: ${troubles.length - most} more, see the page`] : [];
  const found = [...troubles.slice(0, most), ...more].map((line) => paint.warn(cutTo(line, columns)));
  const counts = headOf(fleet).map((line) => cutTo(line, columns));
  if (fleet.unmatched !== undefined)
    return { lines: [...counts, ...found, '', ...noneLines(fleet.unmatched).map((line) => cutTo(line, columns))], offset: 0 };
  const head = [...counts, ...found, '', ...groups, ''];
  const room = height === undefined ? targets.length : Math.max(0, height - head.length - 1);
  const offset = Math.min(shown.offset, Math.max(0, targets.length - room));
  const rows = targets.slice(offset, offset + room).map((one) => targetLine(one, fleet.now));
  const list = columnLines(['TARGET', 'HEALTH', 'NOT READY', 'FOR', 'WHY'], rows, { columns, paint });
  return { lines: [...head, ...list], offset };
};

/** The targets with the requested name, in the requested order. */
const chosen = (
  { targets, now }: FleetAnswer,
  { filter, sort }: Pick<ShownFleet, 'filter' | 'sort'>,
): readonly AnsweredTarget[] => {
  const found = targets.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  if (sort === 'name') return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (sort === 'worst') return found;
  // The most recent change comes first.
  return found.toSorted((a, b) => age(a, now) - age(b, now));
};

const age = (one: AnsweredTarget, now: string): number => {
  const since = sinceOf(one);
  return since === undefined ? Number.MAX_VALUE : Date.parse(now) - Date.parse(since);
};

/** Says which shard has responded, because one of several shards does not have the whole fleet. */
const shardText = ({ shard, totalShards }: FleetAnswer): string =>
  shard === undefined ? '' : `shard ${shard}${totalShards === undefined ? '' : ` of ${totalShards}`}: `;

const headOf = (fleet: FleetAnswer): readonly string[] => {
  const { total, matched, found, counts, polls, now, targets } = fleet;
  const of = matched === total ? counted(total, 'target') : `${matched} of ${counted(total, 'target')}`;
  const more = found > targets.length ? `, the worst ${targets.length} shown` : '';
  const old = [
    polls.frozen > 0 ? `${polls.frozen} frozen` : '',
    polls.stale > 0 ? `${polls.stale} stale` : '',
    polls.notPolledYet > 0 ? `${polls.notPolledYet} not polled yet` : '',
  ].filter((text) => text !== '');
  const isAnyPolled = matched > polls.stale + polls.notPolledYet;
  const polled = isAnyPolled ? [`polled within the last ${span(Math.ceil(polls.longestAgoSeconds))}`] : [];
  return [
    `${shardText(fleet)}${of}: ${counts.failing} failing, ${counts.uncertain} uncertain, ${counts.healthy} healthy${more}`,
    [`as of ${printable(now.slice(11, 19))} UTC`, ...old, ...polled].join(', '),
  ];
};

const noneLines = (unmatched: readonly string[]): readonly string[] =>
  unmatched.length === 0
    ? ['no target matches all filters']
    : unmatched.map((why) => `no target matches: ${printable(why, 500)}`);

/** A line for each source that fails, and for each reason why discovered targets are not watched. */
const discoveryLines = ({ discovery = [] }: FleetAnswer): readonly string[] =>
  discovery.flatMap(({ source, status, message, unwatched }) =>
    [
      ...(status === 'False' ? [`failing: ${message ?? 'no reason given'}`] : []),
      ...unwatched.map((one) => `${one.targets} ${one.reason}: ${one.message} (${one.examples.join(', ')})`),
    ].map((text) => printable(`discovery ${source}: ${text}`, 500)),
  );

const lasting = (since: string | undefined, now: string): string =>
  since === undefined ? '' : span(Math.max(0, Math.round((Date.parse(now) - Date.parse(since)) / 1000)));

const groupLine = (
  { name, targets, ready, failing, unknown, since, reasons }: AnsweredGroup,
  { by, now }: FleetAnswer,
): Line => ({
  cells: [
    name === '' ? `no ${by}` : name,
    `${ready} of ${targets}`,
    lasting(since, now),
    reasons.map(({ reason, targets: many }) => `${reason} (${many})`).join(', '),
  ],
  level: failing > 0 ? 'bad' : unknown > 0 ? 'warn' : 'plain',
});

/** The condition that the line of a target is about: Ready before Healthy, and False before Unknown. */
const worstOf = ({ tagSets }: AnsweredTarget): AnsweredCondition | undefined => {
  for (const type of ['Ready', 'Healthy'])
    for (const status of ['False', 'Unknown'])
      for (const { conditions } of tagSets) {
        const found = conditions.find((one) => one.type === type && one.status === status);
        if (found !== undefined) return found;
      }
  return undefined;
};

/** Started or Live, while it is False. */
const failedOf = ({ conditions }: AnsweredTarget): AnsweredCondition | undefined =>
  conditions.find(({ status }) => status === 'False');

/** As on the fleet page. A silent node does not become unhealthy before its report is stale: it has been silent for longer. */
const sinceOf = (one: AnsweredTarget): string | undefined =>
  one.frozen?.since ?? [worstOf(one), failedOf(one)].flatMap((condition) => condition?.lastTransitionTime ?? []).sort()[0];

const whyOf = (one: AnsweredTarget): string =>
  one.frozen === undefined ? (one.reason ?? (failedOf(one) ?? worstOf(one))?.message ?? '') : 'runs no health checks';

const targetLine = (one: AnsweredTarget, now: string): Line => {
  const unready = one.tagSets.filter(({ conditions }) =>
    conditions.some(({ type, status }) => type === 'Ready' && status !== 'True'),
  );
  const state = one.frozen !== undefined ? 'frozen' : one.state === 'up' ? one.health : one.state;
  return {
    cells: [
      one.name,
      one.maintenance === undefined ? state : `${state}, in maintenance`,
      unready.map(({ name }) => name).join(', '),
      lasting(sinceOf(one), now),
      whyOf(one),
    ],
    level: levels[one.health],
  };
};
