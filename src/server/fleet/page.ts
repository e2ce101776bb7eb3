// The page of a fleet: subnets with the number of nodes that are not ready, since when and why; then the targets, worst first.

import { html, raw } from 'hono/html';
import { counted, rounded, span } from '../../text.ts';
import { discoverySection } from '../discovery-section.ts';
import { isTroubled } from '../discovery-status.ts';
import { document, type Frame, type Summary, saidOf } from '../frame.ts';
import type { Mark } from '../marks.ts';
import { exceptionsText, type Html, lasting, listed, mark, signs, tableHead } from '../parts.ts';
import { ofShard, shardsSection } from '../shards-section.ts';
import type { OwnView } from '../view.ts';
import { type FleetAsked, queryOf } from './asked.ts';
import type { Fleet } from './fleet.ts';
import { filterForm } from './form.ts';
import type { Group } from './groups.ts';
import { heatStrip } from './heat.ts';
import { healths } from './row.ts';

interface FleetView {
  readonly fleet: Fleet;
  readonly own: OwnView;
  /** Complete sections of the failing targets, if they are few. */
  readonly sections: readonly Html[];
}

/**
 * Maximum bytes of a page without head and script, so that a whole page stays below 300 KB. The lines of targets may use what the other
 * parts leave, but always at least the second number.
 */
const maxMainBytes = 270_000;
const leastListBytes = 60_000;

/** `unknown`: the summary instead of that of the targets, if the requested target does not exist. */
export const renderFleet = ({ fleet, own, sections }: FleetView, extent: Frame['extent'], unknown?: Summary): string => {
  const discovery = discoverySection(own.discovery, own.now);
  const isFirst = own.discovery.some(isTroubled);
  const [byGroup, form] = [groups(fleet), filterForm(fleet)];
  const shards = own.shards !== undefined && shardsSection(own.shards);
  const others = [byGroup, form, discovery, shards, ...sections].reduce((sum, one) => sum + Buffer.byteLength(String(one)), 0);
  return document({
    ...own,
    extent,
    level: fleet.level,
    title: title(fleet),
    lead: `${ofShard(own.shards)}${lead(fleet)}`,
    ...unknown,
    main: html`${polls(fleet)}
${byGroup}
${isFirst && discovery}
${form}
${targetList(fleet, sections, Math.max(leastListBytes, maxMainBytes - others))}
${!isFirst && discovery}
${shards}`,
  });
};

const countOf = ({ counts, level }: Fleet): number =>
  level === 'bad' ? counts.failing : level === 'good' ? counts.healthy : counts.uncertain;

const title = (fleet: Fleet): string => {
  const { level, matched, total } = fleet;
  const of = matched === 0 ? `none of ${total} matches` : `${countOf(fleet)} of ${matched} ${saidOf(level, countOf(fleet))}`;
  const good = matched === total ? 'all healthy' : 'all that match are healthy';
  return `${signs[level]} ${level === 'good' ? `${good}${exceptions(fleet)}` : of} · snowgauge`;
};

/** At most three. */
const exceptions = ({ exceptions: all }: Fleet): string =>
  exceptionsText(all.length > 3 ? [...all.slice(0, 3), `${all.length - 3} more`] : all);

const lead = (fleet: Fleet): string => {
  const { matched, total, level, groups: all, asked } = fleet;
  if (matched === 0) return `None of ${counted(total, 'target')} matches.`;
  const of = matched === total ? '' : ` (of ${total} in all)`;
  if (level === 'good')
    return `${matched === 1 ? '1 target is healthy' : `All ${matched} targets are healthy`}${of}${exceptions(fleet)}.`;
  const affected = all.filter(({ failing }) => failing > 0);
  const named = affected.slice(0, 3).map((group) => `${nameOf(group, asked.by)} ${group.ready} of ${group.targets}`);
  const ready =
    affected.length === 0
      ? ''
      : ` Ready: ${listed([...named, ...(affected.length > 3 ? [`${affected.length - 3} more`] : [])])}.`;
  return `${countOf(fleet)} of ${counted(matched, 'target')} ${saidOf(level, countOf(fleet))}${of}.${ready}`;
};

/** Whether the shown state is current. */
const polls = ({ polls: { frozen, never, late, within }, matched }: Fleet): Html => {
  const old = [
    frozen > 0 && `${frozen} ${frozen === 1 ? 'runs' : 'run'} no health checks (frozen)`,
    late > 0 && `${late} ${late === 1 ? 'has' : 'have'} not been polled for longer than staleAfter`,
    never > 0 && `${never} ${never === 1 ? 'has' : 'have'} not been polled yet`,
  ].filter((text) => text !== false);
  const polled =
    matched <= frozen + never + late
      ? ''
      : `${old.length === 0 ? 'All' : 'The others'} have been polled within the last ${span(Math.ceil(within))}.`;
  return old.length === 0
    ? html`<p class="soft">${polled}</p>`
    : html`<p class="note ${frozen + late > 0 && 'warn'}">Of the targets ${listed(old)}. ${polled}</p>`;
};

const nameOf = ({ name }: Group, by: string): string => (name === '' ? `no ${by}` : name);

const groups = (fleet: Fleet): Html => {
  const { asked, facets, groupsLeftOut } = fleet;
  const others = ['subnet', ...facets.filter(({ name }) => name !== 'subnet').map(({ name }) => name)];
  return html`<section data-key="groups" aria-labelledby="groups"><h2 id="groups">By ${asked.by}</h2>
<p class="by">${others.filter((by) => by !== asked.by).map((by) => html`<a href="${queryOf(asked, { by })}">By ${by}</a> `)}</p>
<table class="groups" role="table" aria-label="Targets that are ready, by ${asked.by}, worst first">
${tableHead(asked.by, 'Ready', 'Not ready for', 'Why', 'History')}
<tbody role="rowgroup">
${fleet.groups.map((group) => groupRow(group, fleet))}</tbody>
</table>
${groupsLeftOut > 0 && html`<p class="note">${groupsLeftOut} more are not shown: use the filter below.</p>`}
</section>`;
};

const groupMark = ({ ready, failing, unknown, targets }: Group): Mark => ({
  level: failing > 0 ? 'bad' : unknown > 0 ? 'warn' : 'good',
  word: `${ready} of ${targets}`,
});

const groupRow = (group: Group, { asked, now, window }: Fleet): Html => {
  const { name, tags = [], since, latest, unknown, reasons, heat } = group;
  const ageOf = (instant: string): number => rounded(now - Date.parse(instant) / 1000);
  return html`<tr role="row" data-key="${name}" class="${groupMark(group).level}">
<th scope="row" role="rowheader" title="${tags.join(', ')}">${link(group, asked)}</th>
<td role="cell">${mark(groupMark(group))}${unknown > 0 && html`<small>${unknown} unknown</small>`}</td>
<td role="cell" class="num ${since === undefined && 'nil'}">${since !== undefined && lasting(since, ageOf(since), '–')}${latest !== undefined && latest !== since && html`<small>the last ${lasting(latest, ageOf(latest), '–')}</small>`}</td>
<td role="cell" class="${reasons.length === 0 && 'nil'}">${reasons.map(([reason, count]) => `${reason} (${count})`).join(', ')}</td>
<td role="cell" class="heat">${heatStrip(heat, window)}</td>
</tr>
`;
};

/** An empty parameter selects all, so the group without a network has no link. */
const link = (group: Group, asked: FleetAsked): Html | string =>
  asked.by === 'network' && group.name === ''
    ? nameOf(group, asked.by)
    : html`<a href="${queryOf(asked, narrowed(group, asked))}">${nameOf(group, asked.by)}</a>`;

const narrowed = ({ name }: Group, { by, labels }: FleetAsked): Partial<FleetAsked> => {
  if (by === 'subnet') return { subnet: name };
  if (by === 'network') return { network: name };
  return { labels: [...labels.filter(([label]) => label !== by), [by, name]] };
};

const targetList = ({ rows, asked, found, counts, matched }: Fleet, sections: readonly Html[], maxBytes: number): Html => {
  const [lines, names]: [string[], string[]] = [[], []];
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(row.text);
    if (bytes > maxBytes) break;
    (row.level === 'good' ? names : lines).push(row.text);
  }
  const shown = lines.length + names.length;
  const isOpen = asked.health === 'healthy' || asked.search !== undefined || asked.from > 0;
  return html`<section data-key="targets" aria-labelledby="targets"><h2 id="targets">Targets</h2>
<p class="by">${asked.health !== undefined && html`<a href="${queryOf(asked, { health: undefined })}">All ${matched}</a> `}${healths.map((health) => html`<a href="${queryOf(asked, { health })}" ${asked.health === health && html`aria-current="true"`}>${counts[health]} ${health}</a> `)}</p>
${
  lines.length > 0 &&
  html`<table class="fleet" role="table" aria-label="Targets that are not healthy, worst first">
${tableHead('Target', 'State', 'Affected tag sets', 'Why', 'Since (UTC)')}
<tbody role="rowgroup">
${raw(lines.join(''))}</tbody>
</table>`
}
${sections}
${
  names.length > 0 &&
  html`<details data-key="healthy" ${isOpen && 'open'}><summary>${names.length} healthy</summary><ul class="names">
${raw(names.join(''))}</ul></details>`
}
${shown === 0 && found > 0 && html`<p>${found} targets match, and none from ${asked.from + 1} on. <a href="${queryOf(asked)}">First page</a></p>`}
${shown > 0 && shown < found && html`<p>${asked.from + 1} to ${asked.from + shown} of ${found}, worst first. ${asked.from > 0 && html`<a href="${queryOf(asked)}">First page</a> `}${asked.from + shown < found && html`<a href="${queryOf(asked, { from: asked.from + shown })}">Next page</a>`}</p>`}
</section>`;
};
