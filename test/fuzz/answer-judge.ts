// Runs a case through the exporter, from parsing to rendering, and checks the results; throws on a fault.

import type { Targets } from '../../src/conditions/condition.ts';
import { createEventHistory } from '../../src/events/event-history.ts';
import { endOf } from '../../src/metrics/exposition.ts';
import type { Format } from '../../src/metrics/text.ts';
import { createRestartJudge } from '../../src/restart/judge-all.ts';
import { nodeProbe } from '../../src/server/node-probes.ts';
import { renderPage } from '../../src/server/page.ts';
import { createPageRoutes } from '../../src/server/page-route.ts';
import { createStatusJson, type Own, type Present } from '../../src/server/status.ts';
import { viewOf } from '../../src/server/view.ts';
import { sources } from '../../src/sources/sources.ts';
import { rejudged } from '../../src/target-update.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { contributed } from '../support/metrics.ts';
import type { AnswerCase } from './answer-cases.ts';
import { judgePage } from './page-judge.ts';
import { clientAnswering, type Known, polled, type World } from './world.ts';

/** Result of a case: the number of mutated responses, and the features that they showed. */
export interface Played {
  readonly known: Known;
  readonly answered: number;
  readonly features: ReadonlySet<string>;
  /** Sizes of the outputs in bytes, of JSON in characters. */
  readonly sizes: Readonly<Record<keyof typeof longest, number>>;
}

/** Maximum size of each output for one target, whatever its node sends; of log and event history for one poll. */
export const longest = {
  metrics: 600_000,
  page: 600_000,
  status: 1_000_000,
  log: 200_000,
  events: 600_000,
  probe: 2000,
} as const;

export const playAnswers = async (world: World, { isWarm, polls, shownAfter }: AnswerCase): Promise<Played> => {
  let known = isWarm ? world.warm : world.cold;
  const features = new Set<string>();
  const sizes = { metrics: 0, page: 0, status: 0, log: 0, events: 0, probe: 0 };
  const grown = (what: keyof typeof sizes, bytes: number): void => {
    if (bytes > longest[what]) throw new Error(`${what} of ${bytes} bytes, more than ${longest[what]}`);
    sizes[what] = Math.max(sizes[what], bytes);
  };
  const history = createEventHistory({ run: 'fuzz' });
  let answered = 0;
  for (const { after, answers } of polls) {
    const at = known.at + after;
    const client = clientAnswering(
      known.target.state,
      (key) => {
        const changed = answers[key];
        if (changed !== undefined) answered += 1;
        return changed ?? world.honest.get(key);
      },
      () => at,
    );
    const { known: next, made, faults } = await polled(known, client, at);
    for (const { error } of faults) throw error;
    for (const [api, outcomes] of next.target.state.polls) {
      for (const kind of outcomes.keys()) features.add(`${api} ${kind}`);
      if (outcomes.has('internal-error')) throw new Error(`internal-error of ${api}: ${failuresOf(next)}`);
    }
    for (const failure of next.target.state.lastPoll?.failures ?? [])
      features.add(`${failure.kind} ${'reason' in failure ? failure.reason.replace(/"[^"]*"|\d+/g, '') : ''}`.slice(0, 100));
    for (const { message } of made.lines) features.add(message.replace(/\d+/g, ''));
    for (const { kind, reason } of made.records) features.add(`${kind} ${reason ?? ''}`);
    grown('log', JSON.stringify(made.lines).length);
    grown('events', JSON.stringify(made.records).length);
    history.add(made.records);
    known = next;
  }

  const now = known.at + shownAfter;
  const { name } = known.target.state.options;
  const alone: Targets = new Map([[name, known.target]]);
  const results = await createRestartJudge(() => now)(alone);
  const target = results === undefined ? known.target : (rejudged(alone, results)[0] ?? known.target);
  const targets: Targets = new Map([[name, target]]);
  const format: Format = shownAfter === 0 ? 'openmetrics' : 'text';
  const exposition = (await contributed(target, now, format)) + endOf[format];
  grown('metrics', exposition.length);
  for (const family of parseExposition(exposition, format)) features.add(family.name);
  const own = { version: 'fuzz', startedAt: world.cold.at };
  const past = { transitions: () => history.records(name), heldFrom: () => undefined };
  const present = { now, wallOffset: 0 };
  const page = renderPage(viewOf(sources, targets, targets.keys(), past, own, present), 'part');
  grown('page', page.length);
  judgePage(page);
  const status = String(await createStatusJson(sources)(targets.values(), own, present));
  grown('status', status.length);
  JSON.parse(status);
  for (const path of ['startupz', 'readyz', 'readyz/mine', 'livez']) {
    const probe = nodeProbe(`/self/${path}`, { targets }, now);
    grown('probe', probe?.body.length ?? 0);
    features.add(`${path} ${probe?.status}`);
  }
  if (shownAfter === 89) await judgeFleet(targets, past, own, present);
  return { known: { ...known, target }, answered, features, sizes };
};

const failuresOf = ({ target }: Known): string => JSON.stringify(target.state.lastPoll?.failures).slice(0, 500);

/** The same target under several names, because the page of a fleet has other parts. */
const judgeFleet = async (
  targets: Targets,
  past: Parameters<typeof createPageRoutes>[1],
  own: Own,
  present: Present,
): Promise<void> => {
  const many: Targets = new Map(
    ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) =>
      Array.from(targets.values(), (target) => {
        const options = { ...target.state.options, name };
        return [name, { ...target, state: { ...target.state, options } }] as const;
      }),
    ),
  );
  const routes = createPageRoutes(sources, past);
  const subject = { ...present, own, targets: many, version: 1 };
  judgePage(String((await routes.page(new URLSearchParams('part=page'), subject)).body));
  JSON.parse(String((await routes.fleet(new URLSearchParams(), subject)).body));
};
