// The events of one poll as log lines: equal ones share a line.

import { groupBy } from '../lists.ts';
import { reasonOf } from '../protocol/reasons.ts';
import type { LogEntry } from '../snapshot/log-entry.ts';
import { tagSetsWith } from '../sources/health/state.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import type { TargetState } from '../sources/target-state.ts';
import { shortened } from '../text.ts';
import { type Draft, recordLimits } from './record.ts';
import { logEntryOf } from './sentence.ts';
import { recordOf } from './target-records.ts';

/** Up to this number of lines per poll, checks with different errors have different lines. */
const maxLines = 10;

export const alike = (records: readonly Draft[], isFirstPass: (check: string) => boolean = () => false): readonly LogEntry[] => {
  const keyOf = ({ kind, condition, from, to, unseen, check = '' }: Draft): string =>
    [kind, condition, to === 'True' ? '' : from, to, unseen, to === 'passing' && isFirstPass(check)].join(' ');
  const byText = groupBy(records, (one) => `${keyOf(one)} ${one.to === 'passing' ? '' : one.error} ${one.message}`);
  const groups = byText.length > maxLines ? groupBy(records, keyOf) : byText;
  return groups.map((group) => logEntryOf(group, isFirstPass(group[0].check ?? '')));
};

/** Reasons for which checks fail while a node starts. */
const ofStart: ReadonlySet<string | undefined> = new Set(['not-yet-run', 'bootstrapping', 'chain-starting']);

/** Failing checks that are not logged yet. A check that has not run since the node started does not count as failing. */
export const newFailures = (
  { sources: { health }, options }: TargetState,
  logged: ReadonlySet<string>,
  records: readonly Draft[],
  isStarting: boolean,
): readonly Draft[] => {
  const report = health.reports.get(health.untagged);
  if (report?.state !== 'fresh') return [];
  const known = new Map(records.filter(({ to }) => to === 'failing').map((record) => [record.check, record]));
  return failingChecks(report.value).flatMap(({ check, result }) => {
    const reason = reasonOf(check, result);
    // Shortened as in records.
    const name = shortened(check, recordLimits.name);
    const record = known.get(name);
    // Logged before, unless it passed between two polls and began to fail again.
    const isLogged = logged.has(name) && record?.kind !== 'check';
    if (isLogged || !health.transitions.has(check) || reason === 'not-yet-run' || (isStarting && ofStart.has(reason))) return [];
    if (record !== undefined) return record;
    const found = recordOf({ kind: 'found-failing', check, to: 'failing', failure: result, result });
    return { ...found, target: options.name, at: report.at, tagSets: tagSetsWith(health, check) };
  });
};

/** Healthy follows from the checks, and Started from responses of the node: they have no line if their cause has one. */
export const conditionLines = (records: readonly Draft[], isStarting: boolean): readonly LogEntry[] => {
  const hasCause = records.some(({ kind, condition }) => kind !== 'condition' || condition === 'Ready');
  return alike(
    records.filter(({ kind, condition, from, to }) => {
      if (kind !== 'condition') return false;
      switch (condition) {
        case 'Live':
          return from === 'False' || to === 'False';
        case 'Ready':
          return !isStarting || from === 'True' || to === 'True';
        case 'Healthy':
          return !isStarting && !hasCause;
        default:
          return false;
      }
    }),
  );
};
