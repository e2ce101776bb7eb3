// The words of a condition: one line each, and nothing of the node's in it that a terminal or a page would choke on.

import { describe, type Failure } from '../client/outcome.ts';

/** One line of at most `length` characters: control characters and line ends become spaces, lone surrogates U+FFFD. */
export const oneLine = (text: string, length: number): string => {
  const line = text
    .slice(0, 4 * length)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

const longestFailure = 300;

export const failureText = (failure: Failure): string => oneLine(describe(failure), longestFailure);

/** `40 s`, `12 min`, `3 h`. */
export const span = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
};
