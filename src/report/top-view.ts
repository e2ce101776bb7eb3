// The view of `snowgauge top`: how keys change it, and the lines of the screen. This file does not use the terminal.

import { maxTargetNameLength, printable, span, truncated } from '../text.ts';
import { fleetText, type Sort, sorts } from './fleet.ts';
import type { FleetAnswer } from './fleet-answer.ts';
import type { Paint } from './paint.ts';

export interface TopView {
  readonly sort: Sort;
  readonly filter: string;
  /** A filter is being typed. */
  readonly isTyping: boolean;
  readonly onlyIll: boolean;
  readonly by: string;
  readonly offset: number;
}

/** A key press, as node:readline reports it. */
export interface Key {
  readonly name?: string | undefined;
  /** The characters that the key sends. */
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

const pageOf = 10;

/** The view after a key, or `quit`. */
export const afterKey = (view: TopView, { name, sequence = '', ctrl }: Key): TopView | 'quit' => {
  if (ctrl === true && (name === 'c' || name === 'd')) return 'quit';
  if (view.isTyping) return afterTyped(view, name, sequence);
  const offset = { up: -1, k: -1, down: 1, j: 1, pageup: -pageOf, pagedown: pageOf }[name ?? ''];
  if (offset !== undefined) return { ...view, offset: Math.max(0, view.offset + offset) };
  switch (sequence) {
    case 'q':
      return 'quit';
    case 's':
      return { ...view, sort: sorts[(sorts.indexOf(view.sort) + 1) % sorts.length] ?? 'worst', offset: 0 };
    case 'h':
      return { ...view, onlyIll: !view.onlyIll, offset: 0 };
    case 'g':
      return { ...view, by: view.by === 'subnet' ? 'network' : 'subnet' };
    case '/':
      return { ...view, isTyping: true, offset: 0 };
    default:
      return name === 'escape' ? { ...view, filter: '' } : view;
  }
};

const afterTyped = (view: TopView, name: string | undefined, sequence: string): TopView => {
  if (name === 'return' || name === 'enter') return { ...view, isTyping: false };
  if (name === 'escape') return { ...view, isTyping: false, filter: '' };
  if (name === 'backspace') return { ...view, filter: view.filter.slice(0, -1) };
  return /^[!-~]$/.test(sequence) && view.filter.length < maxTargetNameLength
    ? { ...view, filter: view.filter + sequence }
    : view;
};

/** `failed`: seconds since the last response, and why the last request failed. */
export interface Screen {
  readonly url: string;
  readonly fleet: FleetAnswer | undefined;
  readonly failed?: { readonly seconds: number; readonly reason: string } | undefined;
  readonly columns: number;
  readonly rows: number;
}

/**
 * The lines of the screen: not more than the terminal has, and none longer than its width. `offset` is the one that is shown, so that scrolling
 * ends at the last page.
 */
export const screenText = (view: TopView, { url, fleet, failed, columns, rows }: Screen, paint: Paint) => {
  const top =
    failed === undefined
      ? paint.strong(truncated(`snowgauge top ${url}`, columns))
      : paint.bad(
          truncated(`Disconnected for ${span(Math.round(failed.seconds))}: ${printable(failed.reason)} (${url})`, columns),
        );
  const keys = view.isTyping
    ? `name: ${view.filter}_  Enter keeps it, Esc clears it`
    : `q quit  s sort: ${view.sort}  / name: ${view.filter === '' ? 'all' : view.filter}  h ${view.onlyIll ? 'all' : 'hide healthy'}  g by ${view.by}`;
  const body = fleet && fleetText(withoutHidden(fleet, view), { ...view, columns, rows: rows - 2 }, paint);
  const lines = [top, ...(body?.lines ?? []).slice(0, Math.max(0, rows - 2)), paint.faint(truncated(keys, columns))];
  return { lines, offset: body?.offset ?? 0 };
};

const withoutHidden = (fleet: FleetAnswer, { onlyIll }: TopView): FleetAnswer => ({
  ...fleet,
  targets: fleet.targets.filter(({ health }) => !onlyIll || health !== 'healthy'),
});
