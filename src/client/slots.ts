// At most so many questions are with the node at once; the others wait in the order in which they came.

import { remove } from '../lists.ts';

/** Called when its turn has come: at once where there is room, and never after it left. */
export type Start = () => void;

interface Waiting {
  readonly start: Start;
  readonly node: string;
}

/**
 * `rank`: of the nodes whose questions wait the lowest is next, and of equals the one that came first. Asked when there is room.
 *
 * Lists, not sets: V8 lets a table that was replaced refer to the one after it, and a client is old. What its sets held for a moment, a
 * response among it, was kept until the next collection of everything.
 */
export const slotsOf = (room: number, rank: (node: string) => number = () => 0) => {
  let waiting: Waiting[] = [];
  const inside: Start[] = [];
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
    while (inside.length < room) {
      const start = next();
      if (start === undefined) return;
      inside.push(start);
      start();
    }
  };
  return {
    enter: (start: Start, node = ''): void => {
      waiting.push({ start, node });
      fill();
    },
    /** It has ended, or does not wait any more. */
    leave: (start: Start): void => {
      if (remove(inside, start)) fill();
      else waiting = waiting.filter((one) => one.start !== start);
    },
  };
};
