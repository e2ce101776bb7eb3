// What is worth a line in the log when one snapshot of a target follows another, beside its transitions: those are evidence,
// and each is a line of its own.

import { describe } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { watchChanges } from './index-changes.ts';
import type { IndexHead } from './index-head.ts';
import type { Observed } from './observed.ts';
import type { TargetSnapshot } from './snapshot.ts';

export interface Change {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Most names of checks in one line: a report may hold any number. */
const mostNames = 20;

export const changes = (before: TargetSnapshot, after: TargetSnapshot): readonly Change[] => {
  const found: Change[] = [];
  for (const [tagSet, health] of after.health) {
    found.push(...healthChange(before.health.get(tagSet), health).map((change) => withFields(change, { tagSet })));
  }
  for (const [index, head] of after.indexes) {
    found.push(...indexChange(before.indexes.get(index), head).map((change) => withFields(change, { index })));
  }
  found.push(...tagChange(before, after));
  for (const [index, watch] of after.watches) {
    found.push(...watchChanges(before.watches.get(index), watch).map((change) => withFields(change, { index })));
  }
  const { inferred } = after.cadence;
  const known = before.cadence.inferred;
  if (inferred !== undefined && (known === undefined || Math.abs(inferred - known) > 0.1 * known)) {
    found.push({
      level: 'info',
      message: 'the node checks its health at this cadence',
      fields: { seconds: Math.round(inferred * 1000) / 1000 },
    });
  }
  return found.map((change) => withFields(change, { target: after.options.name }));
};

const withFields = (change: Change, fields: Readonly<Record<string, unknown>>): Change => ({
  ...change,
  fields: { ...fields, ...change.fields },
});

const failureOf = (observed: Observed<unknown> | undefined): string | undefined =>
  observed?.state === 'stale' || observed?.state === 'failed' ? describe(observed.failure) : undefined;

const healthChange = (before: Observed<HealthReport> | undefined, after: Observed<HealthReport>): readonly Change[] => {
  const failure = failureOf(after);
  if (failure !== undefined)
    return failure === failureOf(before) ? [] : [{ level: 'warn', message: 'no health report', fields: { failure } }];
  if (after.state !== 'fresh' || before?.state === 'fresh') return [];
  const names = failing(after.value);
  const fields = {
    healthy: after.value.healthy,
    checks: after.value.checks.size,
    failing: names.slice(0, mostNames),
    failingCount: names.length,
  };
  return [{ level: after.value.healthy ? 'info' : 'warn', message: after.value.healthy ? 'healthy' : 'unhealthy', fields }];
};

const failing = (report: HealthReport): readonly string[] =>
  [...report.checks].filter(([, { error }]) => error !== undefined).map(([name]) => name);

const tagChange = (before: TargetSnapshot, { options, tags }: TargetSnapshot): readonly Change[] =>
  options.tagSets.flatMap((tagSet) =>
    tagSet.tags.flatMap((tag): readonly Change[] => {
      const adds = tags.adds.get(tag);
      const was = before.tags.adds.get(tag);
      // That a tag is known is news only after it was not.
      if (adds === undefined || adds === was || (adds && was === undefined)) return [];
      const fields = { tagSet: tagSet.name, tag };
      return adds
        ? [{ level: 'info', message: 'the node has checks for this tag now', fields }]
        : [{ level: 'warn', message: 'the node has no check for this tag: its tag set only looks healthy', fields }];
    }),
  );

const indexChange = (before: Observed<IndexHead> | undefined, after: Observed<IndexHead>): readonly Change[] => {
  const failure = failureOf(after);
  if (failure !== undefined)
    return failure === failureOf(before) ? [] : [{ level: 'warn', message: 'no answer from the index', fields: { failure } }];
  if (after.state !== 'fresh') return [];
  const known = before?.state === 'fresh' ? before.value.state : undefined;
  return known === after.value.state ? [] : [{ level: 'info', message: 'index', fields: { state: after.value.state } }];
};
