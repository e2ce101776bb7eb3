// A look at each of many, a little in each turn of the event loop.

import { yieldToEventLoop } from '../pause.ts';

/** Most in one turn: about a millisecond. */
const inOneTurn = 100;

export const slowly = async <From, To>(all: readonly From[], to: (one: From) => To): Promise<readonly To[]> => {
  const made: To[] = [];
  for (const one of all) {
    made.push(to(one));
    if (made.length % inOneTurn === 0) await yieldToEventLoop();
  }
  return made;
};
