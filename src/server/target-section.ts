// The section of a target: a line per tag set with readiness, health and reasons; then its checks, its indexes, and facts about the node.

import { html } from 'hono/html';
import type { SafeToRestart } from '../conditions/condition.ts';
import type { Fact } from '../sources/source.ts';
import { rounded, span } from '../text.ts';
import { checksSection } from './checks-section.ts';
import type { ConditionStatus } from './condition-status.ts';
import { historyOf, lastChanges } from './history.ts';
import { indexTable } from './index-table.ts';
import { byMark, conditionMark, healthyMark, reachMark, readyMark, tagSetMark } from './marks.ts';
import { type Html, instant, lasting, mark, tableHead, when } from './parts.ts';
import type { JudgedTagSet, MaintenanceStatus, TargetStatus } from './status.ts';
import type { View } from './view.ts';

export const targetSection = (target: TargetStatus, view: View): Html => {
  const whole = target.tagSets.find(({ tags }) => tags.length === 0)?.name;
  const history = historyOf(view.transitions(target.name), view, view.heldFrom(target.name), whole);
  return html`<section class="target" data-key="target ${target.name}" id="target-${target.name}" aria-labelledby="name-${target.name}">
<h2 id="name-${target.name}">${target.name} ${mark(reachMark(target))}</h2>
${target.reason !== undefined && html`<p class="note ${target.state === 'down' && 'bad'}">${target.reason}</p>`}
${target.maintenance !== undefined && maintenance(target.maintenance)}
${target.frozen !== undefined && frozen(target.frozen)}
${tagSets(target, view)}
${checksSection(target, history, view.maxChecks)}
${lastChanges(history)}
${target.indexes.length > 0 && indexTable(target)}
${facts(target, view)}
</section>
`;
};

const maintenance = ({ until, reason, source }: MaintenanceStatus): Html =>
  html`<p class="note">In maintenance until ${instant(until)} (${source}): ${reason}</p>`;

const tagSets = (
  target: TargetStatus,
  view: View,
): Html => html`<table class="conditions" role="table" aria-label="Tag sets of ${target.name}, worst first">
${tableHead('Tag set', 'Ready', 'Healthy', 'Why', 'For', 'Checks')}
<tbody role="rowgroup">
${target.tagSets.toSorted(byMark(tagSetMark)).map((set) => tagSetRow(set, target, view))}</tbody>
</table>`;

const tagSetRow = (set: JudgedTagSet, target: TargetStatus, view: View): Html => {
  const [ready, healthy] = set.conditions;
  return html`<tr role="row" data-key="${set.name}" class="${tagSetMark(set).level} ${(isOld(set) || target.frozen !== undefined) && 'old'}">
<th scope="row" role="rowheader" title="${set.tags.length === 0 ? 'the whole node' : set.tags.join(', ')}">${set.name}</th>
<td role="cell" ${unclear(ready)}>${mark(readyMark(ready))}</td>
<td role="cell" ${unclear(healthy)}>${mark(healthyMark(healthy))}</td>
<td role="cell" class="why"><span class="message">${ready.message}</span>${whyUnhealthy(ready, healthy)}${ready.reason !== 'UnknownTag' && unknownTags(set)}${staleness(set, ready)}</td>
<td role="cell" class="num ${ready.lastTransitionTime === undefined && 'nil'}" data-label="for">${sinceTransition(ready, view)}</td>
<td role="cell" class="num ${set.checkCounts === undefined && 'nil'}">${counts(set)}</td>
</tr>
`;
};

/** On a phone, columns have no headers. `unknown` may be in either column, so its cell names the column. */
const unclear = ({ type, status }: ConditionStatus): Html | false =>
  status === 'Unknown' && html`data-label="${type.toLowerCase()}"`;

const sinceTransition = ({ lastTransitionTime: since }: ConditionStatus, { now }: View): Html | string =>
  lasting(since, since === undefined ? undefined : rounded(now - Date.parse(since) / 1000), '–');

/** Shows the reason for Healthy only if it differs: the message of Ready may begin with it. */
const whyUnhealthy = (ready: ConditionStatus, healthy: ConditionStatus): Html | false =>
  healthy.status !== 'True' &&
  !ready.message.startsWith(healthy.message) &&
  healthy.reason !== ready.reason &&
  html`<small>${healthy.status === 'Unknown' ? 'health unknown' : 'unhealthy'}: ${healthy.message}</small>`;

const frozen = ({ since, sinceSeconds, suspect }: NonNullable<TargetStatus['frozen']>): Html =>
  html`<p class="alarm"><strong>Frozen: the node has run no check for ${lasting(since, sinceSeconds, '')}.</strong> The results below are from that time.${suspect !== undefined && html` It probably hangs in <b class="name">${suspect}</b>.`}</p>`;

const isOld = (set: JudgedTagSet): boolean => set.freshness === 'stale' || set.lastError !== undefined;

const unknownTags = ({ unknownTags: names = [] }: JudgedTagSet): Html | false =>
  names.length > 0 &&
  html`<span class="note warn">No check of the node has the ${names.length === 1 ? 'tag' : 'tags'} ${names.join(', ')}: only the global checks count.</span>`;

const staleness = (set: JudgedTagSet, { message }: ConditionStatus): Html | false => {
  if (set.freshness === 'stale')
    return html`<small>From the last report, ${when(set.answeredAt, set.ageSeconds, 'earlier')}: ${set.healthy === true ? 'healthy' : 'unhealthy'}.</small>`;
  if (set.lastError === undefined || set.freshness !== 'current') return false;
  return html`<small>${!message.startsWith(set.lastError) && `The last poll failed: ${set.lastError}. `}The data is from ${when(set.answeredAt, set.ageSeconds, 'before')}.</small>`;
};

const counts = ({ checkCounts }: JudgedTagSet): string => {
  if (checkCounts === undefined) return '–';
  const { failing, notYetRun, passing } = checkCounts;
  return `${failing} failing${notYetRun > 0 ? ` · ${notYetRun} not yet run` : ''} · ${passing} passing`;
};

const fact = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const facts = (target: TargetStatus, view: View): Html => {
  const [started, live] = target.conditions;
  return html`<dl>
${fact('URL', target.url)}
${target.source !== undefined && fact('Discovered by', target.source)}
<div class="wide"><dt>NodeID</dt><dd>${target.nodeId ?? 'not known yet'}${unexpected(target)}</dd></div>
${fact('Last poll', when(target.lastPollAt, target.lastPollAgeSeconds, 'none yet'))}
${fact('Check interval', `${span(target.checkIntervalSeconds)} (${target.checkIntervalFrom === 'timestamps' ? 'inferred from its reports' : 'as configured'})`)}
${fact('Node clock', clock(target.clockSkewSeconds))}
${fact('Started', condition(started))}
${fact('Live', condition(live))}
${target.safeToRestart !== undefined && fact('Safe to restart', restart(target.safeToRestart))}
${view.facts(target).map((one) => fact(one.name, shown(one)))}
</dl>`;
};

const unexpected = ({ expectedNodeId }: TargetStatus): Html | false =>
  expectedNodeId !== undefined &&
  html` ${mark({ level: 'bad', word: 'unexpected' })} <span class="soft">expected ${expectedNodeId}</span>`;

/** Unsafe to restart is not shown as a failure of the node. */
const restartMarks = {
  safe: { level: 'good', word: 'yes' },
  unsafe: { level: 'warn', word: 'no' },
  unknown: { level: 'none', word: 'unknown' },
} as const;

const restart = ({ result, message }: SafeToRestart): Html =>
  html`${mark(restartMarks[result])}${message !== undefined && html` <span class="soft">${message}</span>`}`;

const shown = ({ value, level, note }: Fact): Html | string =>
  html`${level === undefined ? value : mark({ level, word: value })}${note !== undefined && html` <span class="soft">${note}</span>`}`;

const condition = (one: ConditionStatus): Html =>
  html`${mark(conditionMark(one, { True: 'yes', False: 'no', Unknown: 'unknown' }))}${one.status !== 'True' && html` <span class="soft">${one.message}</span>`}`;

const clock = (skew: number | undefined): string => {
  if (skew === undefined) return 'not known yet';
  if (Math.abs(skew) < 1) return 'within a second of the exporter clock';
  return `${span(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the exporter clock`;
};
