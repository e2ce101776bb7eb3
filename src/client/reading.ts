// Large bodies are understood one at a time, with a lull after each: several may have ended in the same turn of the event loop, those of
// many targets or of many tag sets of one.

import { lull } from '../pause.ts';
import { small } from './budget.ts';

let before: Promise<unknown> = Promise.resolve();

/** Of larger ones than small few are held at once, and no others wait. */
export const readInTurn = <T>(bytes: number, read: () => T): T | Promise<T> => {
  if (bytes <= small) return read();
  const turn = before.then(read);
  before = turn.then(lull, lull);
  return turn;
};
