// The newest records in memory, as a value: bounded for each target and in all, and readable from where a reader left off.

import type { TransitionRecord } from './record.ts';

interface Kept {
  /** Grows by one with every record, of whatever target. */
  readonly place: number;
  readonly bytes: number;
  readonly record: TransitionRecord;
}

export interface Ring {
  /** By target, each oldest first. */
  readonly kept: ReadonlyMap<string, readonly Kept[]>;
  /** By target: the place of the newest record that had to make room. */
  readonly dropped: ReadonlyMap<string, number>;
  readonly bounds: Bounds;
  readonly bytes: number;
  /** Of the next record. */
  readonly place: number;
}

export interface Bounds {
  readonly perTarget: number;
  /** Of all records, as JSON. */
  readonly bytes: number;
}

export const defaultBounds: Bounds = { perTarget: 1000, bytes: 4 * 1024 * 1024 };

export const emptyRing = (bounds: Bounds = defaultBounds): Ring => ({
  kept: new Map(),
  dropped: new Map(),
  bounds,
  bytes: 0,
  place: 0,
});

/** `bytes`: of the record as JSON. */
export const put = (ring: Ring, record: TransitionRecord, bytes: number): Ring => {
  const before = ring.kept.get(record.target) ?? [];
  const kept = new Map(ring.kept).set(record.target, [...before, { place: ring.place, bytes, record }]);
  let next: Ring = { ...ring, kept, bytes: ring.bytes + bytes, place: ring.place + 1 };
  if (before.length + 1 > ring.bounds.perTarget) next = dropOldest(next, record.target);
  // Whoever has the most makes room: one node that flaps must not push out what is known of the others.
  while (next.bytes > next.bounds.bytes && next.kept.size > 0) next = dropOldest(next, longest(next));
  return next;
};

const dropOldest = (ring: Ring, target: string): Ring => {
  const [oldest, ...rest] = ring.kept.get(target) ?? [];
  if (oldest === undefined) return ring;
  const kept = new Map(ring.kept);
  if (rest.length > 0) kept.set(target, rest);
  else kept.delete(target);
  return { ...ring, kept, bytes: ring.bytes - oldest.bytes, dropped: new Map(ring.dropped).set(target, oldest.place) };
};

const longest = ({ kept }: Ring): string => {
  const [first = ['', []]] = [...kept].sort(([, a], [, b]) => b.length - a.length);
  return first[0];
};

/** Newest last. */
export const recordsIn = (ring: Ring, target?: string): readonly TransitionRecord[] =>
  placed(ring, target === undefined ? [...ring.kept.keys()] : [target]).map(({ record }) => record);

/** When the oldest record of a target that is still here was known; undefined while none had to make room. */
export const heldFrom = ({ kept, dropped }: Ring, target: string): number | undefined =>
  dropped.has(target) ? kept.get(target)?.[0]?.record.at : undefined;

const placed = (ring: Ring, targets: readonly string[]): readonly Kept[] => {
  const found = targets.flatMap((target) => ring.kept.get(target) ?? []);
  return targets.length === 1 ? found : found.sort((a, b) => a.place - b.place);
};

export interface Query {
  /** Empty: every target. */
  readonly targets: readonly string[];
  /** Empty: everything, and not only what is about a check. */
  readonly checks: readonly string[];
  /** The cursor of an earlier answer, or an instant. */
  readonly since?: { readonly cursor: string } | { readonly instant: number };
  readonly limit: number;
}

export interface Found {
  /** Newest last: the oldest that are left after `since`, or without it the newest. */
  readonly records: readonly TransitionRecord[];
  /** Where to go on. */
  readonly cursor: string;
  /** More than `limit` came after `since`: go on at once. */
  readonly more: boolean;
  /** Records after `since` had to make room before they were read, or `since` is a cursor that nobody knows any more. */
  readonly gap: boolean;
}

/** `placeOf`: the place that a cursor of this run stands for. */
export const find = (ring: Ring, query: Query, placeOf: (cursor: string) => number | undefined, newest: string): Found => {
  const targets = query.targets.length > 0 ? query.targets : [...new Set([...ring.kept.keys(), ...ring.dropped.keys()])];
  const all = placed(ring, targets);
  const { since } = query;
  const after = since !== undefined && 'cursor' in since ? (placeOf(since.cursor) ?? heldAt(ring, since.cursor)) : undefined;
  const wanted = all.filter(({ place, record }) => {
    if (query.checks.length > 0 && (record.check === undefined || !query.checks.includes(record.check))) return false;
    if (since !== undefined && 'instant' in since) return record.at >= since.instant;
    return after === undefined || place > after;
  });
  const taken = since === undefined ? wanted.slice(-query.limit) : wanted.slice(0, query.limit);
  const more = since !== undefined && wanted.length > taken.length;
  const lost = (place: number): boolean => targets.some((target) => (ring.dropped.get(target) ?? -1) > place);
  const gap = since !== undefined && 'cursor' in since && (after === undefined || lost(after));
  return { records: taken.map(({ record }) => record), cursor: more ? (taken.at(-1)?.record.id ?? newest) : newest, more, gap };
};

const heldAt = (ring: Ring, id: string): number | undefined => {
  for (const records of ring.kept.values()) {
    const found = records.find(({ record }) => record.id === id);
    if (found !== undefined) return found.place;
  }
  return undefined;
};
