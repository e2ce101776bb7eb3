// GET /ext/health for each tag set, and from time to time for single tags, to see which of them the node knows. Every fact of
// the node is read from the untagged report, once; a tag set adds what the node says of it and which checks count for it.

import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../client/client.ts';
import { describe, type Failure } from '../../client/outcome.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { type LogEntry, withFields } from '../../snapshot/log-entry.ts';
import { failureIn, learntAt, type Observed, observe, observeAnswer, pending } from '../../snapshot/observed.ts';
import { type TagSet, type TargetOptions, untagged } from '../../snapshot/options.ts';
import type { Source } from '../source.ts';
import { healthFamilies } from './families.ts';
import type { HealthAsked, HealthState } from './state.ts';
import { type HealthStatus, healthStatus } from './status.ts';
import { followTags, keptKnowledge, noKnowledge, type TagKnowledge, tagsToAsk } from './tags.ts';
import { countTransitions, type Transitions } from './transitions.ts';
import { failingChecks } from './worst-first.ts';

export const health: Source<HealthState, HealthAsked, object, HealthStatus> = {
  api: 'health',
  start: (options, before) => ({
    untagged: untagged(options).name,
    tagSets: new Map(options.tagSets.map(({ name, tags }) => [name, tags])),
    reports: new Map(options.tagSets.map((tagSet) => [tagSet.name, reportOf(before, tagSet)])),
    transitions: before?.transitions ?? new Map(),
    tags: before === undefined ? noKnowledge(options) : keptKnowledge(before.tags, options),
  }),
  ask: async ({ client, options, before }) => {
    const [reports, tags] = await Promise.all([
      Promise.all(options.tagSets.map(async ({ name, tags }) => [name, await client.health(tags)] as const)),
      Promise.all(tagsToAsk(before.tags).map(async (tag) => [tag, await client.health([tag])] as const)),
    ]);
    return { reports: new Map(reports), tags: new Map(tags) };
  },
  answers: ({ reports, tags }) => [...reports.values(), ...tags.values()],
  observe: (before, asked, step) => {
    const known = before.reports.get(before.untagged) ?? pending;
    const answer = asked.reports.get(before.untagged);
    return {
      ...before,
      // What another process reported is no word of this one.
      reports: mapReports(before, (observed, tagSet) =>
        observeAnswer(step.restarted ? pending : observed, asked.reports.get(tagSet)),
      ),
      transitions: transitionsAfter(before, known, answer, step.restarted),
      tags: followTags({ ...before, options: step.options }, { health: asked.reports, tags: asked.tags }, step.at, step.interval),
    };
  },
  fail: (before, failure, at) => ({ ...before, reports: mapReports(before, (observed) => observe(observed, failure, at)) }),
  learntAt: ({ reports }) => learntAt(reports.values()),
  changes: (before, after, options) => [
    ...[...after.reports].flatMap(([tagSet, report]) =>
      reportChange(before.reports.get(tagSet), report).map((entry) => withFields(entry, { tagSet })),
    ),
    ...tagChanges(before.tags, after.tags, options),
  ],
  families: healthFamilies,
  status: healthStatus,
  // The page has sections of their own for them.
  facts: () => [],
};

/** Of the tag set with these tags, whatever it was called. */
const reportOf = (before: HealthState | undefined, { tags }: TagSet): Observed<HealthReport> => {
  const [name] = Array.from(before?.tagSets ?? []).find(([, former]) => isDeepStrictEqual(former, tags)) ?? [];
  return before?.reports.get(name ?? '') ?? pending;
};

const mapReports = (
  { reports }: HealthState,
  to: (observed: Observed<HealthReport>, tagSet: string) => Observed<HealthReport>,
): HealthState['reports'] => new Map(Array.from(reports, ([tagSet, observed]) => [tagSet, to(observed, tagSet)]));

const transitionsAfter = (
  { transitions }: HealthState,
  before: Observed<HealthReport>,
  answer: Answer<HealthReport> | undefined,
  restarted: boolean,
): Transitions =>
  answer?.outcome.kind === 'ok'
    ? countTransitions({ counts: transitions, before, report: answer.outcome.value, restarted })
    : transitions;

/** Most names of checks in one line: a report may hold any number. */
const maxNames = 20;

const reportChange = (before: Observed<HealthReport> | undefined, after: Observed<HealthReport>): readonly LogEntry[] => {
  const failure = textOf(failureIn(after));
  if (failure !== undefined)
    return failure === textOf(failureIn(before)) ? [] : [{ level: 'warn', message: 'no health report', fields: { failure } }];
  if (after.state !== 'fresh' || before?.state === 'fresh') return [];
  const failing = failingChecks(after.value);
  const fields = {
    healthy: after.value.healthy,
    checks: after.value.checks.size,
    failing: failing.slice(0, maxNames).map(({ check }) => check),
    failingCount: failing.length,
  };
  return [{ level: after.value.healthy ? 'info' : 'warn', message: after.value.healthy ? 'healthy' : 'unhealthy', fields }];
};

const textOf = (failure: Failure | undefined): string | undefined => (failure === undefined ? undefined : describe(failure));

const tagChanges = (before: TagKnowledge, after: TagKnowledge, { tagSets }: TargetOptions): readonly LogEntry[] =>
  tagSets.flatMap((tagSet) =>
    tagSet.tags.flatMap((tag): readonly LogEntry[] => {
      const adds = after.adds.get(tag);
      const was = before.adds.get(tag);
      // That a tag is known is news only after it was not.
      if (adds === undefined || adds === was || (adds && was === undefined)) return [];
      const fields = { tagSet: tagSet.name, tag };
      return adds
        ? [{ level: 'info', message: 'the node has checks for this tag now', fields }]
        : [{ level: 'warn', message: 'the node has no check for this tag: its tag set only looks healthy', fields }];
    }),
  );
