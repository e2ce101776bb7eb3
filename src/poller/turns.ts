// Of much that is to begin at the same time one begins in each turn of the event loop, the first at once: answers and probes have their
// turns in between, and where these take long the next begins later.

/** `isNext`: before all that wait. */
export type Turns = (begin: () => void, isNext?: boolean) => void;

export const createTurns = (): Turns => {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const take = (begin: () => void): void => {
    isTaken = true;
    setImmediate(() => {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else take(next);
    });
    begin();
  };
  return (begin, isNext = false) => {
    if (!isTaken) take(begin);
    else if (isNext) waiting.unshift(begin);
    else waiting.push(begin);
  };
};
