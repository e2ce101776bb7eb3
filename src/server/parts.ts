// Small pieces of the page that several sections share.

import { html } from 'hono/html';
import { ago, span } from '../text.ts';
import type { Mark } from './marks.ts';

/** Escaped HTML. hono also types it as a promise, but it is a promise only if one of its values is. */
export type Html = ReturnType<typeof html>;

export const signs = { good: '✓', bad: '✕', warn: '!', none: '·' } as const;

/** A level as a sign and a word. Screen readers read only the word. */
export const mark = ({ level, word }: Mark): Html =>
  html`<span class="mark ${level}"><span aria-hidden="true">${signs[level]}</span> ${word}</span>`;

/** `2026-11-20 12:00:00 UTC` */
export const utc = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;

/** `12:00:00`, with the date if the time is not within the last or next twelve hours. */
export const clockTime = (instant: string, ageSeconds: number): string => {
  const time = instant.slice(11, 19);
  return Math.abs(ageSeconds) < 43_200 ? time : `${instant.slice(0, 10)} ${time}`;
};

/** `12 s ago`, with the time as a tooltip; `none` if there is no time. The script of the page updates the age. */
export const when = (instant: string | undefined, ageSeconds: number | undefined, none: string): Html | string => {
  if (instant === undefined || ageSeconds === undefined) return none;
  return html`<time datetime="${instant}" title="${utc(instant)}" data-age="${ageSeconds}">${ago(ageSeconds)}</time>`;
};

/** `12 s`: how long a state has lasted, with the time when it began as a tooltip; `none` if there is no time. */
export const lasting = (instant: string | undefined, ageSeconds: number | undefined, none: string): Html | string => {
  if (instant === undefined || ageSeconds === undefined) return none;
  return html`<time datetime="${instant}" title="${utc(instant)}" data-age="${ageSeconds}" data-as="span">${span(Math.max(0, ageSeconds))}</time>`;
};

export const instant = (iso: string): Html => html`<time datetime="${iso}">${utc(iso)}</time>`;

/** The head of a table. With the roles it stays a table for screen readers, although the style sheet changes `display` on a phone. */
export const tableHead = (...columns: readonly string[]): Html =>
  html`<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>`;

/**
 * The URL of the page. All links are relative, because a proxy may serve the page below a path: an Ingress, or the API server for
 * `kubectl proxy`.
 */
export const home = './';

/** The URL of the page of a single target. */
export const targetHref = (name: string): string => `?target=${encodeURIComponent(name)}`;

/** `a, b and c` */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** After a sentence that all is healthy. */
export const exceptionsText = (all: readonly string[]): string => (all.length === 0 ? '' : `, except for ${listed(all)}`);
