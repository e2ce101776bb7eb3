// What one target may write to disk within an hour: however often its checks flap, what is known of the others stays there.

import type { Log } from '../log.ts';
import type { Draft, EventKind } from './record.ts';

/** Of these a node makes as many as it likes: they leave half of its share to what is told of it as a whole. */
const ofChecks: ReadonlySet<EventKind> = new Set(['check', 'found-failing', 'check-gone', 'check-back']);

/** Says whether a record is still within the share. `now`: wall clock. */
export const createDiskShare = (
  maxBytes: number,
  { now, log }: { readonly now: () => number; readonly log: Log },
): ((record: Draft, bytes: number) => boolean) => {
  /** By target, in this hour. */
  const written = new Map<string, number>();
  const told = new Set<string>();
  let hour = 0;
  return ({ target, kind }, bytes) => {
    const current = Math.floor(now() / 3600);
    if (current !== hour) {
      written.clear();
      told.clear();
      hour = current;
    }
    const sum = (written.get(target) ?? 0) + bytes;
    if (sum <= (ofChecks.has(kind) ? maxBytes / 2 : maxBytes)) {
      written.set(target, sum);
      return true;
    }
    if (!told.has(target))
      log.warn(
        { target, bytes: sum - bytes },
        'event history: too many records of one target, kept in memory only until the next hour',
      );
    told.add(target);
    return false;
  };
};
