// Families of the polls: whether a target answers, how its polls end, and what they tell of the node's rhythm and clock.

import { outcomeKinds } from '../client/outcome.ts';
import { skewOf } from '../snapshot/clock.ts';
import type { Histogram } from '../snapshot/histogram.ts';
import { current } from '../snapshot/observed.ts';
import { apis, maxAge, type Snapshot, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { collect, type Family, flag, type Row } from './family.ts';

interface TargetAt {
  readonly target: TargetSnapshot;
  /** Some tag set's report is no older than staleAfter. */
  readonly up: boolean;
}

const isUp = (target: TargetSnapshot, now: number): boolean =>
  Array.from(target.health.values()).some((observed) => current(observed, now, maxAge(target)) !== undefined);

const lastReportAt = (target: TargetSnapshot): number =>
  Math.max(...Array.from(target.health.values(), (health) => ('at' in health ? health.at : Number.NEGATIVE_INFINITY)));

export const targetRows: readonly Row<TargetAt>[] = [
  {
    name: 'snowgauge_up',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when any GET of health brought a report within staleAfter cadences, healthy or not.',
    source: 'GET /ext/health',
    stability: 'stable',
    value: ({ up }) => flag(up),
  },
  {
    name: 'snowgauge_last_report_timestamp_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'timestamp',
    help: "When the last report arrived, in the exporter's clock. Stays while the node is silent.",
    source: 'GET /ext/health',
    stability: 'stable',
    value: ({ target }) => lastReportAt(target),
  },
  {
    name: 'snowgauge_check_missed_runs_total',
    type: 'counter',
    labels: ['target'],
    unit: 'count',
    help: "Rounds of the node's checks that no poll saw.",
    source: 'timestamp of the checks',
    stability: 'stable',
    value: ({ target }) => target.missedRuns,
  },
  {
    name: 'snowgauge_node_restarts_total',
    type: 'counter',
    labels: ['target'],
    unit: 'count',
    help: "Restarts of the node that were seen: its port was closed in between, or its readiness' own history began anew.",
    source: 'every call, and GET /ext/health/readiness',
    stability: 'beta',
    value: ({ target }) => target.restarts.count,
  },
  {
    name: 'snowgauge_health_cadence_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'seconds',
    help: "Time between two rounds of the node's checks, as seen. No sample until known.",
    source: 'timestamp of the checks',
    stability: 'stable',
    value: ({ target, up }) => (up ? target.cadence.inferred : undefined),
  },
  {
    name: 'snowgauge_clock_skew_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'seconds',
    help: "The node's clock less the exporter's. No sample while unknown.",
    source: 'header Date',
    stability: 'stable',
    value: ({ target, up }) => (up ? skewOf(target.clock) : undefined),
  },
  {
    name: 'snowgauge_health_detection_delay_seconds',
    type: 'histogram',
    labels: ['target'],
    unit: 'seconds',
    help: "Time from the end of a round of the node's checks to the exporter's knowing of it.",
    source: 'timestamp of the checks',
    stability: 'stable',
    value: ({ target }) => target.detectionDelay,
  },
];

interface Poll {
  readonly labels: readonly string[];
  readonly count: number;
}

export const pollRows: readonly Row<Poll>[] = [
  {
    name: 'snowgauge_polls_total',
    type: 'counter',
    labels: ['target', 'api', 'outcome'],
    unit: 'count',
    help: 'Calls to the node, by how they ended. An index that is off, empty or historical is an answer, so its outcome is ok.',
    source: 'every call',
    stability: 'stable',
    nodeMetric: 'avalanche_api_calls',
    value: ({ count }) => count,
  },
];

const pollsOf = (target: TargetSnapshot): readonly Poll[] =>
  apis.flatMap((api) =>
    outcomeKinds.map((outcome) => ({
      labels: [target.options.name, api, outcome],
      count: target.polls.get(api)?.outcomes.get(outcome) ?? 0,
    })),
  );

interface PollDuration {
  readonly labels: readonly string[];
  readonly duration: Histogram;
}

export const pollDurationRows: readonly Row<PollDuration>[] = [
  {
    name: 'snowgauge_poll_duration_seconds',
    type: 'histogram',
    labels: ['target', 'api'],
    unit: 'seconds',
    help: 'Duration of the calls to the node, failed ones included.',
    source: 'every call',
    stability: 'stable',
    value: ({ duration }) => duration,
  },
];

export const pollFamilies = (snapshot: Snapshot, now: number): readonly Family[] => {
  const targets = [...snapshot.targets.values()];
  const durations = targets.flatMap((target) =>
    Array.from(target.polls, ([api, { duration }]): PollDuration => ({ labels: [target.options.name, api], duration })),
  );
  return [
    ...collect(
      targetRows,
      targets.map((target) => ({ target, up: isUp(target, now) })),
      ({ target }) => [target.options.name],
    ),
    ...collect(pollRows, targets.flatMap(pollsOf), ({ labels }) => labels),
    ...collect(pollDurationRows, durations, ({ labels }) => labels),
  ];
};
