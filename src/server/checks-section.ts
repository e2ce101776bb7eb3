// The checks of a target: those that do not pass stand open with all that is said of them, the others are folded away.

import { html } from 'hono/html';
import { checkStrip, type History } from './history.ts';
import { checkMark } from './marks.ts';
import type { MergedCheck, MergedChecks } from './merged-checks.ts';
import { messageFields } from './message.ts';
import { clockTime, type Html, lasting, mark, when } from './parts.ts';
import type { TargetStatus } from './status.ts';
import { shortened, span } from './text.ts';

export const checksSection = (
  target: TargetStatus,
  { checks, leftOut }: MergedChecks,
  history: History,
  most: number,
): Html | false => {
  if (checks.length === 0) return false;
  const shown = checks.slice(0, most);
  const wrong = shown.filter((check) => check.state !== 'passing');
  const passing = shown.filter((check) => check.state === 'passing');
  const more = leftOut + checks.length - shown.length;
  return html`<h3>Checks</h3>
${
  wrong.length === 0
    ? html`<p class="calm">${mark({ level: checks.some((check) => check.old) ? 'warn' : 'good', word: `All ${checks.length + leftOut} ${checks.some((check) => check.old) ? 'passed when last heard' : 'pass'}` })}</p>`
    : html`<ul class="checks">
${wrong.map((check) => card(check, target, history))}</ul>`
}
${passing.length > 0 && html`<details data-key="passing"><summary>${passing.length} passing</summary>${passingTable(passing, history)}</details>`}
${more > 0 && html`<p class="note warn">${more} more checks are left out here; the worst are shown.</p>`}
`;
};

const card = (
  check: MergedCheck,
  target: TargetStatus,
  history: History,
): Html => html`<li data-key="${check.name}" class="${checkMark(check).level} ${check.old && 'old'}">
<h4><span class="name">${check.name}</span> ${mark(checkMark(check))}${check.old && html` ${mark({ level: 'warn', word: 'stale' })}`}</h4>
${check.error !== undefined && check.state !== 'not-yet-run' && html`<p class="error">${check.error === '' ? '(no error text)' : check.error}</p>`}
<p class="meta">${since(check)}${check.contiguousFailures > 0 && html`<span><b class="num">${check.contiguousFailures}</b> in a row</span> `}<span>last run <b>${when(check.lastRunAt, check.lastRunAgeSeconds, 'never')}</b></span> ${check.durationSeconds !== undefined && html`<span>took <b>${span(check.durationSeconds)}</b></span> `}${countsFor(check, target)}</p>
${checkStrip(check, history)}${fields(check)}
</li>
`;

const since = (check: MergedCheck): Html | false => {
  if (check.firstFailureAt === undefined || check.failingForSeconds === undefined) return false;
  return html`<span>for <b>${lasting(check.firstFailureAt, check.failingForSeconds, '–')}</b> since ${clockTime(check.firstFailureAt, check.failingForSeconds)}</span> `;
};

const countsFor = (check: MergedCheck, target: TargetStatus): Html | false => {
  const tagged = target.tagSets.filter((set) => set.tags.length > 0).length;
  if (tagged === 0) return false;
  if (check.countsFor.length === tagged) return html`<span>counts for every tag set</span>`;
  return html`<span>counts for ${check.countsFor.length === 0 ? 'the whole node only' : check.countsFor.join(', ')}</span>`;
};

const passingTable = (
  checks: readonly MergedCheck[],
  history: History,
): Html => html`<table class="others" role="table" aria-label="Checks that pass">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Check</th><th scope="col" role="columnheader">What it says</th><th scope="col" role="columnheader">Last run</th><th scope="col" role="columnheader">Took</th></tr></thead>
<tbody role="rowgroup">
${checks.map(
  (
    check,
  ) => html`<tr role="row" data-key="${check.name}" class="${check.old && 'old'}"><th scope="row" role="rowheader" class="name">${check.name}</th><td role="cell" class="says">${fields(check)}${checkStrip(check, history)}</td><td role="cell" class="num">${when(check.lastRunAt, check.lastRunAgeSeconds, 'never')}</td><td role="cell" class="num">${check.durationSeconds === undefined ? '–' : span(check.durationSeconds)}</td></tr>
`,
)}</tbody>
</table>`;

const fields = (check: MergedCheck): Html | false => {
  if (check.message === undefined || check.message === null) return false;
  const pairs = messageFields(check.message).map(
    ([path, value]) => html`<span>${path !== '' && html`${path} `}<b>${shortened(value, 200)}</b></span> `,
  );
  return html`<p class="fields">${pairs}${check.messageCut === true && '(cut)'}</p>`;
};
