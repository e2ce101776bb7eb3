// Formats text and times for people. The result cannot move a cursor, change a colour or reverse the text direction.

/** Control and format characters, line separators and halves of surrogate pairs, except line breaks and tabs. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const lineBreaks = /[\n\r\u0085\u2028\u2029]+/g;

/** The first `limit` UTF-16 units, without half of a surrogate pair at the end. */
export const firstUnits = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');

/** At most `limit` UTF-16 units: a longer text ends with "…". */
export const truncated = (text: string, limit: number): string =>
  text.length <= limit ? text : `${firstUnits(text, Math.max(0, limit - 1))}…`;

/** For text of several lines, as on a page. At most `limit` UTF-16 units: a longer text keeps both ends around a "…". */
export const shortened = (text: string, limit: number): string => cut(text, limit).replace(unprintable, '\uFFFD');

/** One line of about `limit` UTF-16 units. It may be slightly longer, because a line break becomes "; ". */
export const printable = (text: string, limit = 200): string =>
  cut(text.trim(), limit).replace(lineBreaks, '; ').replaceAll('\t', ' ').replace(unprintable, '\uFFFD');

/** A text that a client sent, for a message about it. */
export const quoted = (text: string): string => JSON.stringify(shortened(text, 64));

/** The longest name of a target is NAMESPACE/POD: at most 63 and 253 characters. */
export const maxTargetNameLength = 317;

/** Maximum number of names in the error for an unknown one. */
const maxNames = 20;

/** `unknown target "nod": expected one of a, b`: the name may be misspelt. */
export const unknownName = (kind: string, name: string, known: readonly string[]): string => {
  const more = known.length > maxNames ? ` and ${known.length - maxNames} more` : '';
  const expected = known.length === 0 ? 'there is none' : `expected one of ${known.slice(0, maxNames).join(', ')}${more}`;
  return `unknown ${kind} ${quoted(name)}: ${expected}`;
};

const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const tail = Math.floor((limit - 1) / 3);
  return `${firstUnits(text, limit - 1 - tail)}…${text.slice(text.length - tail).replace(/^[\udc00-\udfff]/, '')}`;
};

/** A UTF-16 unit as an escape of JSON in ASCII. */
export const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line of JSON in ASCII, with its line end. */
export const printableJson = (value: unknown): string => `${JSON.stringify(value).replace(/[\u007f-\uffff]/g, escapedUnit)}\n`;

/** Undefined if the text is not JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The code of an error, such as ENOENT; else its message. */
export const codeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);

/** A count with its noun, such as `1 target` or `2 targets`. */
export const counted = (count: number, noun: string, many = `${noun}s`): string => `${count} ${count === 1 ? noun : many}`;

/**
 * A ratio in percent with two decimals. It is rounded down, so that a value does not seem to have reached a limit that it has not reached.
 */
export const percent = (ratio: number): string => `${Math.floor(Number((ratio * 10_000).toPrecision(12))) / 100} %`;

/** A ratio in percent with two significant digits, for ratios that may be far below a hundredth of a percent. */
export const roughPercent = (ratio: number): string => `${Number((ratio * 100).toPrecision(2))} %`;

/** RFC 3339 in UTC with milliseconds, from seconds since the Unix epoch. */
export const isoOf = (instant: number): string => new Date(instant * 1000).toISOString();

/** Rounded to milliseconds, the precision of an age or a skew. */
export const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** The two largest units of a span: `4 s`, `3 min 20 s`, `2 d 5 h`; below a second in milli- or microseconds. */
export const span = (seconds: number): string => {
  if (seconds === 0) return '0 s';
  const [micros, millis] = [Math.round(seconds * 1e6), Math.round(seconds * 1000)];
  if (micros < 1000) return `${micros} µs`;
  if (millis < 1000) return `${millis} ms`;
  const whole = Math.round(seconds);
  const first = units.findIndex((unit) => whole >= unit.seconds);
  const large = units[first];
  if (large === undefined) return `${whole} s`;
  const small = units[first + 1];
  const rest = small === undefined ? 0 : Math.floor((whole % large.seconds) / small.seconds);
  const head = `${Math.floor(whole / large.seconds)} ${large.name}`;
  return small === undefined || rest === 0 ? head : `${head} ${rest} ${small.name}`;
};

/** `4 s ago`; or `4 s ahead` for a time in the future, for example if a clock is wrong. */
export const ago = (seconds: number): string => {
  if (Math.abs(seconds) < 1) return 'just now';
  return seconds < 0 ? `${span(-seconds)} ahead` : `${span(seconds)} ago`;
};

/** `FILE: REASON`, if the text looks like a path or like `ca.pem`. Else only the reason, because the text may be the secret itself. */
export const ofFile = (given: string, reason: string, name = given): string =>
  /^\.{0,2}\/|^[^\n]{1,32}\.[a-z]{1,8}$/.test(given) ? `${name}: ${reason}` : reason;

// The contents of a PEM file, by its markers. OpenSSL treats a file without certificates as an empty list of authorities, and its error for
// swapped files is 'no start line'.
export const holdsCertificate = (pem: string): boolean => pem.includes('CERTIFICATE-----');
export const holdsPrivateKey = (pem: string): boolean => pem.includes('PRIVATE KEY-----');
