// The garbage collector, so that a test may ask what is still held.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Gives what collects all garbage. */
export const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('there is no gc');
  return () => collect();
};
