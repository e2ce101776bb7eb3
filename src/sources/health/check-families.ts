// Metric families of each check of the node, whatever its name, from the untagged report.

import { flag, group, type Row } from '../../metrics/family.ts';
import { type Reason, reasonOf } from '../../protocol/reasons.ts';
import type { LastRun } from '../../protocol/time.ts';
import type { HealthState } from './state.ts';
import type { Counts } from './transitions.ts';
import type { NamedCheck } from './worst-first.ts';

/** `never` is not a time. */
const ranAt = (lastRun: LastRun | undefined): number | undefined => (lastRun === 'never' ? undefined : lastRun);

const perCheck = ['target', 'check'] as const;

const checkRows: readonly Row<NamedCheck>[] = [
  {
    name: 'snowgauge_check_healthy',
    type: 'gauge',
    labels: perCheck,
    unit: 'boolean',
    help: '1 if the last run of the check passed. 0 if it failed or has not run yet.',
    source: 'error of the check, absent when it passed',
    value: ({ result }) => flag(result.error === undefined),
  },
  {
    name: 'snowgauge_check_duration_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'seconds',
    help: 'Execution time of the last run of the check.',
    source: 'duration of the check, in nanoseconds there',
    value: ({ result }) => result.duration,
  },
  {
    name: 'snowgauge_check_contiguous_failures',
    type: 'gauge',
    labels: perCheck,
    unit: 'count',
    help: 'Contiguous failures of the check.',
    source: 'contiguousFailures of the check, 0 when absent',
    value: ({ result }) => result.contiguousFailures,
  },
  {
    name: 'snowgauge_check_last_run_timestamp_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'timestamp',
    help: 'Time of the last run of the check, by the node clock. No sample before its first run.',
    source: 'timestamp of the check',
    value: ({ result }) => ranAt(result.timestamp),
  },
  {
    name: 'snowgauge_check_first_failure_timestamp_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'timestamp',
    help: 'Time of the first contiguous failure of the check, by the node clock. No sample while it passes.',
    source: 'timeOfFirstFailure of the check',
    value: ({ result }) => result.timeOfFirstFailure,
  },
];

interface CheckWithReason extends NamedCheck {
  readonly reason: Reason;
}

const reasonRows: readonly Row<CheckWithReason>[] = [
  {
    name: 'snowgauge_check_failure_reason',
    type: 'gauge',
    labels: [...perCheck, 'reason'],
    unit: 'boolean',
    help: '1 for the current failure reason of the check, one of a closed list. No sample while it passes.',
    source: 'name and error of the check',
    stability: 'beta',
    value: () => 1,
  },
];

const failing = (checks: readonly NamedCheck[]): readonly CheckWithReason[] =>
  checks.flatMap(({ check, result }) => {
    const reason = reasonOf(check, result);
    return reason === undefined ? [] : [{ check, result, reason }];
  });

export interface Transition {
  readonly check: string;
  readonly to: 'passing' | 'failing';
  readonly count: number;
}

export const transitionRows: readonly Row<Transition>[] = [
  {
    name: 'snowgauge_check_transitions_total',
    type: 'counter',
    labels: [...perCheck, 'to'],
    unit: 'count',
    help: 'State transitions of the check. Kept after the check is removed from the report.',
    source: 'error and timeOfFirstFailure of the check, report after report',
    value: ({ count }) => count,
  },
];

const states = ['passing', 'failing'] as const satisfies readonly (keyof Counts)[];

export const transitionsIn = ({ transitions }: Pick<HealthState, 'transitions'>): readonly Transition[] =>
  Array.from(transitions).flatMap(([check, counts]) => states.map((to): Transition => ({ check, to, count: counts[to] })));

/** For the checks of the untagged report, while it is current. */
export const checkGroups = [
  group<readonly NamedCheck[], NamedCheck>(
    checkRows,
    (checks) => checks,
    ({ check }) => [check],
  ),
  group<readonly NamedCheck[], CheckWithReason>(reasonRows, failing, ({ check, reason }) => [check, reason]),
];
