// GET /ext/health for each tag set, and occasionally for single tags, to find out which of them the node knows. Facts about the
// node come from the untagged report only; a tag set adds its own health, and which checks count for it.

import { isDeepStrictEqual } from 'node:util';
import { describe } from '../../client/outcome.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { reportOutline, wholeReport } from '../../protocol/kept-report.ts';
import type { Ongoing } from '../../snapshot/log-entry.ts';
import { failureIn, type Observed, observe, observeAnswer, observedAt, pending, valueIn } from '../../snapshot/observed.ts';
import { type TagSet, type TargetOptions, untagged } from '../../snapshot/options.ts';
import { mapped, type Source } from '../source.ts';
import { healthFamilies } from './families.ts';
import { runMarkAfter } from './run-mark.ts';
import { type HealthAsked, type HealthState, withoutReports } from './state.ts';
import { type HealthStatus, healthStatus } from './status.ts';
import { followTags, keptKnowledge, noKnowledge, type TagKnowledge, tagsToAsk } from './tags.ts';
import { countTransitions } from './transitions.ts';

export const health: Source<HealthState, HealthAsked, object, HealthStatus> = {
  api: 'health',
  start: (options, before) => ({
    untagged: untagged(options).name,
    tagSets: new Map(options.tagSets.map(({ name, tags }) => [name, tags])),
    reports: new Map(options.tagSets.map((tagSet) => [tagSet.name, reportOf(before, tagSet)])),
    transitions: before?.transitions ?? new Map(),
    tags: before === undefined ? noKnowledge(options) : keptKnowledge(before.tags, options),
    runMark: before?.runMark,
    formerReportAt: before?.formerReportAt,
  }),
  ask: async ({ client, options, before }) => {
    const [reports, tags] = await Promise.all([
      Promise.all(
        options.tagSets.map(async ({ name, tags }) => {
          const kept = name === before.untagged ? wholeReport : reportOutline;
          return [name, mapped(await client.health(tags), kept)] as const;
        }),
      ),
      Promise.all(tagsToAsk(before.tags).map(async (tag) => [tag, mapped(await client.health([tag]), reportOutline)] as const)),
    ]);
    return { reports: new Map(reports), tags: new Map(tags) };
  },
  answers: ({ reports, tags }) => [...reports.values(), ...tags.values()],
  restarted: withoutReports,
  observe: (before, asked, step) => {
    const known = before.reports.get(before.untagged) ?? pending;
    const report = valueIn(asked.reports.get(before.untagged));
    return {
      ...before,
      reports: mapReports(before, (observed, tagSet) => observeAnswer(observed, asked.reports.get(tagSet))),
      ...(report && {
        transitions: countTransitions({ counts: before.transitions, before: known, report, restarted: step.restarted }),
        runMark: runMarkAfter(before.runMark, report, step.interval),
      }),
      tags: followTags({ ...before, options: step.options }, asked, step),
    };
  },
  fail: (before, failure, at) => ({ ...before, reports: mapReports(before, (observed) => observe(observed, failure, at)) }),
  observedAt: ({ reports }) => observedAt(reports.values()),
  ongoing: ({ reports, tags }, options) => [
    ...[...reports].flatMap(([tagSet, report]) => failureOf(tagSet, report)),
    ...unknownTags(tags, options),
  ],
  changes: () => [],
  families: healthFamilies,
  status: healthStatus,
  // The page shows them in separate sections.
  facts: () => [],
};

/** Report of the tag set with these tags, whatever its name was. */
const reportOf = (before: HealthState | undefined, { tags }: TagSet): Observed<HealthReport> => {
  const [name] = Array.from(before?.tagSets ?? []).find(([, former]) => isDeepStrictEqual(former, tags)) ?? [];
  return before?.reports.get(name ?? '') ?? pending;
};

const mapReports = (
  { reports }: HealthState,
  to: (observed: Observed<HealthReport>, tagSet: string) => Observed<HealthReport>,
): HealthState['reports'] => new Map(Array.from(reports, ([tagSet, observed]) => [tagSet, to(observed, tagSet)]));

const failureOf = (name: string, report: Observed<HealthReport>): readonly Ongoing[] => {
  const failure = failureIn(report);
  if (failure === undefined) return [];
  const end = 'health report received again';
  return [{ level: 'warn', message: 'no health report', field: 'tagSets', name, value: describe(failure), end }];
};

const unknownTags = ({ adds }: TagKnowledge, { tagSets }: TargetOptions): readonly Ongoing[] =>
  tagSets.flatMap(({ name: value, tags }) =>
    tags
      .filter((tag) => adds.get(tag) === false)
      .map(
        (name): Ongoing => ({
          level: 'warn',
          message: 'no check of the node has this tag: the health of its tag set is meaningless',
          field: 'tags',
          name,
          value,
        }),
      ),
  );
