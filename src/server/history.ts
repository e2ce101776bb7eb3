// The recent history of a target on the page: strips of its checks, and a list of the last changes.

import { html } from 'hono/html';
import { folded } from '../events/fold.ts';
import { groupBy } from '../lists.ts';
import { notYetRun } from '../protocol/reasons.ts';
import type { CheckStatus } from '../sources/health/check-status.ts';
import { isoOf, rounded, shortened, span } from '../text.ts';
import { type Html, when } from './parts.ts';
import { isNotYetRun, type SeenSince, type ShownTransition, strip, type Unobserved, type Window, windowOf } from './strip.ts';

export interface History {
  readonly window: Window;
  readonly seen: SeenSince;
  /** Oldest first. */
  readonly all: readonly ShownTransition[];
  readonly ofCheck: ReadonlyMap<string, readonly ShownTransition[]>;
}

/** Maximum number of changes in the list. */
const maxListed = 12;

/**
 * `all`: oldest first. `heldFrom`: time of the oldest remaining record; undefined if no record was evicted. `whole`: the tag set of the whole
 * node.
 */
export const historyOf = (
  all: readonly ShownTransition[],
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
  heldFrom?: number,
  whole?: string,
): History => {
  // The first poll of a target adds a record: before it, the target was not watched.
  const since = heldFrom ?? all[0]?.at ?? startedAt;
  // Frozen health checks name a suspect, whose state has not changed.
  const ofChecks = all.filter(({ check, kind }) => check !== undefined && kind !== 'health-frozen');
  const ofCheck = new Map(groupBy(ofChecks, ({ check = '' }) => check).map((group) => [group[0].check ?? '', group]));
  // A reload may have renamed it. Records of checks have its name first.
  const names = new Set([whole, ...ofChecks.map(({ tagSets: [name] = [] }) => name)]);
  return { window: windowOf(since, now), seen: { since, begun: startedAt, unobserved: unobservedIn(all, names) }, all, ofCheck };
};

/**
 * The times without a report that counts: while the target was removed, and while Healthy of the whole node was Unknown. `names`: of its tag
 * set.
 */
const unobservedIn = (all: readonly ShownTransition[], names: ReadonlySet<string | undefined>): readonly Unobserved[] => {
  const changes = all.filter(
    ({ kind, condition, tagSets }) => kind === 'target-removed' || (condition === 'Healthy' && names.has(tagSets?.[0])),
  );
  return changes.flatMap(({ at, kind, from, to }, index) => {
    const [before, next] = [changes[index - 1], changes[index + 1]];
    if (kind === 'target-removed' || to === 'Unknown') return [{ from: at, to: next?.at ?? Number.POSITIVE_INFINITY }];
    // The state was reset without a record: by a restart of the exporter or a reload, or on another shard.
    const isReset = from === 'Unknown' && (before === undefined || before.to === 'True' || before.to === 'False');
    return isReset ? [{ from: at, to: at }] : [];
  });
};

/** False for a check that is not failing and has not changed within the window: it needs no strip. */
export const checkStrip = (check: CheckStatus, isOld: boolean, history: History): Html | false => {
  const transitions = (history.ofCheck.get(check.name) ?? []).filter(({ at }) => at <= history.window.to);
  const recent = transitions.some(({ at }) => at >= history.window.from);
  if (!recent && check.state !== 'failing') return false;
  const now = check.state === 'not-yet-run' ? 'unknown' : check.state;
  const known = history.seen.unobserved ?? [];
  // Nothing is known since the last run that was reported.
  const last = Math.max(history.window.to - (check.lastRunAgeSeconds ?? 0), transitions.at(-1)?.at ?? 0);
  const unobserved = isOld ? [...known.filter(({ to }) => to < last), { from: last, to: Number.POSITIVE_INFINITY }] : known;
  // A failure may have begun before the exporter watched the node: the node reports since when, by its own clock, so its age counts.
  const since =
    transitions.length === 0 && check.failingForSeconds !== undefined
      ? history.window.to - check.failingForSeconds
      : history.seen.since;
  return strip(transitions, now, { ...history.seen, since, unobserved }, history.window);
};

const stateWord = (word = '?', one: ShownTransition): string => (isNotYetRun(word, one) ? 'not yet run' : word);
const fromTo = (one: ShownTransition): string => `${stateWord(one.from, one)} → ${stateWord(one.to, one)}`;

/** Kind of event -> its description. All other kinds are changes of a check. */
const words = new Map<string, (one: ShownTransition) => string>([
  ['node-restarted', () => 'node restarted'],
  ['found-failing', (one) => (isNotYetRun(one.to, one) ? 'not yet run' : 'found failing')],
  ['check-gone', () => 'removed from the report'],
  ['check-back', (one) => `added to the report again${one.to === undefined ? '' : `, ${stateWord(one.to, one)}`}`],
  ['health-frozen', () => 'health checks stopped running'],
  ['health-running', () => 'health checks running again'],
  ['node-id-changed', (one) => `NodeID changed: ${fromTo(one)}`],
  ['version-changed', (one) => `version changed: ${fromTo(one)}`],
  ['maintenance', () => 'maintenance'],
  ['maintenance-ended', () => 'maintenance ended'],
  ['target-removed', () => 'target removed'],
  [
    'condition',
    (one) => `${one.condition ?? ''}${one.tagSets === undefined ? '' : ` for ${one.tagSets.join(', ')}`}: ${fromTo(one)}`,
  ],
]);

const what = (one: ShownTransition): string =>
  words.get(one.kind)?.(one) ?? (one.unseen === true ? `${one.from ?? ''} → ${one.to ?? ''}, between two polls` : fromTo(one));

/** The error of a check that has not run is not shown, because its state says the same. */
const detailOf = ({ error, message }: ShownTransition): string | undefined =>
  error === notYetRun ? message : (error ?? message);

export const lastChanges = ({ all, window }: History): Html | false => {
  const changes = folded(all.filter(({ at }) => at >= window.from))
    .slice(-maxListed)
    .reverse();
  if (changes.length === 0) return false;
  return html`<details data-key="changes"><summary>Last ${changes.length === 1 ? 'change' : `${changes.length} changes`} within ${span(window.to - window.from)}</summary><ol class="changes">
${changes.map(
  ({
    record: one,
    healthy,
  }) => html`<li><span class="num">${when(isoOf(one.at), rounded(window.to - one.at), '')}</span> ${one.check !== undefined && html`<b class="name">${one.check}</b> `}<span class="${one.to === 'failing' && !isNotYetRun(one.to, one) && 'ill'}">${what(one)}${healthy !== undefined && `, Healthy: ${fromTo(healthy)}`}</span>${detailOf(one) !== undefined && html` <span class="soft said">${shortened(detailOf(one) ?? '', 200)}</span>`}</li>
`,
)}</ol></details>`;
};
