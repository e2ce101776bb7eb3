// RFC 3339 timestamps as Go writes them: any offset, 0 to 9 fraction digits.

/** Go's zero time: the node's way to say that a check has not run. */
export const neverText = '0001-01-01T00:00:00Z';

/** Seconds since the Unix epoch, fraction included (a double keeps about 0.2 µs today). */
export type Instant = number;

/** `never`: the check has not run yet; it is not an instant two thousand years ago. */
export type LastRun = Instant | 'never';

/** From then on an upgrade is not scheduled: a node writes the year 9999. */
export const unscheduled: Instant = Date.UTC(9000, 0, 1) / 1000;

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

interface Parsed {
  /** Whole seconds since the Unix epoch. */
  readonly seconds: number;
  /** `` or `.123456789` */
  readonly fraction: string;
}

/** By place: a report brings dozens, and what an expression captures costs more than all the rest. */
const parse = (text: string): Parsed | undefined => {
  if (!rfc3339.test(text)) return undefined;
  const milliseconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  // Date.parse rolls over 24:00:00 and, in some engines, 30 February: neither is a time that Go would write or read.
  if (new Date(milliseconds).getUTCDate() !== Number(text.slice(8, 10))) return undefined;
  const zone = text.length - (/[Zz]/.test(text.charAt(text.length - 1)) ? 1 : '+00:00'.length);
  const [hours, minutes] = [Number(text.slice(zone + 1, zone + 3)), Number(text.slice(zone + 4))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = (text.charAt(zone) === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  return { seconds: milliseconds / 1000 - offset, fraction: text.slice('2006-01-02T15:04:05'.length, zone) };
};

/** Seconds since the Unix epoch of an RFC 3339 timestamp, or undefined when it is not one. */
export const parseInstant = (text: string): Instant | undefined => {
  const parsed = parse(text);
  return parsed === undefined ? undefined : parsed.seconds + (parsed.fraction === '' ? 0 : Number(`0${parsed.fraction}`));
};

/** Nanoseconds since the Unix epoch, exact: for comparing what a double would round together. */
export const parseInstantNanoseconds = (text: string): bigint | undefined => {
  const parsed = parse(text);
  return parsed === undefined
    ? undefined
    : BigInt(parsed.seconds) * 1_000_000_000n + BigInt(parsed.fraction.slice(1).padEnd(9, '0'));
};

/** Dates and times of day to the second compare as text where both are in UTC, and almost always that is all. */
export const isEarlier = (a: string, b: string): boolean => {
  if (a === b) return false;
  if (a.endsWith('Z') && b.endsWith('Z')) {
    const [secondA, secondB] = [a.slice(0, 19), b.slice(0, 19)];
    if (secondA !== secondB) return secondA < secondB;
  }
  return (parseInstantNanoseconds(a) ?? 0n) < (parseInstantNanoseconds(b) ?? 0n);
};

const zero = parse(neverText)?.seconds ?? Number.NaN;

/** As parseInstant, with Go's zero time (in any offset) read as `never`. */
export const parseLastRun = (text: string): LastRun | undefined => {
  const instant = parseInstant(text);
  return instant === zero ? 'never' : instant;
};

/** RFC 3339 with nanoseconds, trailing zeros dropped, in an offset of whole minutes from UTC: what Go's RFC3339Nano writes. */
export const formatInstant = (nanosecondsSinceEpoch: bigint, offsetMinutes = 0): string => {
  const shifted = nanosecondsSinceEpoch + BigInt(offsetMinutes) * 60_000_000_000n;
  const rest = ((shifted % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = (shifted - rest) / 1_000_000_000n;
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const digits = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`;
  if (offsetMinutes === 0) return `${date}${digits}Z`;
  const away = Math.abs(offsetMinutes);
  const pad = (n: number): string => n.toString().padStart(2, '0');
  return `${date}${digits}${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(away / 60))}:${pad(away % 60)}`;
};
