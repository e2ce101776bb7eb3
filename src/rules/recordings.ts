// Recording rules: what several alerts and dashboards ask.
//
// Facts of a node come once, without a tag set. Whoever asks about a tag set joins them with snowgauge_tag_set_check_info, which has
// one series for each check of each tag set: many on its side, one on the other. Joins name the labels that differ (`ignoring`), so
// that the labels of a target, and those of a federation, stay a part of the match.

import type { Recording } from './rule.ts';
import { sloRecordings } from './slo.ts';

/** A node that is starting up fails for these too, and nothing is wrong. */
const startupReasons = 'not-yet-run|chain-starting|no-validators';

const everyEvaluation: readonly Recording[] = [
  {
    record: 'snowgauge:ready',
    help: '1 while the condition Ready of a node is True for the tag set, 0 while it is False or Unknown.',
    expr: ({ of }) =>
      `max without (condition, status) (${of('snowgauge_target_condition', 'condition="Ready"', 'status="true"')})`,
  },
  {
    record: 'snowgauge:unhealthy',
    help: '1 while the condition Healthy of a node is False for the tag set, 0 while it is True or Unknown.',
    expr: ({ of }) =>
      `max without (condition, status) (${of('snowgauge_target_condition', 'condition="Healthy"', 'status="false"')})`,
  },
  {
    record: 'snowgauge:poll_failures',
    help: 'Failed requests to a node within `failureWindow`, by api and outcome.',
    // A failure's series begins at 1, of which increase() sees nothing. One that is younger than its `ok` began at 0 before that.
    expr: ({ set, of }) => {
      const failed = of('snowgauge_polls_total', 'outcome!="ok"');
      const ok = of('snowgauge_polls_total', 'outcome="ok"');
      return `(
  ${failed}
  and
  count_over_time(${failed}[${set.failureWindow}]) < ignoring (outcome) group_left () count_over_time(${ok}[${set.failureWindow}])
  or
  increase(${failed}[${set.failureWindow}])
) > 0`;
    },
  },
  {
    record: 'snowgauge:shared_failure',
    help: 'Fraction of the fleet in which one check fails for one reason, if that makes it a network event.',
    expr: ({ set, of }) => {
      const failing = `count by (${set.fleet}, check, reason) (${of('snowgauge_check_failure_reason', `reason=~"${set.sharedReasons}"`)})`;
      return `(
  ${failing}
    / ignoring (reason) group_left ()
  count by (${set.fleet}, check) (${of('snowgauge_check_healthy')})
) >= ${set.sharedRatio}
and
${failing} >= ${set.sharedTargets}`;
    },
  },
  {
    record: 'snowgauge:check_failing',
    help: '1 for each failing check, except for failures due to bootstrapping or a network event.',
    // A chain that bootstraps knows no stake yet: only one that runs has a height.
    expr: ({ set, of }) => `(
  ${of('snowgauge_check_failure_reason', `reason!~"bootstrapping|stake-disconnected|${startupReasons}"`)}
  or
  (
    ${of('snowgauge_check_failure_reason', `reason=~"${startupReasons}"`)}
    unless ignoring (check, reason)
    ${of('snowgauge_bootstrapping_subnets')} > 0
  )
  or
  (
    ${of('snowgauge_check_failure_reason', 'reason="stake-disconnected"')}
    and ignoring (reason, chain)
    label_replace(${of('snowgauge_chain_last_accepted_height')}, "check", "$1", "chain", "(.+)")
  )
)
unless on (${set.fleet}, check, reason)
snowgauge:shared_failure`,
  },
  {
    record: 'snowgauge:check_failing_seconds',
    help: 'How long a check has been failing, corrected for clock skew if it is known.',
    expr: ({ of }) => {
      const since = of('snowgauge_check_first_failure_timestamp_seconds');
      return `(time() - ${since} + ignoring (check) group_left () ${of('snowgauge_clock_skew_seconds')})
or
(time() - ${since})`;
    },
  },
  {
    record: 'snowgauge:tag_set_check_healthy',
    help: '1 if the check passes, 0 if it fails, for each check of each tag set.',
    expr: ({ of }) => `${of('snowgauge_tag_set_check_info')} * ignoring (tag_set) group_left () ${of('snowgauge_check_healthy')}`,
  },
  {
    record: 'snowgauge:tag_set_check_failing',
    help: '`snowgauge:check_failing` for each tag set that the check counts for, with the reason.',
    expr: ({ of }) =>
      `${of('snowgauge_tag_set_check_info')} * ignoring (tag_set, reason) group_left (reason) snowgauge:check_failing`,
  },
  {
    record: 'snowgauge:tag_set_check_failing_seconds',
    help: '`snowgauge:check_failing_seconds` for each tag set that the check counts for, with the reason, whatever it is.',
    expr: ({ of }) => `${of('snowgauge_tag_set_check_info')}
* ignoring (tag_set, reason) group_left (reason)
(
  ${of('snowgauge_check_failure_reason')}
    * ignoring (reason) group_left ()
  snowgauge:check_failing_seconds
)`,
  },
  {
    record: 'snowgauge:tag_set_chain_info',
    help: '1 for each chain of each tag set. Joins families with label `chain` to tag sets.',
    expr: ({ of }) => `max without (check) (label_replace(${of('snowgauge_tag_set_check_info')}, "chain", "$1", "check", "(.+)"))
and ignoring (tag_set)
(${of('snowgauge_chain_connected_ratio')} or ${of('snowgauge_chain_last_accepted_height')})`,
  },
  {
    record: 'snowgauge:chain_connected_ratio',
    help: 'Connected stake of a chain. No sample while the chain bootstraps.',
    expr: ({ of }) => `${of('snowgauge_chain_connected_ratio')} and ${of('snowgauge_chain_last_accepted_height')}`,
  },
  {
    record: 'snowgauge:disk_full_in_seconds',
    help: 'Predicted time until the disk is so full that the node shuts itself down. No sample unless free space is shrinking.',
    expr: ({ set, of }) => {
      const free = of('snowgauge_disk_available_bytes');
      return `(
  (${free} - ${set.diskRequired} * ${free} / ${of('snowgauge_disk_available_ratio')})
  or
  ${free}
)
/ -(deriv(${free}[${set.diskTrendWindow}]) < 0)`;
    },
  },
  {
    record: 'snowgauge:index_stalled',
    help: '0 for each index that has not grown while its chain has. No sample for other indexes.',
    expr: ({ set, of }) => `label_replace(
  changes(${of('snowgauge_index_last_accepted_height', 'index=~"./block"')}[${set.indexWindow}]) == 0,
  'chain', '$1', 'index', "(.)/block"
)
and ignoring (index)
delta(${of('snowgauge_chain_last_accepted_height')}[${set.indexWindow}]) > 0`,
  },
];

export interface RecordingGroup {
  readonly name: string;
  /** Between two evaluations; that of Prometheus unless said. */
  readonly interval?: string;
  readonly recordings: readonly Recording[];
}

export const recordingGroups: readonly RecordingGroup[] = [
  { name: 'snowgauge-recording', recordings: everyEvaluation },
  // Averages of up to 30 days: 21,600 samples of each, at 2m.
  { name: 'snowgauge-slo-recording', interval: '2m', recordings: sloRecordings },
];

export const recordings: readonly Recording[] = recordingGroups.flatMap((group) => group.recordings);
