// The words of a condition: one line each, and nothing of the node's in it that a terminal or a page would choke on.

import { describe, type Failure } from '../client/outcome.ts';

export { span } from '../snapshot/text.ts';

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

export const failureText = (failure: Failure): string => printable(describe(failure), 600);
