// JSON as Go's encoding/json writes it: map keys sorted, and < > & and the line separators escaped in every string.

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const escapeMarkup = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);

/** A lone surrogate cannot be UTF-8: Go writes the replacement character. Escaped backslashes are stepped over. */
const wellFormed = (json: string): string =>
  json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\\ufffd'));

export const goString = (text: string): string => escapeMarkup(wellFormed(JSON.stringify(text)));

type Members = readonly (readonly [name: string, json: string])[];

/** Go sorts keys by their bytes; UTF-16 order differs beyond the basic plane. */
const byBytes = ([a]: Members[number], [b]: Members[number]): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const joinMembers = (members: Members): string => `{${members.map(([name, json]) => `${goString(name)}:${json}`).join(',')}}`;

/** A JSON object of members that are JSON already, sorted. Takes pairs, because a key may be `__proto__` or `1`. */
export const goObject = (members: Members): string => joinMembers([...members].sort(byBytes));

const goValue = (value: unknown, write: (members: Members) => string): string => {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item, write)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return write(members.map(([name, member]) => [name, goValue(member, write)]));
};

/** A JSON value with the members of its objects in their own order, as Go writes a struct; undefined members are left out. */
export const goStruct = (value: unknown): string => goValue(value, joinMembers);

/** A JSON value with the members of its objects sorted, as Go writes a map. */
export const goMap = (value: unknown): string => goValue(value, goObject);

/** JSON text that is passed on as it came: without the white space between its tokens, and escaped. */
export const goCompact = (json: string): string =>
  escapeMarkup(json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : '')));
