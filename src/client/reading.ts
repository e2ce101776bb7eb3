// Spreads the parsing of bodies over iterations of the event loop. Bodies of many targets, probes or tag sets may end in the same iteration:
// probes and other responses are served in between. Large bodies are parsed one at a time, with a pause after each for garbage collection.

import { heapLull } from '../heap.ts';
import { yieldToEventLoop } from '../pause.ts';
import { small } from './budget.ts';

/** Bytes. Smaller bodies are parsed at once: to wait would cost more than to parse. */
const trivial = 1024;

/** Milliseconds of parsing per iteration. A body with a few thousand rows of wrong types takes ten times as long as one of a real node. */
const budgetMs = 4;

/** Yields twice, because after an event of a socket, the first yield only reaches the end of the same iteration. */
const inLaterIteration = async <T>(value: T): Promise<T> => {
  await yieldToEventLoop();
  await yieldToEventLoop();
  return value;
};

let before: Promise<unknown> = Promise.resolve();

/** Bodies above `small` are parsed one after the other, and `parse` and `read` have an iteration each. budget.ts limits how many wait. */
export const readInTurn = <P, T>(bytes: number, parse: () => P, read: (parsed: P) => T): T | Promise<T> => {
  const whole = (): T => read(parse());
  if (bytes <= trivial) return whole();
  if (bytes <= small) return readWithinBudget(whole);
  const turn = before.then(inLaterIteration).then(parse).then(inLaterIteration).then(read);
  before = turn.then(heapLull, heapLull);
  // The caller may take as long again, for example to decode and hash a container of megabytes: probes are served before.
  return turn.then((understood) => inLaterIteration(understood));
};

const waiting: (() => void)[] = [];
let spentMs = 0;
let isCounting = false;

const timed = <T>(read: () => T): T => {
  const begun = performance.now();
  try {
    return read();
  } finally {
    spentMs += performance.now() - begun;
    if (!isCounting) setImmediate(startWaiting);
    isCounting = true;
  }
};

const startWaiting = (): void => {
  [spentMs, isCounting] = [0, false];
  while (spentMs < budgetMs) {
    const next = waiting.shift();
    if (next === undefined) return;
    next();
  }
};

/** Reads at once if the iteration has time left and no other body waits. */
const readWithinBudget = <T>(read: () => T): T | Promise<T> =>
  waiting.length === 0 && spentMs < budgetMs
    ? timed(read)
    : new Promise<T>((resolve, reject) => {
        waiting.push(() => {
          try {
            resolve(timed(read));
          } catch (error) {
            reject(error);
          }
        });
      });
