// The indexes of a target: the last container, how fast they grow, and whether they agree with their chains.

import { html } from 'hono/html';
import type { IndexStatus } from '../sources/indexes/status.ts';
import { span } from '../text.ts';
import { indexMark } from './marks.ts';
import { type Html, mark, when } from './parts.ts';
import type { TargetStatus } from './status.ts';

export const indexTable = (target: TargetStatus): Html => html`<h3>Indexes</h3>
<table class="indexes" role="table" aria-label="Last accepted container of each index of ${target.name}">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Index</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader" class="num">Number</th><th scope="col" role="columnheader" class="num">Growth</th><th scope="col" role="columnheader" class="num">Accepted</th><th scope="col" role="columnheader">Compared with chain</th></tr></thead>
<tbody role="rowgroup">
${target.indexes.map((index) => row(index, besideChain(index)))}</tbody>
</table>`;

const row = (
  index: IndexStatus,
  chain: Html | string,
): Html => html`<tr role="row" data-key="${index.name}" class="${(index.freshness === 'stale' || index.lastError !== undefined) && 'old'}">
<th scope="row" role="rowheader">${index.name}</th>
<td role="cell">${mark(indexMark(index))}${index.lastError !== undefined && html`<small class="error">${index.lastError}</small>`}</td>
<td role="cell" class="num ${index.lastAcceptedIndex === undefined && 'nil'}" data-label="number">${index.lastAcceptedIndex === undefined ? '–' : grouped(index.lastAcceptedIndex)}</td>
<td role="cell" class="num ${rate(index) === '–' && 'nil'}" data-label="growth" ${index.overSeconds !== undefined && html`title="over the last ${span(index.overSeconds)}"`}>${rate(index)}</td>
<td role="cell" class="num ${index.lastAcceptedAt === undefined && 'nil'}" data-label="accepted">${when(index.lastAcceptedAt, index.lastAcceptedAgeSeconds, '–')}</td>
<td role="cell" class="${chain === '–' && 'nil'}" data-label="compared with chain">${chain}</td>
</tr>
`;

/** All faults of an index; a single word if there are none. */
const besideChain = ({ agreesWithChain, heightDrift = 0, errors }: IndexStatus): Html | string => {
  const found = Object.values(errors).reduce((sum, count) => sum + count, 0);
  const faults = [
    agreesWithChain === false && 'lacks the last block of its chain',
    heightDrift !== 0 && `${grouped(`${Math.abs(heightDrift)}`)} ${heightDrift > 0 ? 'behind' : 'ahead'} in count`,
    found > 0 && `${found} ${found === 1 ? 'integrity error' : 'integrity errors'}`,
  ].filter((fault) => fault !== false);
  if (faults.length > 0) return html`<span class="ill">${faults.join(', ')}</span>`;
  return agreesWithChain === true ? 'agrees' : '–';
};

/** `1 234 567`, with narrow spaces that do not break. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, '\u202F');

/** Growth per second, minute or hour: the shortest unit in which the number is at least 0.1, otherwise per hour. */
export const rate = ({ containersPerSecond: perSecond, freshness, state }: IndexStatus): string => {
  if (perSecond === undefined || freshness !== 'current' || state === 'historical') return '–';
  if (perSecond === 0) return 'nothing';
  if (perSecond >= 0.1) return `${perSecond.toFixed(perSecond >= 10 ? 0 : 2)} /s`;
  if (perSecond * 60 >= 0.1) return `${(perSecond * 60).toFixed(1)} /min`;
  return `${(perSecond * 3600).toFixed(1)} /h`;
};
