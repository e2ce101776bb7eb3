// The events of one poll as lines of the log: those that say the same are one line.

import { reasonOf } from '../protocol/reasons.ts';
import type { LogEntry } from '../snapshot/log-entry.ts';
import { tagSetsWith } from '../sources/health/state.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import type { TargetState } from '../sources/target-state.ts';
import { shortened } from '../text.ts';
import { groupBy } from './group-by.ts';
import { type Draft, recordLimits } from './record.ts';
import { logEntryOf } from './sentence.ts';
import { recordOf } from './target-records.ts';

/** Most lines of one poll that are told apart by what a check says. */
const maxLines = 10;

export const alike = (records: readonly Draft[], isFirstPass: (check: string) => boolean = () => false): readonly LogEntry[] => {
  const keyOf = ({ kind, condition, from, to, unseen, check = '' }: Draft): string =>
    [kind, condition, to === 'True' ? '' : from, to, unseen, to === 'passing' && isFirstPass(check)].join(' ');
  const whole = groupBy(records, (one) => `${keyOf(one)} ${one.to === 'passing' ? '' : one.error} ${one.message}`);
  const groups = whole.length > maxLines ? groupBy(records, keyOf) : whole;
  return groups.map((group) => logEntryOf(group, isFirstPass(group[0].check ?? '')));
};

/** Why a check fails while a node starts. */
const ofStart: ReadonlySet<string | undefined> = new Set(['not-yet-run', 'bootstrapping', 'chain-starting']);

/** The checks that fail and of which that was not said; one that has not run since the node started says nothing yet. */
export const newFailures = (
  { sources: { health }, options }: TargetState,
  said: ReadonlySet<string>,
  records: readonly Draft[],
  isStarting: boolean,
): readonly Draft[] => {
  const report = health.reports.get(health.untagged);
  if (report?.state !== 'fresh') return [];
  const known = new Map(records.filter(({ to }) => to === 'failing').map((record) => [record.check, record]));
  return failingChecks(report.value).flatMap(({ check, result }) => {
    const reason = reasonOf(check, result);
    // As records have it.
    const name = shortened(check, recordLimits.name);
    const record = known.get(name);
    // One that passed between two polls began to fail again.
    const again = said.has(name) && record?.kind !== 'check';
    if (again || !health.transitions.has(check) || reason === 'not-yet-run' || (isStarting && ofStart.has(reason))) return [];
    if (record !== undefined) return record;
    const found = recordOf({ kind: 'found-failing', check, to: 'failing', failure: result, result });
    return { ...found, target: options.name, at: report.at, tagSets: tagSetsWith(health, check) };
  });
};

/** Healthy follows from the checks of a report, Started from whether the node answers: both are told by what they follow from. */
export const conditionLines = (records: readonly Draft[], isStarting: boolean): readonly LogEntry[] => {
  const isTold = records.some(({ kind, condition }) => kind !== 'condition' || condition === 'Ready');
  return alike(
    records.filter(({ kind, condition, from, to }) => {
      if (kind !== 'condition') return false;
      switch (condition) {
        case 'Live':
          return from === 'False' || to === 'False';
        case 'Ready':
          return !isStarting || from === 'True' || to === 'True';
        case 'Healthy':
          return !isStarting && !isTold;
        default:
          return false;
      }
    }),
  );
};
