// At most so many questions are with the node at once; the others wait in the order in which they came.

/** Called when its turn has come: at once where there is room, and never after it left. */
export type Start = () => void;

/** `rank`: of the nodes whose questions wait the lowest is next, and of equals the one that came first. Asked when there is room. */
export const slotsOf = (room: number, rank: (node: string) => number = () => 0) => {
  /** With its node. */
  const waiting = new Map<Start, string>();
  const inside = new Set<Start>();
  const next = (): Start | undefined => {
    let [first, lowest]: [Start | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const [start, node] of waiting) {
      const own = rank(node);
      if (own < lowest) [first, lowest] = [start, own];
    }
    return first;
  };
  const fill = (): void => {
    while (inside.size < room) {
      const start = next();
      if (start === undefined) return;
      waiting.delete(start);
      inside.add(start);
      start();
    }
  };
  return {
    enter: (start: Start, node = ''): void => {
      waiting.set(start, node);
      fill();
    },
    /** It has ended, or does not wait any more. */
    leave: (start: Start): void => {
      waiting.delete(start);
      if (inside.delete(start)) fill();
    },
  };
};
