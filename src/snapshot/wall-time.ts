// Every time that is kept is steady: seconds since the Unix epoch as it was when the process started, and no clock that is set
// moves it. Where a time is shown, the wall clock's offset is added.

/** Smallest difference that is a step and not the jitter of two clocks read one after the other, seconds. */
const smallestStep = 0.5;

/** Wall clock minus steady clock, seconds: the one before while it holds, so that what is shown does not tremble. */
export const wallOffset = (before: number | undefined, steady: number, wall: number): number => {
  const offset = wall - steady;
  return before !== undefined && Math.abs(offset - before) <= smallestStep ? before : offset;
};
