// The newest records in memory: bounded for each target and in all, and readable from where a reader left off.

import type { TransitionRecord } from './record.ts';

interface RingBounds {
  readonly perTarget: number;
  /** Of all records, as JSON. */
  readonly bytes: number;
}

export const defaultBounds: RingBounds = { perTarget: 1000, bytes: 4 * 1024 * 1024 };

export interface Query {
  /** Empty: every target. */
  readonly targets: ReadonlySet<string>;
  /** Empty: everything, and not only what is about a check. */
  readonly checks: ReadonlySet<string>;
  /** The cursor of an earlier answer, or an instant. */
  readonly since?: { readonly cursor: string } | { readonly instant: number };
  readonly limit: number;
}

export interface RecordPage {
  /** Newest last: the oldest that are left after `since`, or without it the newest. */
  readonly records: readonly TransitionRecord[];
  /** Where to go on. */
  readonly cursor: string;
  /** More than `limit` came after `since`: go on at once. */
  readonly more: boolean;
  /** Records after `since` had to make room before they were read, or `since` is a cursor that nobody knows any more. */
  readonly gap: boolean;
}

interface Kept {
  readonly number: number;
  readonly bytes: number;
  readonly record: TransitionRecord;
}

/** Those of one count. `next`: one of them, which is then to leave. */
interface Bucket {
  readonly targets: Set<string>;
  readonly next: () => string | undefined;
}

// No iterator is kept: while one is, so is every table that its set has grown out of since.
const newBucket = (): Bucket => {
  const targets = new Set<string>();
  let round: string[] = [];
  return {
    targets,
    // Round by round: from its beginning, a set walks over all that has left it.
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

/** Of what made room, targets: more than are ever watched. */
const maxDropped = 20_000;

export const createRing = (bounds: RingBounds = defaultBounds) => {
  /** By target, each oldest first. */
  const kept = new Map<string, Kept[]>();
  /** By target: the number of the newest record that had to make room. */
  const dropped = new Map<string, number>();
  /** The newest of those whose targets were too many to remember. */
  let forgotten = -1;
  /** The first after the newest that an earlier run knew, and did not leave. */
  let afterMissing = -1;
  /** Targets by how many records they have: whoever has the most is found without asking all. */
  const byCount = new Map<number, Bucket>();
  let most = 0;
  let bytes = 0;
  let next = 0;

  const counted = (target: string, before: number, after: number): void => {
    byCount.get(before)?.targets.delete(target);
    if (byCount.get(before)?.targets.size === 0) byCount.delete(before);
    if (after > 0) {
      const bucket = byCount.get(after) ?? newBucket();
      bucket.targets.add(target);
      byCount.set(after, bucket);
    }
    // Each change is by one: who had the most has the most, or one less.
    most = byCount.has(most) ? Math.max(most, after) : after;
  };
  const dropOldest = (target: string): void => {
    const records = kept.get(target);
    const oldest = records?.shift();
    if (records === undefined || oldest === undefined) return;
    if (records.length === 0) kept.delete(target);
    counted(target, records.length + 1, records.length);
    bytes -= oldest.bytes;
    dropped.set(target, oldest.number);
    if (dropped.size <= maxDropped) return;
    for (const number of dropped.values()) forgotten = Math.max(forgotten, number);
    dropped.clear();
  };
  /** Of one target, or of all. */
  const inOrder = (target?: string): readonly Kept[] =>
    target === undefined ? [...kept.values()].flat().sort((a, b) => a.number - b.number) : (kept.get(target) ?? []);

  return {
    /** `size`: of the record as JSON, bytes. */
    put: (record: TransitionRecord, size: number): void => {
      const { target } = record;
      const records = kept.get(target) ?? [];
      kept.set(target, records);
      records.push({ number: next, bytes: size, record });
      counted(target, records.length - 1, records.length);
      bytes += size;
      next += 1;
      if (records.length > bounds.perTarget) dropOldest(target);
      // Whoever has the most makes room: one node that flaps must not push out what is known of the others.
      while (bytes > bounds.bytes && kept.size > 0) {
        dropOldest(byCount.get(most)?.next() ?? '');
      }
    },
    /** Before the next record there were others, of whatever target, that nobody knows any more. */
    missing: (): void => {
      afterMissing = next;
    },
    /** The number of the next record: it grows by one with each, of whatever target. */
    next: (): number => next,
    /** Those that have records. */
    targets: (): Iterable<string> => kept.keys(),
    /** Newest last. */
    records: (target?: string): readonly TransitionRecord[] => inOrder(target).map(({ record }) => record),
    /** When the oldest record of a target that is still here was known; undefined while none had to make room. */
    heldFrom: (target: string): number | undefined =>
      dropped.has(target) || forgotten >= 0 ? kept.get(target)?.[0]?.record.at : undefined,
    /** `numberOf`: of the record that a cursor of this run stands for. `newest`: the cursor of the newest record. */
    find: (
      { targets, checks, since, limit }: Query,
      numberOf: (cursor: string) => number | undefined,
      newest: string,
    ): RecordPage => {
      const [first] = targets;
      const all = inOrder(targets.size === 1 ? first : undefined);
      const heldAt = (cursor: string): number | undefined => inOrder().find(({ record }) => record.id === cursor)?.number;
      const after = since !== undefined && 'cursor' in since ? (numberOf(since.cursor) ?? heldAt(since.cursor)) : undefined;
      const wanted = all.filter(({ number, record }) => {
        if (targets.size > 0 && !targets.has(record.target)) return false;
        if (checks.size > 0 && (record.check === undefined || !checks.has(record.check))) return false;
        if (since !== undefined && 'instant' in since) return record.at >= since.instant;
        return after === undefined || number > after;
      });
      const taken = since === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
      const more = since !== undefined && wanted.length > taken.length;
      const isLost = ([target, number]: readonly [string, number]): boolean =>
        (targets.size === 0 || targets.has(target)) && number > (after ?? Number.POSITIVE_INFINITY);
      const gap =
        since !== undefined &&
        'cursor' in since &&
        (after === undefined || Math.max(forgotten, afterMissing) > after || [...dropped].some(isLost));
      const cursor = more ? (taken.at(-1)?.record.id ?? newest) : newest;
      return { records: taken.map(({ record }) => record), cursor, more, gap };
    },
  };
};
