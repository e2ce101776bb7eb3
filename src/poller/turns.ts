// Of much that is to begin at the same time one begins in each turn of the event loop, the first at once: answers and probes have their
// turns in between, and where these take long the next begins later.

export type Turns = (begin: () => void) => void;

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
  return (begin) => {
    if (isTaken) waiting.push(begin);
    else take(begin);
  };
};
