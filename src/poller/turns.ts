// Of much that is to begin at the same time one begins in each turn of the event loop, the first at once: answers and probes have their
// turns in between, and where these take long the next begins later.

/**
 * Targets of the configuration do not wait for all that are discovered, nor do those that were polled wait for all that are new: an API
 * server may replace a thousand pods at every moment.
 */
export type PollQueue = 'configured' | 'discovered' | 'new';

/** Of several queues each has its turn, one after the other. `isNext`: before all that wait in its queue. */
export type Turns = (begin: () => void, options?: { readonly isNext?: boolean; readonly queue?: PollQueue }) => void;

export const createTurns = (): Turns => {
  // A map keeps the order of insertion: the first queue has the next turn.
  const queues = new Map<PollQueue, (() => void)[]>();
  let isTaken = false;
  const next = (): (() => void) | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [queue, waiting] = first;
    const begin = waiting.shift();
    queues.delete(queue);
    if (waiting.length > 0) queues.set(queue, waiting);
    return begin;
  };
  const take = (begin: () => void): void => {
    isTaken = true;
    setImmediate(() => {
      const begun = next();
      if (begun === undefined) isTaken = false;
      else take(begun);
    });
    begin();
  };
  return (begin, { isNext = false, queue = 'configured' } = {}) => {
    if (!isTaken) {
      take(begin);
      return;
    }
    const waiting = queues.get(queue) ?? [];
    queues.set(queue, waiting);
    if (isNext) waiting.unshift(begin);
    else waiting.push(begin);
  };
};
