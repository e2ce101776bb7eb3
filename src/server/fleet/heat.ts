// Draws how many targets of a group were not ready over time as a strip, from the records of their condition Ready.

import { html } from 'hono/html';
import { greatest, groupBy } from '../../lists.ts';
import { span } from '../../text.ts';
import type { Html } from '../parts.ts';
import { cells, cellsOf, rank, type SeenSince, type ShownTransition, type StripState, stretches, type Window } from '../strip.ts';
import type { RowTagSet } from './row.ts';

/** Per cell of the window: number of targets with a known state, and number that were not ready at any time in the cell. */
export interface Heat {
  readonly known: readonly number[];
  readonly notReady: readonly number[];
}

/** A target of a group: its tag sets that count, and since when its state is known. */
export interface Member {
  readonly sets: readonly RowTagSet[];
  readonly seen: SeenSince;
}

const stateOf = (status: string | undefined): StripState =>
  status === 'True' ? 'passing' : status === 'False' ? 'failing' : 'unknown';

/** Translates the status of a condition into the states of a check. */
const asCheck = (one: ShownTransition): ShownTransition => ({ ...one, from: stateOf(one.from), to: stateOf(one.to) });

const cellsOfMember = ({ sets, seen }: Member, window: Window): readonly (StripState | undefined)[] => {
  const all = sets.map(({ ready, changes }) => cellsOf(stretches(changes.map(asCheck), stateOf(ready.status), seen), window));
  const [first = [], ...others] = all;
  if (others.length === 0) return first;
  return first.map((state, at) =>
    others.reduce((worst, other) => {
      const its = other[at];
      return its !== undefined && (worst === undefined || rank[its] < rank[worst]) ? its : worst;
    }, state),
  );
};

export const heatOf = (members: readonly Member[], window: Window): Heat => {
  const [known, notReady] = [new Array<number>(cells).fill(0), new Array<number>(cells).fill(0)];
  // Most targets have changed at their start only: of those that changed within the same second, one is evaluated.
  for (const alike of groupBy(members, historyKey)) {
    const count = alike.length;
    for (const [at, state] of cellsOfMember(alike[0], window).entries()) {
      if (state === 'passing' || state === 'failing') known[at] = (known[at] ?? 0) + count;
      if (state === 'failing') notReady[at] = (notReady[at] ?? 0) + count;
    }
  }
  return { known, notReady };
};

const historyKey = ({ sets, seen }: Member): string => {
  const parts = sets.map(
    ({ ready, changes }) =>
      changes.map(({ at, kind, from, to, unseen }) => `${Math.floor(at)} ${kind} ${from} ${to} ${unseen}`).join() + ready.status,
  );
  return `${Math.floor(seen.since)} ${parts.join(';')}`;
};

/** Ready is flat; not ready is as tall as its fraction, so that it can be seen without colours too. */
const height = (known: number, notReady: number): number => (notReady === 0 ? 2 : Math.round(3 + (7 * notReady) / known));

export const heatStrip = ({ known, notReady }: Heat, window: Window): Html => {
  const paths = { passing: '', failing: '' };
  for (let at = 0; at < cells; ) {
    const [of = 0, bad = 0] = [known[at], notReady[at]];
    let end = at + 1;
    while (end < cells && height(known[end] ?? 0, notReady[end] ?? 0) === height(of, bad) && (known[end] === 0) === (of === 0))
      end += 1;
    const tall = height(of, bad);
    if (of > 0) paths[bad > 0 ? 'failing' : 'passing'] += `M${at} ${10 - tall}h${end - at}v${tall}h-${end - at}z`;
    at = end;
  }
  return html`<div class="strip"><svg aria-hidden="true" viewBox="0 0 ${cells} 10" preserveAspectRatio="none"><path class="passing" d="${paths.passing}"/><path class="failing" d="${paths.failing}"/></svg><div class="ends"><span>${labelOf({ known, notReady }, window)}</span></div></div>`;
};

/** The strip as text, for screen readers. */
const labelOf = ({ known, notReady }: Heat, { from, to }: Window): string => {
  const max = greatest(notReady);
  const isUnknown = known.at(-1) === 0;
  if (max === 0) return `last ${span(to - from)}: none not ready${isUnknown ? ', unknown now' : ''}`;
  const at = notReady.indexOf(max);
  const ago = ((cells - at - 0.5) / cells) * (to - from);
  return `last ${span(to - from)}: at most ${max} of ${known[at]} not ready, ${span(Math.round(ago / 60) * 60)} ago`;
};
