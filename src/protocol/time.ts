// RFC 3339 timestamps as Go writes them: any offset, 0 to 9 fraction digits.

/** Go's zero time, which the node uses for a check that has not run. */
export const neverText = '0001-01-01T00:00:00Z';

/** Unix seconds with a fraction (a double currently has a resolution of about 0.2 µs). */
export type Instant = number;

/** `never`: the check has not run yet. This avoids a time two thousand years ago. */
export type LastRun = Instant | 'never';

/** A later upgrade counts as not scheduled: a node writes the year 9999. */
export const unscheduled: Instant = Date.UTC(9000, 0, 1) / 1000;

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

interface Parsed {
  /** Whole seconds since the Unix epoch. */
  readonly seconds: number;
  /** `` or `.123456789` */
  readonly fraction: string;
}

/** Reads fixed positions: a report has dozens of timestamps, and capture groups would take most of the time. */
const parse = (text: string): Parsed | undefined => {
  if (!rfc3339.test(text)) return undefined;
  const milliseconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  // Date.parse accepts 24:00:00 and, in some engines, 30 February. Go neither writes nor accepts them.
  if (new Date(milliseconds).getUTCDate() !== Number(text.slice(8, 10))) return undefined;
  const zone = text.length - (/[Zz]/.test(text.charAt(text.length - 1)) ? 1 : '+00:00'.length);
  const [hours, minutes] = [Number(text.slice(zone + 1, zone + 3)), Number(text.slice(zone + 4))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = (text.charAt(zone) === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  return { seconds: milliseconds / 1000 - offset, fraction: text.slice('2006-01-02T15:04:05'.length, zone) };
};

/** Unix seconds of an RFC 3339 timestamp, or undefined if the text is not one. */
export const parseInstant = (text: string): Instant | undefined => {
  const parsed = parse(text);
  return parsed === undefined ? undefined : parsed.seconds + (parsed.fraction === '' ? 0 : Number(`0${parsed.fraction}`));
};

/** Unix nanoseconds, to compare times that are equal as doubles. */
const exactly = (text: string): bigint => {
  const { seconds, fraction } = parse(text) ?? { seconds: 0, fraction: '' };
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(1).padEnd(9, '0'));
};

/** Compares dates and times in UTC as texts, which is almost always enough. Otherwise compares nanoseconds. */
export const isEarlier = (a: string, b: string): boolean => {
  if (a === b) return false;
  if (a.endsWith('Z') && b.endsWith('Z')) {
    const [secondA, secondB] = [a.slice(0, 19), b.slice(0, 19)];
    if (secondA !== secondB) return secondA < secondB;
  }
  return exactly(a) < exactly(b);
};

const zero = parse(neverText)?.seconds ?? Number.NaN;

/** Like parseInstant, but returns `never` for Go's zero time, in any UTC offset. */
export const parseLastRun = (text: string): LastRun | undefined => {
  const instant = parseInstant(text);
  return instant === zero ? 'never' : instant;
};

/** RFC 3339 with nanoseconds and without trailing zeros, in a UTC offset of whole minutes, as Go's RFC3339Nano. */
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
