// Finds the first JSON value of a text and says what is wrong with it in the words of Go's encoding/json. A library gives
// neither: the node ignores what follows the first value, echoes `id` and `params` as they were written, and tells its
// caller Go's own sentence.

/** Where the value ends, or Go's error text. */
export type Scanned = number | string;

const maxDepth = 10_000;

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

export const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
};

/** Go reads bytes: of a character beyond ASCII it names the first one. */
const quoteChar = (char: string): string => {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  const byte = Buffer.from(char)[0] ?? 0;
  if (byte < 0x20 || (byte >= 0x7f && byte < 0xa1) || byte === 0xad) {
    const known = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[byte];
    return `'\\${known ?? `${byte < 0x80 ? 'x' : 'u00'}${byte.toString(16).padStart(2, '0')}`}'`;
  }
  return char === '\\' ? "'\\\\'" : `'${String.fromCharCode(byte)}'`;
};

const invalid = (text: string, at: number, where: string): string => {
  const char = text.codePointAt(at);
  return char === undefined ? 'unexpected EOF' : `invalid character ${quoteChar(String.fromCodePoint(char))} ${where}`;
};

const scanString = (text: string, from: number): Scanned => {
  let at = from + 1;
  for (;;) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === undefined || char < ' ') return invalid(text, at, 'in string literal');
    if (char === '\\') {
      at += 1;
      const escaped = text[at];
      if (escaped === 'u') {
        for (let digit = 0; digit < 4; digit += 1) {
          at += 1;
          if (!/^[0-9a-fA-F]$/.test(text[at] ?? '')) return invalid(text, at, 'in \\u hexadecimal character escape');
        }
      } else if (escaped === undefined || !'bfnrt\\/"'.includes(escaped)) return invalid(text, at, 'in string escape code');
    }
    at += 1;
  }
};

const skipDigits = (text: string, from: number): number => {
  let at = from;
  while (isDigit(text[at])) at += 1;
  return at;
};

const scanNumber = (text: string, from: number): Scanned => {
  let at = text[from] === '-' ? from + 1 : from;
  if (!isDigit(text[at])) return invalid(text, at, 'in numeric literal');
  at = text[at] === '0' ? at + 1 : skipDigits(text, at);
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) return invalid(text, at + 1, 'after decimal point in numeric literal');
    at = skipDigits(text, at + 1);
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1;
    if (!isDigit(text[at])) return invalid(text, at, 'in exponent of numeric literal');
    at = skipDigits(text, at);
  }
  return at;
};

const scanLiteral = (text: string, from: number, literal: string): Scanned => {
  for (let step = 1; step < literal.length; step += 1)
    if (text[from + step] !== literal[step])
      return invalid(text, from + step, `in literal ${literal} (expecting ${quoteChar(literal[step] ?? '')})`);
  return from + literal.length;
};

const scanScalar = (text: string, at: number): Scanned => {
  const char = text[at];
  if (char === '"') return scanString(text, at);
  if (char === '-' || isDigit(char)) return scanNumber(text, at);
  if (char === 't') return scanLiteral(text, at, 'true');
  if (char === 'f') return scanLiteral(text, at, 'false');
  if (char === 'n') return scanLiteral(text, at, 'null');
  return invalid(text, at, 'looking for beginning of value');
};

const scanKey = (text: string, from: number): Scanned => {
  if (text[from] !== '"') return invalid(text, from, 'looking for beginning of object key string');
  const end = scanString(text, from);
  if (typeof end === 'string') return end;
  const colon = skipSpace(text, end);
  return text[colon] === ':' ? skipSpace(text, colon + 1) : invalid(text, colon, 'after object key');
};

/** The end of the value that begins at `from`, which must not be white space. Keeps its own stack: depth is the caller's. */
export const scanValue = (text: string, from: number): Scanned => {
  const open: string[] = [];
  let at = from;
  for (;;) {
    const opening = text[at];
    if (opening === '{' || opening === '[') {
      if (open.length >= maxDepth) return invalid(text, at, 'exceeded max depth');
      const close = opening === '{' ? '}' : ']';
      at = skipSpace(text, at + 1);
      if (text[at] !== close) {
        open.push(close);
        const first = close === '}' ? scanKey(text, at) : at;
        if (typeof first === 'string') return first;
        at = first;
        continue;
      }
      at += 1;
    } else {
      const end = scanScalar(text, at);
      if (typeof end === 'string') return end;
      at = end;
    }
    // A value has ended: close what it was the last of, until another one follows.
    for (;;) {
      const close = open.at(-1);
      if (close === undefined) return at;
      at = skipSpace(text, at);
      if (text[at] === ',') {
        const next = skipSpace(text, at + 1);
        const begin = close === '}' ? scanKey(text, next) : next;
        if (typeof begin === 'string') return begin;
        at = begin;
        break;
      }
      if (text[at] !== close) return invalid(text, at, close === '}' ? 'after object key:value pair' : 'after array element');
      open.pop();
      at += 1;
    }
  }
};

/** Name and raw text of each member of the object at `from`, whose syntax scanValue has found right. */
export const membersOf = (text: string, from: number): readonly (readonly [name: string, raw: string])[] => {
  const members: [string, string][] = [];
  let at = skipSpace(text, from + 1);
  while (text[at] === '"') {
    const keyEnd = scanString(text, at);
    const value = scanKey(text, at);
    const end = typeof value === 'number' ? scanValue(text, value) : value;
    if (typeof keyEnd === 'string' || typeof value === 'string' || typeof end === 'string') break;
    const name: unknown = JSON.parse(text.slice(at, keyEnd));
    members.push([String(name), text.slice(value, end)]);
    const comma = skipSpace(text, end);
    at = text[comma] === ',' ? skipSpace(text, comma + 1) : comma;
  }
  return members;
};
