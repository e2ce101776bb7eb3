// All stored times are by a steady clock: seconds since the Unix epoch, as the wall clock was when the process started. Setting the wall clock
// does not change it. When a time is shown, the offset of the wall clock is added.

/** Seconds. Smaller differences are jitter, because the two clocks are read one after the other. */
const smallestStep = 0.5;

/** Wall clock minus steady clock in seconds. It stays the same until the wall clock is set, so that shown times do not jitter. */
export const wallOffset = (before: number | undefined, steady: number, wall: number): number => {
  const offset = wall - steady;
  return before !== undefined && Math.abs(offset - before) <= smallestStep ? before : offset;
};
