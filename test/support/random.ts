// Random moments that can be repeated: a failed run names its seed, and the next one is given it.

/** From 0 up to 1. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export const randomOf = (seed: number): Random => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The seed that this variable gives, or a new one; says which, before anything can fail. */
export const seedFrom = (variable: string): number => {
  const seed = Number(process.env[variable] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${variable}=${seed}`);
  return seed;
};
