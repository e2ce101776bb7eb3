// JSON as Go's encoding/json writes it: map keys sorted, and < > & and the line separators escaped in every string.

declare const shape: unique symbol;

/** JSON text of a value of type T. Branded where the text is written. */
export type Json<T> = string & { readonly [shape]: T };

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const escapeMarkup = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);

/** A lone surrogate cannot be UTF-8: Go writes the replacement character. Escaped backslashes are skipped. */
const wellFormed = (json: string): string =>
  json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\\ufffd'));

export const goString = (text: string): Json<string> => escapeMarkup(wellFormed(JSON.stringify(text))) as Json<string>;

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quoted as by Go's %q, which is not JSON. */
export const goQuoted = (text: string): string => `"${Array.from(text, goQuotedChar).join('')}"`;

const goQuotedChar = (char: string): string => {
  const short = shortEscapes[char];
  if (short !== undefined || /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) return short ?? char;
  const code = char.codePointAt(0) ?? 0;
  const [letter, digits] = code < 0x80 ? ['x', 2] : code < 0x1_0000 ? ['u', 4] : ['U', 8];
  return `\\${letter}${code.toString(16).padStart(Number(digits), '0')}`;
};

type Members = readonly (readonly [name: string, json: string])[];

/** Go sorts keys by their bytes; UTF-16 order differs beyond the basic plane. */
const byBytes = ([a]: Members[number], [b]: Members[number]): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const joinMembers = (members: Members): string => `{${members.map(([name, json]) => `${goString(name)}:${json}`).join(',')}}`;

/** A Go map: JSON members, sorted by name. Takes pairs, because a key may be `__proto__` or `1`. */
export const goMap = <T>(members: readonly (readonly [name: string, json: Json<T>])[]): Json<Readonly<Record<string, T>>> =>
  joinMembers([...members].sort(byBytes)) as Json<Readonly<Record<string, T>>>;

/** A Go struct: JSON members, in the given order. */
export const goMembers = <T extends object>(members: { readonly [N in keyof T]: Json<T[N]> }): Json<T> =>
  joinMembers(Object.entries<string>(members)) as Json<T>;

/** A JSON value with members in their own order, like a Go struct; undefined members are omitted. */
export const goStruct = <T>(value: T): Json<T> => goValue(value) as Json<T>;

const goValue = (value: unknown): string => {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(goValue).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return joinMembers(members.map(([name, member]) => [name, goValue(member)]));
};

/** Escapes JSON text that is passed on, and removes white space between its tokens. */
export const goCompact = (json: string): string =>
  escapeMarkup(json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : '')));
