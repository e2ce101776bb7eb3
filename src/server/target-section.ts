// One target: is it well and why not, a line for each tag set; then its checks, its indexes, and what is known of the node.

import { html } from 'hono/html';
import { checksSection } from './checks-section.ts';
import { historyOf, lastChanges } from './history.ts';
import { indexTable } from './index-table.ts';
import { byMark, judgementMark, type Mark, reachMark, tagSetMark, tagSetReason, verdictMark } from './marks.ts';
import { mergeChecks } from './merged-checks.ts';
import { type Html, lasting, mark, when } from './parts.ts';
import type { TagSetStatus, TargetStatus, VerdictStatus } from './status.ts';
import { span } from './text.ts';
import type { JudgementStatus } from './verdict-status.ts';
import type { View } from './view.ts';

export const targetSection = (target: TargetStatus, view: View): Html => {
  const history = historyOf(view.happenings(target.name), view, view.heldFrom(target.name));
  return html`<section class="target" data-key="target ${target.name}" id="target-${target.name}" aria-labelledby="name-${target.name}">
<h2 id="name-${target.name}">${target.name} ${mark(reachMark(target))}</h2>
${target.reason !== undefined && html`<p class="note ${target.state === 'down' && 'bad'}">${target.reason}</p>`}
${target.frozen !== undefined && frozen(target.frozen)}
${verdicts(target)}
${checksSection(target, mergeChecks(target), history, view.maxChecks)}
${lastChanges(history)}
${target.indexes.length > 0 && indexTable(target)}
${facts(target)}
</section>
`;
};

const verdicts = (
  target: TargetStatus,
): Html => html`<table class="verdicts" role="table" aria-label="Tag sets of ${target.name}, worst first">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Tag set</th><th scope="col" role="columnheader">Verdict</th><th scope="col" role="columnheader">Why</th><th scope="col" role="columnheader">For</th><th scope="col" role="columnheader">Checks</th></tr></thead>
<tbody role="rowgroup">
${target.tagSets.toSorted(byMark(tagSetMark)).map((set) => verdictRow(set, target))}</tbody>
</table>`;

const verdictRow = (set: TagSetStatus, { frozen }: TargetStatus): Html => {
  const own = tagSetMark(set);
  return html`<tr role="row" data-key="${set.name}" class="${own.level} ${(isOld(set) || frozen !== undefined) && 'old'}">
<th scope="row" role="rowheader" title="${set.tags.length === 0 ? 'the whole node' : set.tags.join(', ')}">${set.name}</th>
<td role="cell">${mark(own)}</td>
<td role="cell" class="why"><span class="because">${tagSetReason(set)}</span>${unknownTags(set)}${staleness(set)}</td>
<td role="cell" class="num ${set.ready === undefined && 'nil'}" data-label="for">${set.ready === undefined ? '–' : lasting(set.ready.since, set.ready.sinceSeconds, '–')}</td>
<td role="cell" class="num ${set.failing === undefined && 'nil'}">${counts(set)}</td>
</tr>
`;
};

const frozen = ({ since, sinceSeconds, suspect }: NonNullable<TargetStatus['frozen']>): Html =>
  html`<p class="alarm"><strong>Frozen: the node answers, but has run no check for ${lasting(since, sinceSeconds, '')}.</strong> What stands below was true then, and says nothing of now.${suspect !== undefined && html` It seems to hang in <b class="name">${suspect}</b>.`}</p>`;

const isOld = (set: TagSetStatus): boolean => set.knowledge === 'stale' || set.problem !== undefined;

const unknownTags = ({ unknownTags: names = [] }: TagSetStatus): Html | false =>
  names.length > 0 &&
  html`<span class="note warn">No check of the node has the ${names.length === 1 ? 'tag' : 'tags'} ${names.join(', ')}: what is shown here are only the checks that every tag set has.</span>`;

const staleness = (set: TagSetStatus): Html | false => {
  if (set.knowledge === 'stale')
    return html`<small>What the node said ${when(set.answeredAt, set.ageSeconds, 'once')}, when it was ${set.healthy === true ? 'healthy' : 'unhealthy'}.</small>`;
  if (set.problem === undefined || set.knowledge !== 'current') return false;
  return html`<small>The last poll failed: ${set.problem}. This is from ${when(set.answeredAt, set.ageSeconds, 'before')}.</small>`;
};

const counts = (set: TagSetStatus): Html | string => {
  if (set.failing === undefined) return '–';
  const never = (set.notYetRun ?? 0) > 0 ? ` · ${set.notYetRun} not yet run` : '';
  return `${set.failing} failing${never} · ${set.passing ?? 0} passing`;
};

const fact = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const facts = (target: TargetStatus): Html => html`<dl>
${fact('URL', target.url)}
<div class="wide"><dt>Node id</dt><dd>${target.nodeId ?? 'not known yet'}</dd></div>
${fact('Last poll', when(target.lastPollAt, target.lastPollAgeSeconds, 'none yet'))}
${fact('Node checks every', `${span(target.cadenceSeconds)} (${target.cadenceFrom === 'timestamps' ? 'seen in its reports' : 'as configured'})`)}
${fact('Node clock', clock(target.clockSkewSeconds))}
${target.started !== undefined && fact('Started', judged(target.started, { yes: 'yes', no: 'no' }))}
${target.live !== undefined && fact('Live', judged(target.live, { yes: 'yes', no: 'no' }))}
${fact('Node readiness', verdict(target.readiness, { yes: 'ready', no: 'not ready' }))}
${fact('Node liveness', verdict(target.liveness, { yes: 'alive', no: 'not alive' }))}
</dl>`;

const verdict = (source: VerdictStatus, says: { readonly yes: string; readonly no: string }): Html => {
  const own: Mark = verdictMark(source, says);
  return html`${mark(own)}${source.problem !== undefined && html` <span class="soft">${source.problem}</span>`}`;
};

const judged = (judgement: JudgementStatus, says: { readonly yes: string; readonly no: string }): Html =>
  html`${mark(judgementMark(judgement, says))}${judgement.state !== 'yes' && html` <span class="soft">${judgement.because}</span>`}`;

const clock = (skew: number | undefined): string => {
  if (skew === undefined) return 'not known yet';
  if (Math.abs(skew) < 1) return 'agrees with ours within a second';
  return `${span(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} ours`;
};
