// The checks of a target: those that do not pass are shown with all details, the others are collapsed.

import { html } from 'hono/html';
import { notYetRun } from '../protocol/reasons.ts';
import type { CheckStatus } from '../sources/health/check-status.ts';
import { shortened, span } from '../text.ts';
import { checkStrip, type History } from './history.ts';
import { checkMark } from './marks.ts';
import { messageFields } from './message.ts';
import { clockTime, type Html, lasting, mark, tableHead, when } from './parts.ts';
import type { TargetStatus } from './status.ts';

export const checksSection = (target: TargetStatus, history: History, maxShown: number): Html | false => {
  const { checks = [], checksLeftOut = 0 } = target;
  if (checks.length === 0) return false;
  const shown = checks.slice(0, maxShown);
  const wrong = shown.filter((check) => check.state !== 'passing');
  const passing = shown.filter((check) => check.state === 'passing');
  const more = checksLeftOut + checks.length - shown.length;
  const section: Section = { isOld: areOld(target), history, tagSets: target.tagSets.length };
  return html`<h3>Checks</h3>
${
  wrong.length === 0
    ? html`<p>${mark({ level: section.isOld ? 'warn' : 'good', word: allPass(checks.length + checksLeftOut, section.isOld) })}</p>`
    : html`<ul class="checks">
${wrong.map((check) => card(check, section))}</ul>`
}
${passing.length > 0 && html`<details data-key="passing"><summary>${passing.length} passing</summary>${passingTable(passing, section)}</details>`}
${more > 0 && html`<p class="note warn">${more === 1 ? '1 more check is' : `${more} more checks are`} not shown; these are the worst.</p>`}
`;
};

const allPass = (checks: number, isOld: boolean): string => {
  const all = checks === 1 ? '1' : `All ${checks}`;
  return isOld ? `${all} passed in the last report` : `${all} ${checks === 1 ? 'passes' : 'pass'}`;
};

interface Section {
  readonly isOld: boolean;
  readonly history: History;
  /** Number of tag sets of the target. */
  readonly tagSets: number;
}

/** Whether the results are outdated: the report is not current, no checks run any more, or the process that ran them has ended. */
const areOld = ({ tagSets, frozen, process }: TargetStatus): boolean =>
  frozen !== undefined ||
  process === 'gone' ||
  process === 'starting' ||
  tagSets.find(({ tags }) => tags.length === 0)?.freshness !== 'current';

const card = (
  check: CheckStatus,
  { isOld, history, tagSets }: Section,
): Html => html`<li data-key="${check.name}" class="${checkMark(check).level} ${isOld && 'old'}">
<h4><span class="name">${check.name}</span> ${mark(checkMark(check))}${isOld && html` ${mark({ level: 'warn', word: 'stale' })}`}</h4>
${check.error !== undefined && check.error !== notYetRun && html`<p class="error">${check.error === '' ? '(no error text)' : check.error}</p>`}
<p class="meta">${since(check)}${check.contiguousFailures > 0 && html`<span><b class="num">${check.contiguousFailures}</b> in a row</span> `}<span>last run <b>${when(check.lastRunAt, check.lastRunAgeSeconds, 'never')}</b></span> ${check.durationSeconds !== undefined && check.lastRunAt !== undefined && html`<span>took <b>${span(check.durationSeconds)}</b></span> `}${countsFor(check, tagSets)}</p>
${checkStrip(check, isOld, history)}${fields(check)}
</li>
`;

const since = (check: CheckStatus): Html | false => {
  if (check.firstFailureAt === undefined || check.failingForSeconds === undefined) return false;
  return html`<span>for <b>${lasting(check.firstFailureAt, check.failingForSeconds, '–')}</b> since ${clockTime(check.firstFailureAt, check.failingForSeconds)}</span> `;
};

/** Every check counts for the whole node, so only the other tag sets are named. */
const countsFor = ({ countsFor: sets }: CheckStatus, tagSets: number): Html | false => {
  if (tagSets < 2) return false;
  if (sets.length === tagSets) return html`<span>counts for every tag set</span>`;
  return html`<span>counts for ${sets.length < 2 ? 'the whole node only' : sets.slice(1).join(', ')}</span>`;
};

const passingTable = (
  checks: readonly CheckStatus[],
  { isOld, history }: Section,
): Html => html`<table class="others" role="table" aria-label="Checks that pass">
${tableHead('Check', 'Message', 'Last run', 'Duration')}
<tbody role="rowgroup">
${checks.map(
  (
    check,
  ) => html`<tr role="row" data-key="${check.name}" class="${isOld && 'old'}"><th scope="row" role="rowheader" class="name">${check.name}</th><td role="cell" class="says">${fields(check)}${checkStrip(check, isOld, history)}</td><td role="cell" class="num">${when(check.lastRunAt, check.lastRunAgeSeconds, 'never')}</td><td role="cell" class="num">${check.durationSeconds === undefined ? '–' : span(check.durationSeconds)}</td></tr>
`,
)}</tbody>
</table>`;

const fields = (check: CheckStatus): Html | false => {
  if (check.message === undefined || check.message === null) return false;
  const pairs = messageFields(check.message).map(
    ([path, value]) => html`<span>${path !== '' && html`${path} `}<b>${shortened(value, 200)}</b></span> `,
  );
  return html`<p class="fields">${pairs}${check.messageCut === true && '(cut)'}</p>`;
};
