// Finds the first JSON value of a text and reports errors in the words of Go's encoding/json. No library does
// either: the node ignores what follows the first value, echoes `id` and `params` as they were written, and returns
// Go's own messages to its clients.

import { goQuoted } from './go-json.ts';
import { maxJsonDepth, maxValues } from './limits.ts';

/** Its message is Go's own. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

export const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
};

/** Go quotes only the first byte of a character. */
const quoteChar = (char: string): string => {
  if (char === "'") return "'\\''";
  return char === '"' ? `'"'` : `'${goQuoted(Buffer.from(char).toString('latin1', 0, 1)).slice(1, -1)}'`;
};

const invalid = (text: string, at: number, where: string): JsonError => {
  const char = text.codePointAt(at);
  return new JsonError(
    char === undefined ? 'unexpected EOF' : `invalid character ${quoteChar(String.fromCodePoint(char))} ${where}`,
  );
};

// Each scan returns the end of the value that starts at `from`, or throws a JsonError.

const scanString = (text: string, from: number): number => {
  let at = from + 1;
  for (;;) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === undefined || char < ' ') throw invalid(text, at, 'in string literal');
    at = char === '\\' ? scanEscape(text, at) : at + 1;
  }
};

const scanEscape = (text: string, from: number): number => {
  if (text[from + 1] !== 'u') {
    if (!'bfnrt\\/"'.includes(text[from + 1] ?? ' ')) throw invalid(text, from + 1, 'in string escape code');
    return from + 2;
  }
  for (let at = from + 2; at < from + 6; at += 1)
    if (!/^[0-9a-fA-F]$/.test(text[at] ?? '')) throw invalid(text, at, 'in \\u hexadecimal character escape');
  return from + 6;
};

const scanDigits = (text: string, from: number, where: string): number => {
  let at = from;
  while (isDigit(text[at])) at += 1;
  if (at === from) throw invalid(text, at, where);
  return at;
};

const scanNumber = (text: string, from: number): number => {
  let at = text[from] === '-' ? from + 1 : from;
  at = text[at] === '0' ? at + 1 : scanDigits(text, at, 'in numeric literal');
  if (text[at] === '.') at = scanDigits(text, at + 1, 'after decimal point in numeric literal');
  if (text[at] !== 'e' && text[at] !== 'E') return at;
  const sign = text[at + 1] === '+' || text[at + 1] === '-' ? 1 : 0;
  return scanDigits(text, at + 1 + sign, 'in exponent of numeric literal');
};

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const scanScalar = (text: string, at: number): number => {
  const char = text[at] ?? '';
  if (char === '"') return scanString(text, at);
  if (char === '-' || isDigit(char)) return scanNumber(text, at);
  const literal = literals[char];
  if (literal === undefined) throw invalid(text, at, 'looking for beginning of value');
  for (let step = 1; step < literal.length; step += 1)
    if (text[at + step] !== literal[step])
      throw invalid(text, at + step, `in literal ${literal} (expecting ${quoteChar(literal[step] ?? '')})`);
  return at + literal.length;
};

/** Skips a key and its colon, to the start of its value. */
const scanKey = (text: string, from: number): number => {
  if (text[from] !== '"') throw invalid(text, from, 'looking for beginning of object key string');
  const colon = skipSpace(text, scanString(text, from));
  if (text[colon] !== ':') throw invalid(text, colon, 'after object key');
  return skipSpace(text, colon + 1);
};

/** `from` must not be white space. Has its own stack, because clients set the depth. */
export const scanValue = (text: string, from: number): number => {
  const closings: string[] = [];
  const startOfNext = (at: number): number => (closings.at(-1) === '}' ? scanKey(text, at) : at);
  let at = from;
  for (let values = 1; ; values += 1) {
    // Go has no message for this.
    if (values > maxValues) throw new JsonError('exceeded max values');
    if (text[at] === '{' || text[at] === '[') {
      if (closings.length >= maxJsonDepth) throw invalid(text, at, 'exceeded max depth');
      const closing = text[at] === '{' ? '}' : ']';
      closings.push(closing);
      at = skipSpace(text, at + 1);
      if (text[at] !== closing) {
        at = startOfNext(at);
        continue;
      }
    } else at = scanScalar(text, at);
    // A value has ended: close the objects and arrays that it was the last of, until another one follows.
    for (;;) {
      const closing = closings.at(-1);
      if (closing === undefined) return at;
      at = skipSpace(text, at);
      if (text[at] === ',') {
        at = startOfNext(skipSpace(text, at + 1));
        break;
      }
      if (text[at] !== closing) throw invalid(text, at, closing === '}' ? 'after object key:value pair' : 'after array element');
      closings.pop();
      at += 1;
    }
  }
};

/** Name and raw text of each member of the object at `from`, whose syntax scanValue has checked. */
export const jsonMembersOf = (text: string, from: number): readonly (readonly [name: string, raw: string])[] => {
  const members: [string, string][] = [];
  let at = skipSpace(text, from + 1);
  while (text[at] === '"') {
    const value = scanKey(text, at);
    const end = scanValue(text, value);
    members.push([String(JSON.parse(text.slice(at, scanString(text, at)))), text.slice(value, end)]);
    const comma = skipSpace(text, end);
    at = text[comma] === ',' ? skipSpace(text, comma + 1) : comma;
  }
  return members;
};

/** Value of a string with valid syntax. Go has no lone surrogates. */
export const goTextOf = (raw: string): string => String(JSON.parse(raw)).toWellFormed();
