// The targets of a fleet, a line each, worst first.

import { html } from 'hono/html';
import { byMark, type Mark, reachMark, tagSetMark, targetMark } from './marks.ts';
import { type Html, mark, targetHref } from './parts.ts';
import type { TargetStatus } from './status.ts';
import { maxRows, type View } from './view.ts';

export const overview = (view: View): Html => html`<section aria-labelledby="targets">
<h2 id="targets">Targets</h2>
<p class="soft">${view.counts.bad} failing, ${view.counts.warn + view.counts.none} uncertain, ${view.counts.good} healthy</p>
<table class="fleet" role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Target</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">Tag sets</th><th scope="col" role="columnheader">Why</th></tr></thead>
<tbody role="rowgroup">
${view.rows.map(row)}</tbody>
</table>
${pages(view)}
<form action="/"><label for="name">One target by name</label> <input id="name" name="target" size="24" maxlength="63" required autocomplete="off"> <button>Show</button></form>
</section>
`;

/** In the words of the line above the list; what is not up says so. */
const stateOf = (target: TargetStatus): Mark => {
  const { level } = targetMark(target);
  return { level, word: target.state === 'up' ? wellness[level] : reachMark(target).word };
};

const wellness: Readonly<Record<Mark['level'], string>> = {
  bad: 'failing',
  warn: 'uncertain',
  none: 'uncertain',
  good: 'healthy',
};

const row = (target: TargetStatus): Html => {
  const sets = target.tagSets.toSorted(byMark(tagSetMark));
  return html`<tr role="row" data-key="${target.name}">
<th scope="row" role="rowheader"><a href="${targetHref(target.name)}">${target.name}</a></th>
<td role="cell">${mark(stateOf(target))}${target.maintenance !== undefined && html` <span class="soft">in maintenance</span>`}</td>
<td role="cell">${sets.slice(0, 8).map((set) => html`${mark({ ...tagSetMark(set), word: set.name })} `)}${sets.length > 8 && `and ${sets.length - 8} more`}</td>
<td role="cell">${target.reason ?? sets[0]?.conditions[0].message}</td>
</tr>
`;
};

const pages = ({ from, rows, total }: View): Html | false => {
  const after = from + rows.length;
  if (from === 0 && after >= total) return false;
  return html`<p>${from + 1} to ${after} of ${total}, worst first. ${from > 0 && html`<a href="/?from=${Math.max(0, from - maxRows)}">Worse ones</a> `}${after < total && html`<a href="/?from=${after}">The next ${Math.min(maxRows, total - after)}</a>`}</p>`;
};
