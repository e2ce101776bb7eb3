// Families of the health reports: of each tag set, and of each check whatever its name.

import { type Reason, reasonOf } from '../protocol/reasons.ts';
import type { LastRun } from '../protocol/time.ts';
import { current } from '../snapshot/observed.ts';
import { maxAge, type Snapshot, type TargetSnapshot } from '../snapshot/snapshot.ts';
import type { Counts } from '../snapshot/transitions.ts';
import { collect, type Family, flag, type Row } from './family.ts';
import type { Check, TagSetReport } from './sources.ts';

/** `never` is no instant. */
export const ranAt = (lastRun: LastRun | undefined): number | undefined => (lastRun === 'never' ? undefined : lastRun);

export const tagSetRows: readonly Row<TagSetReport>[] = [
  {
    name: 'snowgauge_health_healthy',
    type: 'gauge',
    labels: ['target', 'tag_set'],
    unit: 'boolean',
    help: '1 when the node reports healthy for the tag set, which says nothing of checks outside of it.',
    source: 'healthy of GET /ext/health',
    stability: 'stable',
    nodeMetric: 'avalanche_health_checks_failing{check="health"}, which counts the failing checks of a tag',
    value: ({ report }) => flag(report.healthy),
  },
  {
    name: 'snowgauge_checks_dropped',
    type: 'gauge',
    labels: ['target', 'tag_set'],
    unit: 'count',
    help: 'Checks of the report that are not on this page: over 200, or of one name once made well-formed. No sample when none.',
    source: 'checks of GET /ext/health',
    stability: 'stable',
    value: ({ dropped }) => (dropped > 0 ? dropped : undefined),
  },
];

const perCheck = ['target', 'tag_set', 'check'] as const;

export const checkRows: readonly Row<Check>[] = [
  {
    name: 'snowgauge_check_healthy',
    type: 'gauge',
    labels: perCheck,
    unit: 'boolean',
    help: '1 when the last run of the check passed. A check that has not run yet counts as failing, as it does for the node.',
    source: 'error of the check, absent when it passed',
    stability: 'stable',
    value: ({ result }) => flag(result.error === undefined),
  },
  {
    name: 'snowgauge_check_duration_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'seconds',
    help: 'Execution time of the last run of the check.',
    source: 'duration of the check, in nanoseconds there',
    stability: 'stable',
    value: ({ result }) => result.duration,
  },
  {
    name: 'snowgauge_check_contiguous_failures',
    type: 'gauge',
    labels: perCheck,
    unit: 'count',
    help: 'How many times in a row the check failed.',
    source: 'contiguousFailures of the check, 0 when absent',
    stability: 'stable',
    value: ({ result }) => result.contiguousFailures,
  },
  {
    name: 'snowgauge_check_last_run_timestamp_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'timestamp',
    help: "When the check last ran, in the node's clock. No sample before its first run.",
    source: 'timestamp of the check',
    stability: 'stable',
    value: ({ result }) => ranAt(result.timestamp),
  },
  {
    name: 'snowgauge_check_first_failure_timestamp_seconds',
    type: 'gauge',
    labels: perCheck,
    unit: 'timestamp',
    help: "Since when the check has been failing, in the node's clock. No sample while it passes.",
    source: 'timeOfFirstFailure of the check',
    stability: 'stable',
    value: ({ result }) => result.timeOfFirstFailure,
  },
];

interface Failure extends Check {
  readonly reason: Reason;
}

export const reasonRows: readonly Row<Failure>[] = [
  {
    name: 'snowgauge_check_failure_reason',
    type: 'gauge',
    labels: [...perCheck, 'reason'],
    unit: 'boolean',
    help: '1 for the reason that the check fails for, one of a closed list. No sample while it passes.',
    source: 'name and error of the check',
    stability: 'beta',
    value: () => 1,
  },
];

const failuresOf = (checks: readonly Check[]): readonly Failure[] =>
  checks.flatMap((check) => {
    const reason = reasonOf(check.name, check.result);
    return reason === undefined ? [] : [{ ...check, reason }];
  });

interface TargetAt {
  readonly target: TargetSnapshot;
  readonly now: number;
}

export const verdictRows: readonly Row<TargetAt>[] = [
  {
    name: 'snowgauge_readiness_healthy',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when the node has finished initializing. The node latches it.',
    source: 'healthy of GET /ext/health/readiness',
    stability: 'stable',
    nodeMetric: 'avalanche_health_checks_failing{check="readiness"}',
    value: ({ target, now }) => healthyOf(current(target.readiness, now, maxAge(target))),
  },
  {
    name: 'snowgauge_liveness_healthy',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when the node can handle requests.',
    source: 'healthy of GET /ext/health/liveness',
    stability: 'stable',
    nodeMetric: 'avalanche_health_checks_failing{check="liveness"}',
    value: ({ target, now }) => healthyOf(current(target.liveness, now, maxAge(target))),
  },
];

const healthyOf = (report: { readonly healthy: boolean } | undefined): number | undefined =>
  report === undefined ? undefined : flag(report.healthy);

interface Transition {
  readonly labels: readonly [target: string, tagSet: string, check: string, to: keyof Counts];
  readonly count: number;
}

export const transitionRows: readonly Row<Transition>[] = [
  {
    name: 'snowgauge_check_transitions_total',
    type: 'counter',
    labels: [...perCheck, 'to'],
    unit: 'count',
    help: 'How often the check began to pass or to fail. Stays when the check is gone.',
    source: 'error and timeOfFirstFailure of the check, report after report',
    stability: 'stable',
    value: ({ count }) => count,
  },
];

const transitionsOf = (target: TargetSnapshot): readonly Transition[] =>
  Array.from(target.transitions).flatMap(([tagSet, checks]) =>
    Array.from(checks).flatMap(([check, counts]) =>
      (['passing', 'failing'] as const).map(
        (to): Transition => ({ labels: [target.options.name, tagSet, check, to], count: counts[to] }),
      ),
    ),
  );

export const reportFamilies = (snapshot: Snapshot, reports: readonly TagSetReport[], now: number): readonly Family[] => {
  const targets = [...snapshot.targets.values()];
  const checks = reports.flatMap((one) => one.checks);
  return [
    ...collect(tagSetRows, reports, ({ target, tagSet }) => [target, tagSet]),
    ...collect(
      verdictRows,
      targets.map((target) => ({ target, now })),
      ({ target }) => [target.options.name],
    ),
    ...collect(checkRows, checks, ({ target, tagSet, check }) => [target, tagSet, check]),
    ...collect(reasonRows, failuresOf(checks), ({ target, tagSet, check, reason }) => [target, tagSet, check, reason]),
    ...collect(transitionRows, targets.flatMap(transitionsOf), ({ labels }) => labels),
  ];
};
