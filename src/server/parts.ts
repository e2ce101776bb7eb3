// Small pieces of the page that several sections share.

import { html } from 'hono/html';
import { ago, span } from '../text.ts';
import type { Mark } from './marks.ts';

/** Escaped text; hono's tag also types it as a promise, which it is only where a value is one. */
export type Html = ReturnType<typeof html>;

export const signs = { good: '✓', bad: '✕', warn: '!', none: '·' } as const;

/** A sign for the eye, a word for everyone. */
export const mark = ({ level, word }: Mark): Html =>
  html`<span class="mark ${level}"><span aria-hidden="true">${signs[level]}</span> ${word}</span>`;

/** `2026-11-20 12:00:00 UTC` */
export const utc = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;

/** `12:00:00`, with the date when that is not about today. */
export const clockTime = (instant: string, ageSeconds: number): string => {
  const time = instant.slice(11, 19);
  return Math.abs(ageSeconds) < 43_200 ? time : `${instant.slice(0, 10)} ${time}`;
};

/** `12 s ago`, the instant behind it; `none` where there is no instant. The script lets the age grow. */
export const when = (instant: string | undefined, ageSeconds: number | undefined, none: string): Html | string => {
  if (instant === undefined || ageSeconds === undefined) return none;
  return html`<time datetime="${instant}" title="${utc(instant)}" data-age="${ageSeconds}">${ago(ageSeconds)}</time>`;
};

/** `12 s`: how long it has been so. */
export const lasting = (instant: string | undefined, ageSeconds: number | undefined, none: string): Html | string => {
  if (instant === undefined || ageSeconds === undefined) return none;
  return html`<time datetime="${instant}" title="${utc(instant)}" data-age="${ageSeconds}" data-as="span">${span(Math.max(0, ageSeconds))}</time>`;
};

export const instant = (iso: string): Html => html`<time datetime="${iso}">${utc(iso)}</time>`;

/** Where a target of a fleet stands alone. */
export const targetHref = (name: string): string => `/?target=${encodeURIComponent(name)}`;

/** `a, b and c` */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
