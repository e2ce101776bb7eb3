// Maps a long list without blocking the event loop.

import { yieldToEventLoop } from '../pause.ts';

/** Entries per iteration of the event loop: about a millisecond. */
const maxPerIteration = 100;

export const slowly = async <From, To>(all: readonly From[], to: (one: From) => To): Promise<readonly To[]> => {
  const results: To[] = [];
  for (const one of all) {
    results.push(to(one));
    if (results.length % maxPerIteration === 0) await yieldToEventLoop();
  }
  return results;
};
