// The words of a condition: one line each, and nothing of the node's in it that a terminal or a page would choke on.

import { describe, type Failure } from '../client/outcome.ts';

const lineBreaks = /[\n\r\u0085\u2028\u2029]+/g;

/** Control and format characters and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * At most `limit` UTF-16 units of the text, both ends around a "…" where it is longer; then made printable: one line, and nothing
 * that moves a cursor, changes a colour or turns the direction.
 */
export const printable = (text: string, limit = 200): string => {
  const tail = Math.floor((limit - 1) / 3);
  const cut = text.length <= limit ? text : `${text.slice(0, limit - 1 - tail)}…${text.slice(text.length - tail)}`;
  return cut.replace(lineBreaks, '; ').replaceAll('\t', ' ').replace(unprintable, '\uFFFD');
};

export const failureText = (failure: Failure): string => printable(describe(failure), 300);

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** The two largest units of a span: `4 s`, `3 min 20 s`, `2 d 5 h`; below a second in milli- or microseconds. */
export const span = (seconds: number): string => {
  if (seconds === 0) return '0 s';
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const whole = Math.round(seconds);
  const first = units.findIndex((unit) => whole >= unit.seconds);
  const large = units[first];
  if (large === undefined) return `${whole} s`;
  const small = units[first + 1];
  const rest = small === undefined ? 0 : Math.floor((whole % large.seconds) / small.seconds);
  const head = `${Math.floor(whole / large.seconds)} ${large.name}`;
  return small === undefined || rest === 0 ? head : `${head} ${rest} ${small.name}`;
};
