// Waiting, for what does something again and again.

import { setTimeout as sleep } from 'node:timers/promises';

/** Node.js fires a timer at once that is to wait for longer: 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/** For a timer of Node.js. */
export const timerMs = (seconds: number): number => Math.min(longestTimerMs, Math.max(0, seconds * 1000));

/** Resolves when so many seconds have passed, or the signal is aborted. Others have their turn meanwhile, also for 0 seconds. */
export const pause = async (seconds: number, signal?: AbortSignal): Promise<void> => {
  await Promise.allSettled([sleep(timerMs(seconds), undefined, signal === undefined ? {} : { signal })]);
};

/** A stall of our own, in which no work can end, counts as one of so many parts. */
const parts = 4;

/** Calls back when so many milliseconds have passed. Gives what ends the waiting. */
export const afterParts = (ms: number, then: () => void): (() => void) => {
  let left = parts;
  const part = (): void => {
    left -= 1;
    if (left === 0) then();
    else timer = setTimeout(part, ms / parts);
  };
  let timer = setTimeout(part, ms / parts);
  return () => clearTimeout(timer);
};

/** What the work comes to, or undefined where that takes longer than so many seconds, or the signal is aborted before. */
export const within = async <T>(work: Promise<T>, seconds: number, signal?: AbortSignal): Promise<T | undefined> => {
  const enough = new AbortController();
  const over = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  const enoughOf = async (): Promise<undefined> => {
    for (let part = 0; part < parts; part += 1) await pause(seconds / parts, over);
  };
  try {
    return await Promise.race([work, enoughOf()]);
  } finally {
    enough.abort();
  }
};

/** What else is ready has its turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** From connection to answer a probe takes so many turns; the first of them may only end the phase in which answers arrive. */
const turnsOfProbe = 5;

/** Probes that have come are answered. Between pieces of work of milliseconds each: one turn between them is one step of a probe. */
export const lull = async (): Promise<void> => {
  for (let turn = 0; turn < turnsOfProbe; turn += 1) await nextTurn();
};

/** Of several queues each has its turn, one after the other. `isNext`: before all that wait in its queue. */
export type Turns = (begin: () => void, options?: { readonly isNext?: boolean; readonly queue?: string }) => void;

/**
 * Of much that is to begin at the same time so many begin in each turn of the event loop, the first at once: answers and probes have their
 * turns in between, and where these take long the next begin later.
 */
export const createTurns = (most = 1): Turns => {
  // A map keeps the order of insertion: the first queue has the next turn.
  const queues = new Map<string, (() => void)[]>();
  let begun = 0;
  const shift = (): (() => void) | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [queue, waiting] = first;
    const begin = waiting.shift();
    queues.delete(queue);
    if (waiting.length > 0) queues.set(queue, waiting);
    return begin;
  };
  const take = (begin: () => void): void => {
    if (begun === 0) setImmediate(next);
    begun += 1;
    begin();
  };
  const next = (): void => {
    begun = 0;
    while (begun < most) {
      const begin = shift();
      if (begin === undefined) return;
      take(begin);
    }
  };
  return (begin, { isNext = false, queue = '' } = {}) => {
    if (begun < most && queues.size === 0) {
      take(begin);
      return;
    }
    const waiting = queues.get(queue) ?? [];
    queues.set(queue, waiting);
    if (isNext) waiting.unshift(begin);
    else waiting.push(begin);
  };
};

/** Gives what does the work soon, however often it is called: so many milliseconds after the last time, or at once. */
export const notTooOften = (ms: number, work: () => void): (() => void) => {
  let due: NodeJS.Timeout | undefined;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (due !== undefined) return;
    due = setTimeout(
      () => {
        [due, at] = [undefined, performance.now()];
        work();
      },
      Math.max(0, at + ms - performance.now()),
    );
    due.unref();
  };
};

/** Gives what begins each work when those before it have ended. */
export const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const made = last.then(work);
    last = made.catch(() => undefined);
    return made;
  };
};
