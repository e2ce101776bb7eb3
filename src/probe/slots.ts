// Limits how many probes read large responses at a time. A probe needs a slot to read more than the first bytes, and keeps it until it ends,
// because it buffers everything until then; meanwhile others leave their data in the socket. Without this, a hundred probes of nodes with
// large responses would need more memory than the container has.

import type { Budget } from '../client/budget.ts';
import { type Start, slotsOf } from '../client/slots.ts';

/** Total bytes of responses that a probe may read without a slot. A report with fifty checks is 30 KiB. */
const freeBytes = 32 * 1024;

/** Number of slots, and how long a probe may keep one while another waits. */
const defaults = { maxProbes: 4, patienceMs: 2000 } as const;

/** The slot of one probe, acquired on demand. */
export interface ProbeSlot {
  /** The budget for its client. */
  readonly budget: (process: Budget) => Budget;
  /** Call it when the probe has ended. */
  readonly leave: () => void;
}

/** `client`: the requesting address; of those that wait, the one with the fewest slots is next. `evict`: ends the probe when its time is over. */
type TakeProbeSlot = (client: string, evict: () => void) => ProbeSlot;

interface Holder {
  readonly since: number;
  readonly client: string;
  readonly evict: () => void;
}

export const createProbeSlots = ({
  maxProbes,
  patienceMs,
}: {
  readonly maxProbes: number;
  readonly patienceMs: number;
} = defaults): TakeProbeSlot => {
  const holders = new Set<Holder>();
  const slots = slotsOf(maxProbes, (client) => [...holders].filter((one) => one.client === client).length);
  let waiting = 0;
  /** Evicted probes that have not left yet. Each will leave its slot to one that waits. */
  let ending = 0;
  const evictLate = (): void => {
    const before = performance.now() - patienceMs;
    for (const holder of [...holders]) if (waiting > ending && holder.since <= before) holder.evict();
  };

  return (client, evict) => {
    /** Responses of this probe that wait for its slot. */
    let starts: Start[] = [];
    let state: 'without' | 'waiting' | 'holding' | 'over' = 'without';
    let end = (): void => undefined;
    /** Bytes of all responses so far. */
    let read = 0;
    const begin = (): void => {
      if (state === 'waiting') waiting -= 1;
      state = 'holding';
      const holder: Holder = {
        client,
        since: performance.now(),
        evict: () => {
          holders.delete(holder);
          ending += 1;
          evict();
        },
      };
      holders.add(holder);
      // Timers may fire slightly early.
      const timer = setTimeout(evictLate, patienceMs + 1);
      end = () => {
        if (!holders.delete(holder)) ending -= 1;
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
          return read <= freeBytes || state === 'holding';
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
