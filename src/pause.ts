// Waiting, for what does something again and again.

import { setTimeout as sleep } from 'node:timers/promises';

/** Node.js fires a timer at once that is to wait for longer: 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/** For a timer of Node.js. */
export const timerMs = (seconds: number): number => Math.min(longestTimerMs, Math.max(0, seconds * 1000));

/** Resolves when so many seconds have passed, or the signal is aborted. Yields to the event loop, also for 0 seconds. */
export const pause = async (seconds: number, signal?: AbortSignal): Promise<void> => {
  await Promise.allSettled([sleep(timerMs(seconds), undefined, signal === undefined ? {} : { signal })]);
};

/** A stall of our own, in which no work can end, counts as one of so many parts. */
const parts = 4;

/** Calls back when so many milliseconds have passed. Returns a function that cancels it. */
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

/** The result of the work, or undefined if it takes longer than so many seconds or the signal is aborted first. */
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

/** Until the next iteration of the event loop: everything else that is ready runs first. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** From connection to response, a probe takes this many iterations; the first may only end the phase in which responses arrive. */
const iterationsOfProbe = 5;

/** Long enough for probes that have arrived to be answered. For the time between pieces of work of milliseconds each. */
export const yieldToProbes = async (): Promise<void> => {
  for (let iteration = 0; iteration < iterationsOfProbe; iteration += 1) await yieldToEventLoop();
};

/** Runs the task now or later. The queues take turns. `isNext`: before all other tasks of its queue. */
export type TaskQueue = (task: () => void, options?: { readonly isNext?: boolean; readonly queue?: string }) => void;

/**
 * Starts at most so many tasks per iteration of the event loop, the first of them at once: responses and probes are served in between, and
 * while these take long, the next tasks start later.
 */
export const createTaskQueue = (maxPerIteration = 1): TaskQueue => {
  // A map keeps the order of insertion: the first queue is served next.
  const queues = new Map<string, (() => void)[]>();
  let started = 0;
  const shift = (): (() => void) | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [queue, waiting] = first;
    const task = waiting.shift();
    queues.delete(queue);
    if (waiting.length > 0) queues.set(queue, waiting);
    return task;
  };
  const start = (task: () => void): void => {
    if (started === 0) setImmediate(startWaiting);
    started += 1;
    task();
  };
  const startWaiting = (): void => {
    started = 0;
    while (started < maxPerIteration) {
      const task = shift();
      if (task === undefined) return;
      start(task);
    }
  };
  return (task, { isNext = false, queue = '' } = {}) => {
    if (started < maxPerIteration && queues.size === 0) {
      start(task);
      return;
    }
    const waiting = queues.get(queue) ?? [];
    queues.set(queue, waiting);
    if (isNext) waiting.unshift(task);
    else waiting.push(task);
  };
};

/** Returns a function that runs the work soon, however often it is called: so many milliseconds after the last time, or at once. */
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

/** Returns a function that starts each work when all earlier ones have ended. */
export const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const made = last.then(work);
    last = made.catch(() => undefined);
    return made;
  };
};
