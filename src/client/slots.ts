// At most so many questions are with the node at once; the others wait in the order in which they came.

/** Called when its turn has come: at once where there is room, and never after it left. */
export type Start = () => void;

export interface Slots {
  readonly enter: (start: Start) => void;
  /** It has ended, or does not wait any more. */
  readonly leave: (start: Start) => void;
}

export const slotsOf = (room: number): Slots => {
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
    enter: (start) => {
      waiting.add(start);
      fill();
    },
    leave: (start) => {
      waiting.delete(start);
      if (inside.delete(start)) fill();
    },
  };
};
