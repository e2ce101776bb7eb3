// Families of a target as a whole: availability, identity, conditions and polling.

import type { OutcomeKind } from '../client/outcome.ts';
import type { Target } from '../conditions/condition.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { skewOf } from '../snapshot/clock.ts';
import { current, lastValue } from '../snapshot/observed.ts';
import { missedRunsOf } from '../snapshot/subsecond.ts';
import { lastReportAt } from '../sources/health/state.ts';
import { sources } from '../sources/sources.ts';
import { maxAgeOf } from '../sources/target-state.ts';
import { conditionGroups, isUp } from './condition-families.ts';
import { type FamilyGroup, flag, group, type RenderContext, type Row } from './family.ts';

interface TargetAt extends Target {
  readonly context: RenderContext;
  /** Some tag set's report is no older than staleAfter. */
  readonly up: boolean;
}

const targetRows: readonly Row<TargetAt>[] = [
  {
    name: 'snowgauge_up',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 if any health request returned a report within staleAfter check intervals, healthy or not. No sample before the first poll.',
    source: 'GET /ext/health',
    // A 0 would interrupt the alerts on a node, and count against its error budget, whenever its exporter is restarted.
    value: ({ up, state }) => (up || state.lastPoll !== undefined ? flag(up) : undefined),
  },
  {
    name: 'snowgauge_last_report_timestamp_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'timestamp',
    help: 'Time of the last health report, by the exporter clock. Kept while the node does not respond.',
    source: 'GET /ext/health',
    value: ({ state, context }) => lastReportAt(state.sources.health) + context.wallOffset,
  },
  {
    name: 'snowgauge_node_id_changes_total',
    type: 'counter',
    labels: ['target'],
    unit: 'count',
    help: 'Changes of the NodeID of the target.',
    source: 'header Node-Id',
    stability: 'beta',
    value: ({ state }) => state.nodeIdChanges,
  },
  {
    name: 'snowgauge_node_restarts_total',
    type: 'counter',
    labels: ['target'],
    unit: 'count',
    help: 'Observed restarts of the node: its port was closed in between, or its readiness history was reset.',
    source: 'every request, and GET /ext/health/readiness',
    stability: 'beta',
    value: ({ state }) => state.restarts.count,
  },
  {
    name: 'snowgauge_check_missed_runs_total',
    type: 'counter',
    labels: ['target'],
    unit: 'count',
    help: 'Health check runs of the node that no poll observed. No sample before the check interval is known, and while it is below 1 s.',
    source: 'timestamp of the checks',
    value: ({ state }) => missedRunsOf(state),
  },
  {
    name: 'snowgauge_health_check_interval_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'seconds',
    help: 'Inferred check interval of the node. No sample while unknown or below 1 s.',
    source: 'timestamp of the checks',
    value: ({ state: { interval }, up }) => (up && interval.confirmed !== undefined ? interval.inferred : undefined),
  },
  {
    name: 'snowgauge_clock_skew_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'seconds',
    help: 'Node clock minus exporter clock. No sample while unknown.',
    source: 'header Date',
    value: ({ state, up, context }) => {
      const skew = skewOf(state.clock);
      return up && skew !== undefined ? skew - context.wallOffset : undefined;
    },
  },
  {
    name: 'snowgauge_target_maintenance_end_timestamp_seconds',
    type: 'gauge',
    labels: ['target'],
    unit: 'timestamp',
    help: 'End of the open maintenance window of the target. No sample while none is open.',
    source: 'the configuration, the API, the annotation of the pod',
    stability: 'beta',
    // Not compared with its start: the clock may have been set back since then.
    value: ({ maintenance, context }) =>
      maintenance !== undefined && context.now + context.wallOffset < maintenance.end ? maintenance.end : undefined,
  },
  {
    name: 'snowgauge_target_safe_to_restart',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 if the validator may be taken down for 5 min now, 0 if not. No sample while unknown. snowgauge_node_uptime_budget_seconds is the downtime that its reward allows.',
    source: 'the rules in docs/safe-to-restart.md, over all targets of the exporter',
    stability: 'beta',
    value: ({ safeToRestart: { result = 'unknown' } = {} }) => (result === 'unknown' ? undefined : flag(result === 'safe')),
  },
  {
    name: 'snowgauge_health_detection_delay_seconds',
    type: 'histogram',
    labels: ['target'],
    unit: 'seconds',
    help: 'Delay between the end of a health check run and its observation.',
    source: 'timestamp of the checks',
    value: ({ state }) => state.detectionDelay,
  },
  {
    name: 'snowgauge_poll_duration_seconds',
    type: 'histogram',
    labels: ['target'],
    unit: 'seconds',
    help: 'Duration of the polls of the target, including failed polls.',
    source: 'every poll',
    value: ({ state }) => state.pollDuration,
  },
];

const infoRows: readonly Row<TargetAt>[] = [
  {
    name: 'snowgauge_target_info',
    type: 'gauge',
    labels: ['target', 'url', 'node_id', 'network', 'version', 'source'],
    unit: 'info',
    help: 'Always 1. A label is empty while its value is unknown. `network` is mainnet, fuji or network-ID. `source` is configuration, probe, or the source of discovery, such as kubernetes/0.',
    source: 'the configuration; header Node-Id; info.getNodeID, info.getNetworkID, info.getNodeVersion',
    stability: 'beta',
    value: () => 1,
  },
];

interface Expected {
  readonly nodeId: string;
  readonly isExpected: boolean;
}

const expectedRows: readonly Row<Expected>[] = [
  {
    name: 'snowgauge_target_node_id_expected',
    type: 'gauge',
    labels: ['target', 'node_id'],
    unit: 'boolean',
    help: '1 if the node has the NodeID that the configuration expects, 0 if it has another. No sample if none is expected, or while that of the node is unknown.',
    source: 'the configuration; header Node-Id; info.getNodeID',
    stability: 'beta',
    value: ({ isExpected }) => flag(isExpected),
  },
];

const expectedOf = ({ state: { options, nodeId: actual } }: Target): readonly Expected[] =>
  options.nodeId === undefined || actual === undefined ? [] : [{ nodeId: options.nodeId, isExpected: options.nodeId === actual }];

interface Polls {
  readonly api: string;
  readonly outcome: OutcomeKind;
  readonly count: number;
}

const pollRows: readonly Row<Polls>[] = [
  {
    name: 'snowgauge_polls_total',
    type: 'counter',
    labels: ['target', 'api', 'outcome'],
    unit: 'count',
    help: 'Requests to the node by outcome. An index that is off, empty or historical counts as ok. Requests to an API that is off, or an index that was never on, are not counted.',
    source: 'every request; one that two APIs share counts for both',
    nodeMetric: 'avalanche_api_calls',
    value: ({ count }) => count,
  },
];

/** Exported even while the node does not respond: a node stays in its network, but its version may change. */
const infoLabels = ({ state, context: { now } }: TargetAt): readonly string[] => {
  const { network, version } = state.sources.info;
  const { url, source = 'configuration' } = state.options;
  const running = current(version, now, maxAgeOf(sources.info, state));
  return [shownUrl(url), state.nodeId ?? '', lastValue(network) ?? '', running ?? '', source];
};

const at = (target: Target, context: RenderContext): readonly TargetAt[] => [{ context, up: isUp(target, context), ...target }];

/** In the order of the page. */
export const targetGroups: readonly FamilyGroup<Target>[] = [
  group(targetRows, at),
  group(infoRows, at, infoLabels),
  group(expectedRows, expectedOf, ({ nodeId }) => [nodeId]),
  group(
    pollRows,
    ({ state }) =>
      Array.from(state.polls).flatMap(([api, outcomes]) =>
        Array.from(outcomes, ([outcome, count]): Polls => ({ api, outcome, count })),
      ),
    ({ api, outcome }) => [api, outcome],
  ),
  ...conditionGroups,
];
