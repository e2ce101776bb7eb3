// Routes of pages and JSON of targets: parses the query and renders the reply.

import type { Targets } from '../conditions/condition.ts';
import type { Sources } from '../sources/sources.ts';
import { askedFault, type FleetAsked, fleetAsked, fleetParameters, groupingFault } from './fleet/asked.ts';
import { type Fleet, fleetOf } from './fleet/fleet.ts';
import { fleetJson } from './fleet/json.ts';
import { renderFleet } from './fleet/page.ts';
import type { FleetRow } from './fleet/row.ts';
import { createFleetRows } from './fleet/rows.ts';
import { renderPage, unknownTarget } from './page.ts';
import { pageHeaders } from './page-headers.ts';
import { forJson, jsonError, type Reply, varied } from './reply.ts';
import { elsewhere, missingTarget } from './shards.ts';
import { createStatusJson, type Own, type Present } from './status.ts';
import { targetSection } from './target-section.ts';
import { ownView, type Past, viewOf } from './view.ts';

/** The state and time that a reply is rendered from. */
export interface Subject extends Present {
  readonly targets: Targets;
  readonly own: Own;
}

type Answer = (params: URLSearchParams, subject: Subject) => Promise<Reply>;

/** Up to this number of targets, the page has a complete section for each. */
const maxWithoutFleet = 3;
/** Up to this number of failing targets, the page of a fleet has a complete section for each. */
const maxSections = 4;

/** Query parameters of the page and of /api/v1/status. */
export const read = { page: ['target', 'part', ...fleetParameters], status: ['target'] } as const;

export const createPageRoutes = (table: Sources, past: Past): Readonly<Record<'page' | 'status' | 'fleet', Answer>> => {
  const forPage = { ...pageHeaders(), ...varied };
  const rowsFor = {
    page: createFleetRows(table, past.transitions, 'html'),
    api: createFleetRows(table, past.transitions, 'json'),
  };
  const statusJson = createStatusJson(table);
  const fleetFor = (asked: FleetAsked, rows: readonly FleetRow[], { own, now, wallOffset }: Subject): Promise<Fleet> =>
    fleetOf(rows, asked, { now, wallOffset, startedAt: own.startedAt, heldFrom: past.heldFrom });

  const page: Answer = async (params, subject) => {
    const { targets, own } = subject;
    const extent = params.get('part') === 'page' ? 'part' : 'whole';
    const name = params.get('target')?.trim() ?? '';
    const isKnown = targets.has(name);
    const unknown = name === '' || isKnown ? undefined : unknownTarget(name, elsewhere(own.shards, name));
    const reply = (body: string): Reply => ({ status: unknown === undefined ? 200 : 404, headers: forPage, body });
    if (isKnown) return reply(renderPage({ ...viewOf(table, targets, [name], past, own, subject), selected: name }, extent));
    if (targets.size <= maxWithoutFleet)
      return reply(renderPage(viewOf(table, targets, targets.keys(), past, own, subject), extent, unknown));
    const fleet = await fleetFor(fleetAsked(params), await rowsFor.page(targets, subject), subject);
    const few = fleet.matched === fleet.total && fleet.asked.from === 0 && fleet.counts.failing <= maxSections;
    const failing = few ? fleet.rows.flatMap((row) => (row.level === 'bad' ? [row.name] : [])) : [];
    const view = viewOf(table, targets, failing, past, own, subject);
    const sections = view.detailed.map((target) => targetSection(target, view));
    return reply(renderFleet({ fleet, own: view, sections }, extent, unknown));
  };

  const status: Answer = async (params, { targets, own, ...present }) => {
    const names = [...new Set(params.getAll('target'))];
    const unknown = names.find((name) => !targets.has(name));
    if (unknown !== undefined) return jsonError(404, missingTarget(unknown, targets, own.shards));
    const of = names.length === 0 ? targets.values() : names.flatMap((name) => targets.get(name) ?? []);
    return { status: 200, headers: forJson, body: await statusJson(of, own, present) };
  };

  const fleet: Answer = async (params, subject) => {
    const fault = askedFault(params);
    if (fault !== undefined) return jsonError(400, fault);
    const asked = fleetAsked(params);
    const rows = await rowsFor.api(subject.targets, subject);
    const ungrouped = groupingFault(asked, rows);
    if (ungrouped !== undefined) return jsonError(400, ungrouped);
    const body = fleetJson(await fleetFor(asked, rows, subject), ownView(subject.own, subject));
    return { status: 200, headers: forJson, body };
  };

  return { page, status, fleet };
};
