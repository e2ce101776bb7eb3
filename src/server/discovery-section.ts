// The sources of discovery on the page.

import { html } from 'hono/html';
import { rounded } from '../text.ts';
import type { DiscoveryStatus } from './discovery-status.ts';
import { type Html, mark, tableHead, when } from './parts.ts';

const marks = {
  True: { level: 'good', word: 'refreshed' },
  False: { level: 'bad', word: 'failing' },
  Unknown: { level: 'none', word: 'no list yet' },
} as const;

export const discoverySection = (sources: readonly DiscoveryStatus[], now: number): Html | false =>
  sources.length > 0 &&
  html`<section data-key="discovery" aria-labelledby="discovery"><h2 id="discovery">Discovery</h2>
<table class="discovery" role="table" aria-label="Service discovery">
${tableHead('Source', 'Last refresh', 'Targets', 'Last success', 'Not watched')}
<tbody role="rowgroup">
${sources.map((one) => row(one, now))}</tbody>
</table>
</section>
`;

const row = (one: DiscoveryStatus, now: number): Html => {
  const { source, targets, status, message, lastSuccessTime: at, unwatched } = one;
  const age = at === undefined ? undefined : rounded(now - Date.parse(at) / 1000);
  return html`<tr role="row" data-key="${source}"><th scope="row" role="rowheader">${source}</th><td role="cell">${mark(marks[status])}${message !== undefined && html`<small class="error">${message}</small>`}</td><td role="cell" class="num" data-label="targets">${targets}</td><td role="cell" class="num" data-label="last success">${when(at, age, 'never')}</td><td role="cell">${unwatched.map((dropped) => html`<p>${mark({ level: 'warn', word: `${dropped.targets} ${dropped.reason}` })} ${dropped.message} <span class="soft">${dropped.examples.join(', ')}</span></p>`)}</td></tr>
`;
};
