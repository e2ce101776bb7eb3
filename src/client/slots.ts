// Limits how many requests run at once. The others wait, first in, first out unless ranked.

import { remove } from '../lists.ts';

/** Called when the request may run: at once if a slot is free, and never after `leave`. */
export type Start = () => void;

interface Waiting {
  readonly start: Start;
  readonly node: string;
}

/**
 * `rank`: the waiting request whose node has the lowest rank is next, and among equals the first. It is computed when a slot is free.
 *
 * Lists instead of sets: when a set grows, V8 keeps its old table with a reference to the new one, and a client lives long enough for the old
 * table to be collected only by a major collection. Until then, everything that was in the set, such as a response, stayed in memory.
 */
export const slotsOf = (maxRunning: number, rank: (node: string) => number = () => 0) => {
  let waiting: Waiting[] = [];
  const running: Start[] = [];
  const next = (): Start | undefined => {
    let [first, lowest]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const one of waiting) {
      const own = rank(one.node);
      if (own < lowest) [first, lowest] = [one, own];
    }
    if (first !== undefined) remove(waiting, first);
    return first?.start;
  };
  const fill = (): void => {
    while (running.length < maxRunning) {
      const start = next();
      if (start === undefined) return;
      running.push(start);
      start();
    }
  };
  return {
    enter: (start: Start, node = ''): void => {
      waiting.push({ start, node });
      fill();
    },
    /** The request has ended, or was cancelled while it waited. */
    leave: (start: Start): void => {
      if (remove(running, start)) fill();
      else waiting = waiting.filter((one) => one.start !== start);
    },
  };
};
