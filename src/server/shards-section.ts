// The section about shards: which shard this is, and which targets each shard watches.

import { html, raw } from 'hono/html';
import { counted } from '../text.ts';
import { type Html, home, targetHref } from './parts.ts';
import type { ShardView } from './shards.ts';

/** Limits that keep the page small, however many shards there are: number of listed shards, and bytes of all target names together. */
const maxLines = 100;
const maxNamesBytes = 40_000;

const shardTitle = ({ shard, total }: ShardView): string => `Shard ${shard}${total === undefined ? '' : ` of ${total}`}`;

/** Prefix of sentences about the targets of one shard instead of the whole fleet. */
export const ofShard = (shards: ShardView | undefined): string => (shards === undefined ? '' : `${shardTitle(shards)}. `);

export const shardsSection = (view: ShardView): Html => {
  const { shard, total, settled, waitsFor, shards } = view;
  const listed = shards.slice(0, maxLines);
  const left = shards.length - listed.length;
  return html`<section data-key="shards" aria-labelledby="shards">
<h2 id="shards">${shardTitle(view)}</h2>
${waitsFor !== undefined && html`<p class="note warn">Not ready: ${waitsFor}.</p>`}
${settled !== undefined && total !== undefined && settled < total && html`<p class="note warn">Not all shards are ready: the first ${settled === 1 ? 'one still watches' : `${settled} still watch`} the targets that the others will take over.</p>`}
${settled === undefined && total !== undefined && html`<p class="note warn">Not all shards are ready: it is unknown which shard watches which target.</p>`}
<ul>
${listed.map((one) => line(one, shard, maxNamesBytes / listed.length))}</ul>
${left > 0 && html`<p class="note">${left} more are in <a href="api/v1/shards">/api/v1/shards</a>.</p>`}
</section>
`;
};

const line = ({ shard, address, targets }: ShardView['shards'][number], own: number, bytes: number): Html => {
  // A URL without a scheme has the scheme of this page.
  const base = shard === own ? home : address === undefined ? undefined : `//${address}/`;
  const names: string[] = [];
  let used = 0;
  for (const name of targets) {
    const one = String(base === undefined ? html`${name} ` : html`<a href="${base}${targetHref(name)}">${name}</a> `);
    used += Buffer.byteLength(one);
    if (used > bytes) break;
    names.push(one);
  }
  const left = targets.length - names.length;
  return html`<li>${base === undefined ? html`Shard ${shard}` : html`<a href="${base}">Shard ${shard}</a>`}${shard === own && ' (this one)'}: ${counted(targets.length, 'target')}
<details><summary>Names</summary><p>${raw(names.join(''))}${left > 0 && html`and <a href="api/v1/shards">${left} more</a>`}</p></details></li>
`;
};
