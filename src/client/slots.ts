// At most so many questions are with the node at once; the others wait in the order in which they came.

/** Called when its turn has come: at once where there is room, and never after it left. */
export type Start = () => void;

export const slotsOf = (room: number) => {
  const waiting = new Set<Start>();
  const inside = new Set<Start>();
  const fill = (): void => {
    for (const start of waiting) {
      if (inside.size >= room) return;
      waiting.delete(start);
      inside.add(start);
      start();
    }
  };
  return {
    enter: (start: Start): void => {
      waiting.add(start);
      fill();
    },
    /** It has ended, or does not wait any more. */
    leave: (start: Start): void => {
      waiting.delete(start);
      if (inside.delete(start)) fill();
    },
  };
};
