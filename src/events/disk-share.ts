// Limits what one target may write to disk per hour, so that a flapping node does not displace the history of the others.

import type { Log } from '../log.ts';
import type { Draft, EventKind } from './record.ts';

/** A node can cause any number of these. They may use half of its limit, so that the rest is left for records about the node itself. */
const ofChecks: ReadonlySet<EventKind> = new Set(['check', 'found-failing', 'check-gone', 'check-back']);

/** Returns whether a record is within the limit of its target. `now`: wall clock. */
export const createDiskShare = (
  maxBytes: number,
  { now, log }: { readonly now: () => number; readonly log: Log },
): ((record: Draft, bytes: number) => boolean) => {
  /** Bytes per target in this hour. */
  const written = new Map<string, number>();
  const logged = new Set<string>();
  let hour = 0;
  return ({ target, kind }, bytes) => {
    const current = Math.floor(now() / 3600);
    if (current !== hour) {
      written.clear();
      logged.clear();
      hour = current;
    }
    const sum = (written.get(target) ?? 0) + bytes;
    if (sum <= (ofChecks.has(kind) ? maxBytes / 2 : maxBytes)) {
      written.set(target, sum);
      return true;
    }
    if (!logged.has(target))
      log.warn(
        { target, bytes: sum - bytes },
        'event history: too many records of one target, kept in memory only until the next hour',
      );
    logged.add(target);
    return false;
  };
};
