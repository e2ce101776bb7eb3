// Bodies that ended in the same turn of the event loop, those of many targets, probes or tag sets, are not all understood in it: probes
// and other answers come in between. Large ones are parsed one at a time, with a pause after each in which the heap may be collected.

import { heapLull } from '../heap.ts';
import { yieldToEventLoop } from '../pause.ts';
import { small } from './budget.ts';

/** Up to so many bytes a body costs less than its turn. */
const trivial = 1024;

/** Milliseconds of the others in a turn: a few thousand rows of wrong types take ten times as long as what a node sends. */
const turnMs = 4;

/** Twice: after bytes of a socket, the first is still of the turn that brought them. */
const aTurnLater = async <T>(value: T): Promise<T> => {
  await yieldToEventLoop();
  await yieldToEventLoop();
  return value;
};

let before: Promise<unknown> = Promise.resolve();

/** Of larger ones than small few are held at once, and no others wait: `parse` and `read` have a turn each. */
export const readInTurn = <P, T>(bytes: number, parse: () => P, read: (parsed: P) => T): T | Promise<T> => {
  const whole = (): T => read(parse());
  if (bytes <= trivial) return whole();
  if (bytes <= small) return shared(whole);
  const turn = before.then(aTurnLater).then(parse).then(aTurnLater).then(read);
  before = turn.then(heapLull, heapLull);
  // To decode and hash a container of megabytes takes as long as to understand it: probes are answered in between.
  return turn.then((understood) => aTurnLater(understood));
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
    if (!isCounting) setImmediate(goOn);
    isCounting = true;
  }
};

const goOn = (): void => {
  [spentMs, isCounting] = [0, false];
  while (spentMs < turnMs) {
    const next = waiting.shift();
    if (next === undefined) return;
    next();
  }
};

/** At once while its turn has time left, and nobody came before. */
const shared = <T>(read: () => T): T | Promise<T> =>
  waiting.length === 0 && spentMs < turnMs
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
