// Reads the message of a check, which may be any JSON value: the field at a known path, and all other numbers and durations.

import { parseGoDurationSeconds } from '../protocol/duration.ts';
import { isObject } from '../protocol/foreign-text.ts';

/** Depth of nested objects up to which fields are read. Deeper ones are only counted. */
export const maxDepth = 16;

/** Unmapped fields of one check that may become samples. */
export const maxUnmappedFields = 50;

export interface Unmapped {
  /** Such as `engine.vm.health`; `.` if the message itself is the value. */
  readonly field: string;
  readonly kind: 'value' | 'seconds';
  readonly value: number;
}

export interface UnmappedFields {
  /** Empty if there are too many. */
  readonly fields: readonly Unmapped[];
  /** Number of fields that are not in `fields`: all of them if there are too many, those in arrays, and branches that are nested too deep. */
  readonly dropped: number;
}

/** The value at a dotted path of plain keys; the whole message for the empty path. */
export const fieldOf = (message: unknown, path: string): unknown => {
  if (path === '') return message;
  let value = message;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
};

/** Seconds of text that Go's Duration.String() could have written. A bare `0` is text: Go writes `0s`. */
export const durationOf = (value: unknown): number | undefined =>
  typeof value === 'string' && (value.endsWith('s') || value.endsWith('m')) ? parseGoDurationSeconds(value) : undefined;

/** A dot in a key is not a step, so that {"a.b":1,"a":{"b":2}} are two fields and not one. */
const escapeKey = (key: string): string => {
  if (key === '') return '\\e';
  return key.includes('.') || key.includes('\\') ? key.replace(/[\\.]/g, '\\$&') : key;
};

/**
 * Every number and duration of a message that is not in `claimed`; none if there are more than `max`. Values in arrays have no stable name,
 * so they are only counted.
 */
export const unmappedFields = (
  message: unknown,
  claimed: ReadonlySet<string>,
  max: number = maxUnmappedFields,
): UnmappedFields => {
  const fields: Unmapped[] = [];
  // Longer paths are not looked up: that would flatten the string of the path, and a message may have any number of them.
  const maxLength = Array.from(claimed).reduce((max, { length }) => Math.max(max, length), 0);
  const isClaimed = (path: string): boolean => path.length <= maxLength && claimed.has(path);
  let dropped = 0;
  let found = 0;

  /** `path`: undefined within an array. */
  const visit = (value: unknown, path: string | undefined, depth: number): void => {
    if (Array.isArray(value)) {
      if (path !== undefined && isClaimed(path)) return;
      if (depth === maxDepth) dropped += 1;
      else for (const item of value) visit(item, undefined, depth + 1);
      return;
    }
    if (isObject(value)) {
      if (depth === maxDepth) dropped += 1;
      else
        for (const key of Object.keys(value))
          visit(value[key], path === undefined ? path : depth === 0 ? escapeKey(key) : `${path}.${escapeKey(key)}`, depth + 1);
      return;
    }
    const seconds = durationOf(value);
    const number = seconds ?? (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
    if (number === undefined) return;
    if (path === undefined) {
      dropped += 1;
      return;
    }
    const field = depth === 0 ? '.' : path;
    if (isClaimed(field)) return;
    found += 1;
    if (found <= max) fields.push({ field, kind: seconds === undefined ? 'value' : 'seconds', value: number });
  };

  visit(message, '', 0);
  return found > max ? { fields: [], dropped: found + dropped } : { fields, dropped };
};
