// What is known, at an instant -> every family that has samples.

import type { Known } from '../verdict/judgement.ts';
import type { Definition, Family } from './family.ts';
import { headRows, indexFamilies, stateRows } from './index-heads.ts';
import { gapRows, watchFamilies, watchRows } from './index-watches.ts';
import { fieldRows } from './message-fields.ts';
import { droppedRows, messageFamilies, secondsRows, valueRows } from './messages.ts';
import {
  type Build,
  buildRows,
  evidenceRows,
  type KeptEvidence,
  type KeptPodLabels,
  ownFamilies,
  patchRows,
  podLabelFamilies,
  podLabelRows,
  type Reload,
  reloadRows,
} from './own.ts';
import { pollDurationRows, pollFamilies, pollRows, targetRows } from './polls.ts';
import { checkRows, reasonRows, reportFamilies, tagSetRows, transitionRows, verdictRows } from './report.ts';
import { currentReports } from './sources.ts';
import { frozenRows, suspectRows, tagRows, trustFamilies } from './trust.ts';
import { readyRows, startedRows, verdictFamilies } from './verdicts.ts';

/** What is kept outside of the process, as far as anything is. */
export interface Kept {
  readonly evidence?: KeptEvidence | undefined;
  readonly podLabels?: KeptPodLabels | undefined;
}

export const families = (
  { snapshot, verdicts }: Known,
  build: Build,
  reload: Reload,
  now: number,
  { evidence, podLabels }: Kept = {},
): readonly Family[] => {
  const reports = currentReports(snapshot, now);
  return [
    ...pollFamilies(snapshot, now),
    ...reportFamilies(snapshot, reports, now),
    ...messageFamilies(reports.flatMap(({ checks }) => checks)),
    ...indexFamilies(snapshot, now),
    ...trustFamilies(snapshot, now),
    ...verdictFamilies(verdicts),
    ...watchFamilies(snapshot, now),
    ...ownFamilies(build, reload, evidence),
    ...podLabelFamilies(podLabels),
  ].filter(({ samples }) => samples.length > 0);
};

/** Every family that there can be, in the order of the page. */
export const definitions: readonly (Definition & Pick<Family, 'type'>)[] = [
  ...targetRows,
  ...pollRows,
  ...pollDurationRows,
  ...tagSetRows,
  ...verdictRows,
  ...checkRows,
  ...reasonRows,
  ...transitionRows,
  ...fieldRows.map((row) => ({ ...row, type: 'gauge' as const })),
  ...valueRows,
  ...secondsRows,
  ...droppedRows,
  ...stateRows,
  ...headRows,
  ...frozenRows,
  ...suspectRows,
  ...tagRows,
  ...readyRows,
  ...startedRows,
  ...watchRows,
  ...gapRows,
  ...buildRows,
  ...reloadRows,
  ...evidenceRows,
  ...podLabelRows,
  ...patchRows,
];
