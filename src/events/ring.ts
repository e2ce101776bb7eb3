// A buffer of the newest records, with a limit per target and in total. Readers use cursors to continue where they left off.

import type { TransitionRecord } from './record.ts';

interface RingBounds {
  readonly perTarget: number;
  /** Total size of all records as JSON. */
  readonly bytes: number;
}

export const defaultBounds: RingBounds = { perTarget: 1000, bytes: 4 * 1024 * 1024 };

export interface Query {
  /** Empty: every target. */
  readonly targets: ReadonlySet<string>;
  /** Empty: all records, including those that are not about a check. */
  readonly checks: ReadonlySet<string>;
  /** The cursor of an earlier response, or an instant. */
  readonly since?: { readonly cursor: string } | { readonly instant: number };
  readonly limit: number;
}

export interface RecordPage {
  /** Newest last: the first ones after `since`, or without `since` the newest. */
  readonly records: readonly TransitionRecord[];
  /** The cursor for the next request. */
  readonly cursor: string;
  /** There are more than `limit` records after `since`: request the next page at once. */
  readonly more: boolean;
  /** Records after `since` were evicted before they were read, or the cursor is unknown. */
  readonly gap: boolean;
}

interface Stored {
  readonly number: number;
  readonly bytes: number;
  readonly record: TransitionRecord;
}

/** Number and time of a record. */
interface Place {
  readonly number: number;
  readonly at: number;
}

/** Targets with the same number of records. `next`: the next one to evict a record of. */
interface Bucket {
  readonly targets: Set<string>;
  readonly next: () => string | undefined;
}

// It does not keep an iterator of the set: V8 retains every old hash table of a set while an iterator on it exists.
const newBucket = (): Bucket => {
  const targets = new Set<string>();
  let round: string[] = [];
  return {
    targets,
    // Takes a copy of the set per round: iterating from the start each time would walk over all deleted entries again.
    next: () => {
      for (;;) {
        if (round.length === 0) round = [...targets];
        const target = round.pop();
        if (target === undefined || targets.has(target)) return target;
      }
    },
  };
};

export type EventRing = ReturnType<typeof createRing>;

/** Maximum number of targets whose evictions are remembered. No configuration has more targets. */
const maxEvicted = 20_000;

export const createRing = (bounds: RingBounds = defaultBounds) => {
  /** By target, each oldest first. */
  const stored = new Map<string, Stored[]>();
  /** Target -> its newest evicted record. */
  const evicted = new Map<string, Place>();
  /** The newest evicted record of all targets that `evicted` no longer has. */
  let newestForgotten: Place | undefined;
  /** The first record after the newest gap in the records of earlier runs. */
  let afterGap: Place | undefined;
  /** Targets by their number of records, to find one with the most records without a search. */
  const byCount = new Map<number, Bucket>();
  let maxCount = 0;
  let bytes = 0;
  let next = 0;

  const moveTarget = (target: string, before: number, after: number): void => {
    byCount.get(before)?.targets.delete(target);
    if (byCount.get(before)?.targets.size === 0) byCount.delete(before);
    if (after > 0) {
      const bucket = byCount.get(after) ?? newBucket();
      bucket.targets.add(target);
      byCount.set(after, bucket);
    }
    // The number changes by one, so the new maximum is the old one, or one less.
    maxCount = byCount.has(maxCount) ? Math.max(maxCount, after) : after;
  };
  const evictOldest = (target: string): void => {
    const records = stored.get(target);
    const oldest = records?.shift();
    if (records === undefined || oldest === undefined) return;
    if (records.length === 0) stored.delete(target);
    moveTarget(target, records.length + 1, records.length);
    bytes -= oldest.bytes;
    evicted.set(target, { number: oldest.number, at: oldest.record.at });
    if (evicted.size <= maxEvicted) return;
    for (const one of evicted.values()) if (one.number > (newestForgotten?.number ?? -1)) newestForgotten = one;
    evicted.clear();
  };
  /** Records of one target, or of all. */
  const inOrder = (target?: string): readonly Stored[] =>
    target === undefined ? [...stored.values()].flat().sort((a, b) => a.number - b.number) : (stored.get(target) ?? []);

  return {
    /** `size`: bytes of the record as JSON. */
    put: (record: TransitionRecord, size: number): void => {
      const { target } = record;
      const records = stored.get(target) ?? [];
      stored.set(target, records);
      if (next === afterGap?.number) afterGap = { number: next, at: record.at };
      records.push({ number: next, bytes: size, record });
      moveTarget(target, records.length - 1, records.length);
      bytes += size;
      next += 1;
      if (records.length > bounds.perTarget) evictOldest(target);
      // Evict from the target with the most records: a single flapping node must not displace the history of the others.
      while (bytes > bounds.bytes && stored.size > 0) {
        evictOldest(byCount.get(maxCount)?.next() ?? '');
      }
    },
    /** Marks a gap: records before the next one are lost, of any target. */
    missing: (): void => {
      afterGap = { number: next, at: Number.POSITIVE_INFINITY };
    },
    /** The number of the next record. All targets share one sequence. */
    next: (): number => next,
    /** Targets with records. */
    targets: (): Iterable<string> => stored.keys(),
    /** Newest last. */
    records: (target?: string): readonly TransitionRecord[] => inOrder(target).map(({ record }) => record),
    /** Time of the oldest remaining record of a target; undefined if none was evicted. */
    heldFrom: (target: string): number | undefined =>
      evicted.has(target) || newestForgotten !== undefined ? stored.get(target)?.[0]?.record.at : undefined,
    /** `numberOf`: cursor of this run -> number of its record. `newest`: the cursor of the newest record. */
    find: (
      { targets, checks, since, limit }: Query,
      numberOf: (cursor: string) => number | undefined,
      newest: string,
    ): RecordPage => {
      const [first] = targets;
      const all = inOrder(targets.size === 1 ? first : undefined);
      const storedAt = (cursor: string): number | undefined => inOrder().find(({ record }) => record.id === cursor)?.number;
      const after = since !== undefined && 'cursor' in since ? (numberOf(since.cursor) ?? storedAt(since.cursor)) : undefined;
      const isAfter = ({ number, at }: Place): boolean =>
        since !== undefined && 'instant' in since ? at >= since.instant : after === undefined || number > after;
      const wanted = all.filter(({ number, record }) => {
        if (targets.size > 0 && !targets.has(record.target)) return false;
        if (checks.size > 0 && (record.check === undefined || !checks.has(record.check))) return false;
        return isAfter({ number, at: record.at });
      });
      const taken = since === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
      const more = since !== undefined && wanted.length > taken.length;
      const lost = [...evicted].flatMap(([target, one]) => (targets.size === 0 || targets.has(target) ? one : []));
      const isLost = [newestForgotten, afterGap, ...lost].some((one) => one !== undefined && isAfter(one));
      const gap = since !== undefined && (isLost || ('cursor' in since && after === undefined));
      const cursor = more ? (taken.at(-1)?.record.id ?? newest) : newest;
      return { records: taken.map(({ record }) => record), cursor, more, gap };
    },
  };
};
