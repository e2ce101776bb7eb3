// The filter form of a fleet: by name, network, subnet and label. It works without the page's script: with the script, users do not have to
// press the button.

import { html } from 'hono/html';
import { maxTargetNameLength } from '../../text.ts';
import { type Html, home } from '../parts.ts';
import { type FleetAsked, maxLimit, queryOf } from './asked.ts';
import type { Facet, Fleet } from './fleet.ts';

/** Without autocomplete="off", browsers show the former choice after Back, on a page with another filter. */
export const filterForm = ({
  asked,
  facets,
  total,
}: Fleet): Html => html`<form id="filter" data-key="filter" action="${home}" autocomplete="off" role="search">
<label>Name <input id="search" type="search" name="q" size="16" maxlength="${maxTargetNameLength}" value="${asked.search ?? ''}"></label>
${facets.filter(({ isLabel }) => !isLabel).map((facet) => choice(facet, facet.name === 'network' ? asked.network : asked.subnet))}
${facets.some(({ isLabel }) => isLabel) && labelChoice(facets, asked)}
${asked.by !== 'subnet' && html`<input type="hidden" name="by" value="${asked.by}">`}
${asked.health !== undefined && html`<input type="hidden" name="health" value="${asked.health}">`}
${asked.limit !== maxLimit && html`<input type="hidden" name="limit" value="${asked.limit}">`}
<button>Show</button> ${queryOf(asked) !== home && html`<a href="${home}">All ${total} targets</a>`}
</form>`;

const choice = ({ name, values }: Facet, chosen: string | undefined): Html =>
  html`<label data-key="${name}">${name} <select name="${name}"><option value="">all</option>${missing(
    chosen,
    values.map(([value]) => value),
  )}${values.map(([value, targets]) => option(value, `${value} (${targets})`, value === chosen))}</select></label>`;

/** Adds an option for a selected value that is not among the most common ones, so that it is still selected when the form is submitted. */
const missing = (chosen: string | undefined, values: readonly string[]): Html | false =>
  chosen !== undefined && !values.includes(chosen) && option(chosen, chosen, true);

const labelChoice = (facets: readonly Facet[], { labels: [first, ...others] }: FleetAsked): Html => {
  const chosen = first?.join('=');
  const labels = facets.filter(({ isLabel }) => isLabel);
  const values = labels.flatMap((facet) => facet.values.map(([value]) => `${facet.name}=${value}`));
  return html`${others.map((label) => html`<input type="hidden" name="label" value="${label.join('=')}">`)}<label>label <select name="label"><option value="">all</option>${missing(chosen, values)}${labels.map(
    ({ name, values }) =>
      html`<optgroup data-key="${name}" label="${name}">${values.map(([value, targets]) => option(`${name}=${value}`, `${value} (${targets})`, chosen === `${name}=${value}`))}</optgroup>`,
  )}</select></label>`;
};

/** Without their keys, an update that changes the order of the options would change what the user has selected. */
const option = (value: string, text: string, isChosen: boolean): Html =>
  html`<option data-key="${value}" value="${value}" ${isChosen && 'selected'}>${text}</option>`;
