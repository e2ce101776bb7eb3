// Draws the states of a check over the last hours as a strip, from the records of its transitions.

import { html } from 'hono/html';
import type { TransitionRecord } from '../events/record.ts';
import { span } from '../text.ts';
import type { Html } from './parts.ts';

/** The parts of a transition record that the strip and the list of changes show. */
export interface ShownTransition
  extends Pick<
    TransitionRecord,
    'at' | 'check' | 'condition' | 'tagSets' | 'from' | 'to' | 'unseen' | 'message' | 'error' | 'reason'
  > {
  readonly kind: string;
}

export type StripState = 'failing' | 'unknown' | 'passing';

/** A state from `from` until the next segment. */
interface StripSegment {
  readonly from: number;
  readonly state: StripState;
}

export interface Window {
  /** Seconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
}

/** Possible widths in seconds: the smallest one that shows all known states is used, at most six hours. */
const widths = [900, 3600, 10_800, 21_600] as const;

/** `since`: time of the oldest known state. */
export const windowOf = (since: number, now: number): Window => {
  const width = widths.find((seconds) => seconds >= now - since) ?? 21_600;
  return { from: now - width, to: now };
};

/** The node reports a check that has not run as failing, but its state is unknown. */
export const isNotYetRun = (word: string | undefined, { reason }: Pick<ShownTransition, 'reason'>): boolean =>
  word === 'failing' && reason === 'not-yet-run';

const stateOf = (word: string | undefined, one: ShownTransition): StripState =>
  (word === 'passing' || word === 'failing') && !isNotYetRun(word, one) ? word : 'unknown';

export interface SeenSince {
  /** Since when states are known. */
  readonly since: number;
  /** Since when this run of the exporter has watched. Older records are from earlier runs, which may have ended long before. */
  readonly begun: number;
  /** Oldest first. */
  readonly unobserved?: readonly Unobserved[];
}

/** A time in which nobody observed the state. If it ends when it begins: a moment at which the state may have been reset. */
export interface Unobserved {
  readonly from: number;
  /** Infinite if it lasts. */
  readonly to: number;
}

/** `transitions`: of one check, oldest first. `now`: its current state, or the last one that was observed. */
export const stretches = (
  transitions: readonly ShownTransition[],
  now: StripState,
  { since, begun, unobserved = [] }: SeenSince,
): readonly StripSegment[] => {
  const [first] = transitions;
  const start = Math.min(since, first?.at ?? since);
  const found: StripSegment[] = [{ from: start, state: first === undefined ? now : stateOf(first.from, first) }];
  const isCovered = unobserved.some(({ from, to }) => from <= begun && begun <= to);
  const breaks = [...unobserved, ...(isCovered ? [] : [{ from: begun, to: begun }])].filter(({ to }) => to > start);
  for (const one of withBreaks(
    transitions,
    now,
    breaks.sort((a, b) => a.from - b.from),
  )) {
    // For a recovery between two polls, the time is unknown: it is drawn as passing for one second.
    if (one.unseen === true) found.push({ from: one.at, state: 'passing' });
    found.push({ from: one.unseen === true ? one.at + 1 : one.at, state: stateOf(one.to, one) });
  }
  return found;
};

/** Adds a transition to unknown at the begin of each break, and one to the state after it at its end. */
const withBreaks = (
  transitions: readonly ShownTransition[],
  now: StripState,
  breaks: readonly Unobserved[],
): readonly ShownTransition[] => {
  const fromOf = (one: ShownTransition | undefined): StripState => (one === undefined ? now : stateOf(one.from, one));
  const all: ShownTransition[] = [];
  let rest = transitions;
  /** Returns whether there are any. */
  const addUntil = (end: number): boolean => {
    const next = rest.findIndex(({ at }) => at > end);
    const added = next === -1 ? rest : rest.slice(0, next);
    for (const one of added) all.push(one);
    rest = rest.slice(added.length);
    return added.length > 0;
  };
  for (const [index, { from, to }] of breaks.entries()) {
    addUntil(from);
    const last = all.at(-1);
    const was = last === undefined ? fromOf(transitions[0]) : stateOf(last.to, last);
    if (from < to) all.push({ kind: 'unobserved', at: from });
    // The poll that ended the break may have recorded the state.
    if (addUntil(to) || to === Number.POSITIVE_INFINITY) continue;
    // A change in between has no record: the state follows from the next transition, or from the current state. If there is another break
    // before that, it is known only if it is the one before, or was recorded by the first poll.
    const next = fromOf(rest[0]);
    const end = breaks[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const isNext = end === Number.POSITIVE_INFINITY || (rest[0]?.at ?? end) < end;
    const isFound = last?.kind === 'found-failing' && last.at > (breaks[index - 1]?.to ?? Number.NEGATIVE_INFINITY);
    const state = isNext ? next : next === was || isFound ? was : 'unknown';
    if (from < to || state !== was) all.push({ kind: 'observed', at: to, to: state });
  }
  return [...all, ...rest];
};

export const cells = 120;
/** Worst first. */
export const rank = { failing: 0, unknown: 1, passing: 2 } as const;

/** The worst state in each of a fixed number of cells, so that the strip stays small however often the check flaps. */
export const cellsOf = (found: readonly StripSegment[], { from, to }: Window): readonly (StripState | undefined)[] => {
  const width = (to - from) / cells;
  const states: (StripState | undefined)[] = Array.from({ length: cells }, () => undefined);
  for (const [at, { from: begin, state }] of found.entries()) {
    const end = found[at + 1]?.from ?? to;
    const first = Math.max(0, Math.floor((begin - from) / width));
    const last = Math.min(cells - 1, Math.ceil((end - from) / width) - 1);
    for (let cell = first; cell <= last; cell += 1) {
      const known = states[cell];
      if (known === undefined || rank[state] < rank[known]) states[cell] = state;
    }
  }
  return states;
};

/** Failing is tall and passing is flat, so that they differ without colours too. */
const shapes = { failing: 'v10', passing: 'v3', unknown: 'v1' } as const;

const pathOf = (states: readonly (StripState | undefined)[], state: StripState): string => {
  const parts: string[] = [];
  for (let at = 0; at < cells; at += 1) {
    if (states[at] !== state) continue;
    let end = at;
    while (states[end + 1] === state) end += 1;
    const height = shapes[state];
    parts.push(`M${at} ${10 - Number(height.slice(1))}h${end + 1 - at}${height}h-${end + 1 - at}z`);
    at = end;
  }
  return parts.join('');
};

const words = (found: readonly StripSegment[], window: Window): string => {
  const within = found.map(({ from, state }, at) => ({ from, state, to: found[at + 1]?.from ?? window.to }));
  const known = within.filter(({ state, to }) => state !== 'unknown' && to > window.from);
  const failing = known.filter(({ state }) => state === 'failing');
  // A failure before and after a time without observation counts once.
  const times = known.filter(({ state }, at) => state === 'failing' && known[at - 1]?.state !== 'failing').length;
  // If the clock was set back, a segment may end before it begins.
  const seconds = failing.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, window.from)), 0);
  if (failing.length === 0) return 'did not fail';
  return `failed ${times === 1 ? 'once' : `${times} times`}, ${span(seconds)} in all`;
};

/** `now`: the current state of the check. */
export const strip = (transitions: readonly ShownTransition[], now: StripState, seen: SeenSince, window: Window): Html => {
  const found = stretches(transitions, now, seen);
  const states = cellsOf(found, window);
  const label = `last ${span(window.to - window.from)}: ${words(found, window)}`;
  const path = (state: StripState): Html | false => {
    const d = pathOf(states, state);
    return d !== '' && html`<path class="${state}" d="${d}"/>`;
  };
  return html`<div class="strip"><svg aria-hidden="true" viewBox="0 0 120 10" preserveAspectRatio="none">${path('passing')}${path('unknown')}${path('failing')}</svg><div class="ends"><span>${label}</span><span aria-hidden="true">now</span></div></div>`;
};
