// The JSON of a record, for API and file: times are RFC 3339 in UTC, to the millisecond.

import { isReason, type Reason } from '../protocol/reasons.ts';
import { parseInstant } from '../protocol/time.ts';
import { parsedJson, shortened } from '../text.ts';
import { eventKinds, recordLimits, type TransitionRecord } from './record.ts';

/** `instant`: seconds since the Unix epoch. Undefined if it is not a valid date. */
const isoOf = (instant: number | undefined): string | undefined => {
  const date = new Date((instant ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

/** JSON omits undefined members. */
export const jsonOf = ({ at, lastRunAt, firstFailureAt, ...rest }: Partial<TransitionRecord>): object => ({
  at: isoOf(at),
  ...rest,
  firstFailureAt: isoOf(firstFailureAt),
  lastRunAt: isoOf(lastRunAt),
});

/** A line of the file, without its line end. */
export const lineOfFile = (record: TransitionRecord): string => JSON.stringify(jsonOf(record));

type Read<T> = (value: unknown) => T | undefined;

/** Shortened to the limits of records: a file may contain anything. */
const text =
  (limit: number): Read<string> =>
  (value) =>
    typeof value !== 'string' ? undefined : value.length <= limit ? value : shortened(value, limit);
/** Rejects a longer value, which the exporter never writes. */
const key =
  (limit: number): Read<string> =>
  (value) =>
    typeof value === 'string' && value.length <= limit ? value : undefined;
const name = text(recordLimits.name);
const count: Read<number> = (value) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined);
const instant: Read<number> = (value) => (typeof value === 'string' ? parseInstant(value) : undefined);
const names =
  (maxNames: number): Read<readonly string[]> =>
  (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string')
      ? value.slice(0, maxNames).map((one) => name(one) ?? '')
      : undefined;
const reason: Read<Reason> = (value) => (isReason(value) ? value : undefined);
const listed: Read<readonly Reason[]> = (value) => (Array.isArray(value) ? value.filter(isReason) : undefined);
const yes: Read<true> = (value) => (value === true ? value : undefined);

type Optional = Omit<TransitionRecord, 'id' | 'kind' | 'at' | 'target'>;

const readers: { readonly [Member in keyof Required<Optional>]: Read<Required<Optional>[Member]> } = {
  tagSets: names(recordLimits.tagSets),
  check: name,
  condition: name,
  from: name,
  to: name,
  unseen: yes,
  message: text(recordLimits.message),
  error: text(recordLimits.error),
  reason,
  failureReasons: listed,
  firstFailureAt: instant,
  contiguousFailures: count,
  lastRunAt: instant,
  durationSeconds: count,
  missedRuns: count,
  alsoFailing: names(recordLimits.names),
  alsoFailingCount: count,
};

/** Undefined: not a record, because the line is incomplete or foreign. A string: the kind of a record that only a newer version knows. */
export const recordOfLine = (line: string): TransitionRecord | string | undefined => {
  const value = parsedJson(line);
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  const id = key(recordLimits.id)(members.get('id'));
  const at = instant(members.get('at'));
  const target = key(recordLimits.target)(members.get('target'));
  const written = key(recordLimits.name)(members.get('kind'));
  const kind = eventKinds.find((one) => one === written);
  if (id === undefined || at === undefined || target === undefined) return undefined;
  if (kind === undefined) return written;
  const rest = Object.entries(readers).map(([member, read]) => [member, read(members.get(member))] as const);
  return { id, kind, at, target, ...Object.fromEntries(rest.filter(([, value]) => value !== undefined)) };
};
