// Repeatable random delays: a failed run prints its seed for the next run.

/** Returns a number from 0 up to 1. */
export type Random = () => number;

/** The same sequence for the same seed (mulberry32). */
export const randomOf = (seed: number): Random => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The seed in this variable, or a new one; prints it before anything can fail. */
export const seedFrom = (variable: string): number => {
  const seed = Number(process.env[variable] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${variable}=${seed}`);
  return seed;
};
