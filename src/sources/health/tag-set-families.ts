// Metric families of the tag sets: the health of each, and which checks count for it.

import { type FamilyGroup, flag, group, type Row, readOnce } from '../../metrics/family.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { boundedChecks, maxChecks } from './checks.ts';
import type { NamedCheck } from './worst-first.ts';

/** A tag set with a current report. */
export interface TagSetReport {
  readonly tagSet: string;
  readonly report: HealthReport;
}

const perTagSet = ['target', 'tag_set'] as const;

export const tagSetRows: readonly Row<TagSetReport>[] = [
  {
    name: 'snowgauge_health_healthy',
    type: 'gauge',
    labels: perTagSet,
    unit: 'boolean',
    help: '1 if the node reports healthy for the tag set. Checks outside of the tag set do not count.',
    source: 'healthy of GET /ext/health',
    nodeMetric: 'avalanche_health_checks_failing{check="health"}, which counts the failing checks of a tag',
    value: ({ report }) => flag(report.healthy),
  },
  {
    name: 'snowgauge_tag_set_failing_checks',
    type: 'gauge',
    labels: perTagSet,
    unit: 'count',
    help: 'Failing checks that count for the tag set.',
    source: 'checks of GET /ext/health with the tags of the tag set',
    value: ({ report }) => {
      let failing = 0;
      for (const { error } of report.checks.values()) if (error !== undefined) failing += 1;
      return failing;
    },
  },
];

/** A check that counts for a tag set. */
interface Membership {
  readonly tagSet: string;
  readonly check: string;
}

const membershipRows: readonly Row<Membership>[] = [
  {
    name: 'snowgauge_tag_set_check_info',
    type: 'gauge',
    labels: [...perTagSet, 'check'],
    unit: 'info',
    help: '1 for each check that counts for the tag set. Join it with the metrics of the checks.',
    source: 'checks of GET /ext/health with the tags of the tag set',
    value: () => 1,
  },
];

const droppedRows: readonly Row<Counted>[] = [
  {
    name: 'snowgauge_tag_set_checks_dropped',
    type: 'gauge',
    labels: perTagSet,
    unit: 'count',
    help: 'Checks of the tag set without a sample of snowgauge_tag_set_check_info: over the limit of 200, or over the equal share of 2000 for all tag sets of the target. No sample if none.',
    source: 'checks of GET /ext/health with the tags of the tag set',
    value: ({ dropped }) => (dropped > 0 ? dropped : undefined),
  },
];

/** Limit for all tag sets of a target: a node with a hundred subnets has half of it. */
export const maxMemberships = 2000;

interface Counted {
  readonly tagSet: string;
  readonly checks: readonly NamedCheck[];
  readonly dropped: number;
}

const countedIn = (reports: readonly TagSetReport[]): readonly Counted[] => {
  let total = 0;
  for (const { report } of reports) total += Math.min(report.checks.size, maxChecks);
  const maxPerTagSet = total <= maxMemberships ? maxChecks : Math.floor(maxMemberships / reports.length);
  return reports.map(({ tagSet, report }) => {
    const checks = boundedChecks(report, maxPerTagSet);
    return { tagSet, checks, dropped: report.checks.size - checks.length };
  });
};

const counted: readonly FamilyGroup<readonly Counted[]>[] = [
  group<readonly Counted[], Membership>(
    membershipRows,
    (all) => all.flatMap(({ tagSet, checks }) => checks.map(({ check }) => ({ tagSet, check }))),
    ({ tagSet, check }) => [tagSet, check],
  ),
  group<readonly Counted[], Counted>(
    droppedRows,
    (all) => all,
    ({ tagSet }) => [tagSet],
  ),
];

/** Selects the checks of each tag set once for both groups. */
export const membershipGroup = readOnce(countedIn, counted);

export interface KnownTag {
  readonly tagSet: string;
  readonly tag: string;
  readonly adds: boolean;
}

export const tagRows: readonly Row<KnownTag>[] = [
  {
    name: 'snowgauge_tag_known',
    type: 'gauge',
    labels: [...perTagSet, 'tag'],
    unit: 'boolean',
    help: '1 if the node has a check with the tag. If 0, only global checks are reported for it.',
    source: 'checks of GET /ext/health with the tag, and with one that nothing has',
    value: ({ adds }) => flag(adds),
  },
];
