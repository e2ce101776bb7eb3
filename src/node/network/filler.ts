// Pseudorandom bytes that depend only on a seed and a position, fast enough to bootstrap a million blocks: the sfc32 generator.

/** Four words of seed, for example from a hash. */
export type Seed = readonly [number, number, number, number];

/** Steps until the position affects all of the state. */
const warmUp = 12;

/** Fills `words` for `position`, a whole number below 2^53. */
export const fillWords = (words: Uint32Array, seed: Seed, position: number): void => {
  let a = seed[0] ^ position;
  let b = seed[1] ^ Math.floor(position / 2 ** 32);
  let c = seed[2] | 0;
  let counter = seed[3] | 0;
  for (let at = -warmUp; at < words.length; at += 1) {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    if (at >= 0) words[at] = sum;
  }
};
