// What happened to a target lately: the strips of its checks, and the last changes in words.

import { html } from 'hono/html';
import { folded } from '../events/fold.ts';
import { groupBy } from '../events/group-by.ts';
import type { CheckStatus } from '../sources/health/check-status.ts';
import { isoOf, rounded, shortened, span } from '../text.ts';
import { type Html, when } from './parts.ts';
import { type Happening, isNotYetRun, type SeenSince, strip, type Window, windowOf } from './strip.ts';

export interface History {
  readonly window: Window;
  readonly seen: SeenSince;
  /** Oldest first. */
  readonly all: readonly Happening[];
  readonly ofCheck: ReadonlyMap<string, readonly Happening[]>;
}

/** Most changes told in words. */
const maxTold = 12;

/** `heldFrom`: before it is forgotten what happened, where anything is. */
export const historyOf = (
  all: readonly Happening[],
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
  heldFrom?: number,
): History => {
  const since = heldFrom ?? Math.min(startedAt, all[0]?.at ?? startedAt);
  const ofChecks = all.filter(({ check }) => check !== undefined);
  const ofCheck = new Map(groupBy(ofChecks, ({ check = '' }) => check).map((group) => [group[0].check ?? '', group]));
  return { window: windowOf(since, now), seen: { since, begun: startedAt }, all, ofCheck };
};

/** Of a check that passes and did not change there is nothing to see. */
export const checkStrip = (check: CheckStatus, isOld: boolean, history: History): Html | false => {
  const happenings = (history.ofCheck.get(check.name) ?? []).filter(({ at }) => at <= history.window.to);
  const recent = happenings.some(({ at }) => at >= history.window.from);
  if (!recent && check.state !== 'failing') return false;
  const now = isOld || check.state === 'not-yet-run' ? 'unknown' : check.state;
  // Of a failure that began before anybody looked, the node itself says when.
  const since =
    happenings.length === 0 && check.firstFailureAt !== undefined ? Date.parse(check.firstFailureAt) / 1000 : history.seen.since;
  return strip(happenings, now, { ...history.seen, since }, history.window);
};

const stateWord = (word = '?', one: Happening): string => (isNotYetRun(word, one) ? 'not yet run' : word);
const fromTo = (one: Happening): string => `${stateWord(one.from, one)} → ${stateWord(one.to, one)}`;

/** By kind; every other is a check that changed. */
const words = new Map<string, (one: Happening) => string>([
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

const what = (one: Happening): string =>
  words.get(one.kind)?.(one) ?? (one.unseen === true ? `${one.from ?? ''} → ${one.to ?? ''}, between two polls` : fromTo(one));

/** That a check has not run is said by its state. */
const said = ({ reason, error, message }: Happening): string | undefined =>
  reason === 'not-yet-run' ? message : (error ?? message);

export const lastChanges = ({ all, window }: History): Html | false => {
  const told = folded(all.filter(({ at }) => at >= window.from))
    .slice(-maxTold)
    .reverse();
  if (told.length === 0) return false;
  return html`<details data-key="changes"><summary>Last ${told.length === 1 ? 'change' : `${told.length} changes`} within ${span(window.to - window.from)}</summary><ol class="changes">
${told.map(
  ({
    record: one,
    healthy,
  }) => html`<li><span class="num">${when(isoOf(one.at), rounded(window.to - one.at), '')}</span> ${one.check !== undefined && html`<b class="name">${one.check}</b> `}<span class="${one.to === 'failing' && !isNotYetRun(one.to, one) && 'ill'}">${what(one)}${healthy !== undefined && `, Healthy: ${fromTo(healthy)}`}</span>${said(one) !== undefined && html` <span class="soft said">${shortened(said(one) ?? '', 200)}</span>`}</li>
`,
)}</ol></details>`;
};
