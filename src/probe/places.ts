// Probes with much to read: a few at a time read more than the first bytes, and keep their place until they end, because all that
// they read is kept until then. The others wait with the rest in the socket. Without this, a hundred probes of nodes that send much fill
// more memory than the container has.

import type { Budget } from '../client/budget.ts';
import { type Start, slotsOf } from '../client/slots.ts';

/** Up to so many bytes of all its answers a probe waits for no other. A report of fifty checks is 30 KiB. */
const free = 32 * 1024;

/** How many probes, and for how long one has its place while another waits for one. */
const defaults = { most: 4, patienceMs: 2000 } as const;

/** What one probe holds. */
export interface Place {
  /** For its client. */
  readonly budget: (process: Budget) => Budget;
  /** It has ended. */
  readonly leave: () => void;
}

/** `client`: the address that asks; of those that wait, who has the fewest places is next. `evict`: it has had its time, and is to leave. */
export type TakePlace = (client: string, evict: () => void) => Place;

interface Holder {
  readonly since: number;
  readonly client: string;
  readonly evict: () => void;
}

export const createPlaces = ({
  most,
  patienceMs,
}: {
  readonly most: number;
  readonly patienceMs: number;
} = defaults): TakePlace => {
  const holders = new Set<Holder>();
  const slots = slotsOf(most, (client) => [...holders].filter((one) => one.client === client).length);
  let waiting = 0;
  const evictLate = (): void => {
    const before = performance.now() - patienceMs;
    for (const holder of [...holders]) if (waiting > 0 && holder.since <= before) holder.evict();
  };

  return (client, evict) => {
    /** Answers of this probe that wait for its place. */
    let starts: Start[] = [];
    let state: 'without' | 'waiting' | 'holding' | 'over' = 'without';
    let end = (): void => undefined;
    /** Bytes of all answers up to now. */
    let read = 0;
    const begin = (): void => {
      if (state === 'waiting') waiting -= 1;
      state = 'holding';
      const holder: Holder = {
        client,
        since: performance.now(),
        evict: () => {
          holders.delete(holder);
          evict();
        },
      };
      holders.add(holder);
      // A timer is a little early at times.
      const timer = setTimeout(evictLate, patienceMs + 1);
      end = () => {
        holders.delete(holder);
        clearTimeout(timer);
      };
      for (const start of starts.splice(0)) start();
    };
    const enter = (start: Start): void => {
      starts.push(start);
      if (state !== 'without') return;
      state = 'waiting';
      waiting += 1;
      slots.enter(begin, client);
      evictLate();
    };
    const leave = (): void => {
      if (state === 'over') return;
      if (state === 'waiting') waiting -= 1;
      state = 'over';
      starts = [];
      end();
      slots.leave(begin);
    };
    const budget = (process: Budget): Budget => ({
      ...process,
      share: (node, evictAnswer) => {
        const share = process.share(node, evictAnswer);
        let own = 0;
        const mayGrow = (bytes: number): boolean => {
          read += bytes - own;
          own = bytes;
          return read <= free || state === 'holding';
        };
        let isReleased = false;
        return {
          ...share,
          holds: (bytes) => mayGrow(bytes) && share.holds(bytes),
          isCrowded: () => state === 'waiting' || share.isCrowded(),
          take: (bytes, start) => {
            if (mayGrow(bytes)) share.take(bytes, start);
            else
              enter(() => {
                if (!isReleased) share.take(bytes, start);
              });
          },
          release: () => {
            isReleased = true;
            share.release();
          },
        };
      },
    });
    return { budget, leave };
  };
};
