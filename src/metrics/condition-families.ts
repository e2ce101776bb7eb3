// Families of a target's conditions, and whether its health checks still run.

import type { Target } from '../conditions/condition.ts';
import { frozenStall } from '../conditions/doubt.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import { current } from '../snapshot/observed.ts';
import { isUnreported } from '../snapshot/process.ts';
import type { Stall } from '../snapshot/stall.ts';
import { stallOf } from '../sources/stall.ts';
import { type FamilyGroup, flag, group, type RenderContext, type Row } from './family.ts';

const statuses = ['true', 'false', 'unknown'] as const;

interface StatusOfCondition {
  readonly condition: string;
  readonly tagSet: string;
  readonly status: (typeof statuses)[number];
  readonly holds: boolean;
}

const conditionRows: readonly Row<StatusOfCondition>[] = [
  {
    name: 'snowgauge_target_condition',
    type: 'gauge',
    labels: ['target', 'condition', 'tag_set', 'status'],
    unit: 'boolean',
    help: '1 for the current status of the condition, 0 for the other two. Ready and Healthy have a tag set. No sample before the first poll.',
    source: 'GET /ext/health, by the rules in docs/probes.md',
    value: ({ holds }) => flag(holds),
  },
];

const conditionsOf = ({ state, conditions }: Target, { now }: RenderContext): readonly StatusOfCondition[] => {
  const { started, live, ready, healthy } = conditionsAt(conditions, state, now);
  const all = [
    { condition: 'Started', tagSet: '', is: started },
    { condition: 'Live', tagSet: '', is: live },
    ...Array.from(ready, ([tagSet, is]) => ({ condition: 'Ready', tagSet, is })),
    ...Array.from(healthy, ([tagSet, is]) => ({ condition: 'Healthy', tagSet, is })),
  ];
  const known = all.filter(({ is }) => is.reason !== 'NotPolled');
  return known.flatMap(({ condition, tagSet, is }) =>
    statuses.map((status): StatusOfCondition => ({ condition, tagSet, status, holds: is.status.toLowerCase() === status })),
  );
};

/** Some tag set's report is no older than staleAfter. */
export const isUp = ({ state }: Target, { now, maxAge }: RenderContext): boolean =>
  Array.from(state.sources.health.reports.values()).some((observed) => current(observed, now, maxAge) !== undefined);

/** A failed poll does not end a freeze, as in the conditions. */
const stallsOf = (target: Target, context: RenderContext): readonly Stall[] => {
  const { state } = target;
  const last = isUp(target, context) && !isUnreported(state.process) ? frozenStall(state, context.now) : undefined;
  return [stallOf(state, context.now) ?? last].filter((stall) => stall !== undefined);
};

const frozenRows: readonly Row<Stall>[] = [
  {
    name: 'snowgauge_health_frozen',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 if no health check has run for frozenAfter check intervals although the API responds, or did until the last poll failed. No sample while unknown.',
    source: 'timestamp of the checks, header Date',
    value: ({ frozen }) => flag(frozen),
  },
];

const suspectRows: readonly Row<string>[] = [
  {
    name: 'snowgauge_health_frozen_suspect',
    type: 'gauge',
    labels: ['target', 'check'],
    unit: 'boolean',
    help: '1 for the check with the oldest timestamp while health is frozen. The other checks may wait for it.',
    source: 'timestamp of the checks',
    value: () => 1,
  },
];

export const conditionGroups: readonly FamilyGroup<Target>[] = [
  group(conditionRows, conditionsOf, ({ condition, tagSet, status }) => [condition, tagSet, status]),
  group<Target, Stall>(frozenRows, stallsOf),
  group<Target, string>(
    suspectRows,
    (target, context) => stallsOf(target, context).flatMap(({ frozen, suspect }) => (frozen ? (suspect ?? []) : [])),
    (check) => [check],
  ),
];
