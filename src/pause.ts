// Waits, queues, and limits on how often something runs.

import { setTimeout as sleep } from 'node:timers/promises';

/** 24.8 days. Node.js fires a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The milliseconds for a timer of Node.js, within its limits. */
export const timerMs = (seconds: number): number => Math.min(longestTimerMs, Math.max(0, seconds * 1000));

interface Backoff {
  /** The wait after the first failure. */
  readonly first: number;
  readonly max: number;
}

/** The wait after this many failures in a row, from 1: it doubles with each, up to `max`. In the unit of `first` and `max`. */
export const doublingWait = (failures: number, { first, max }: Backoff): number => Math.min(max, first * 2 ** (failures - 1));

/** Resolves after these seconds, or when the signal is aborted. Yields to the event loop, even for 0 seconds. */
export const pause = async (seconds: number, signal?: AbortSignal): Promise<void> => {
  await Promise.allSettled([sleep(timerMs(seconds), undefined, signal === undefined ? {} : { signal })]);
};

/**
 * A wait is divided into this number of timers. While the process itself is stalled, no work can end, so a stall counts as one part at
 * most.
 */
const parts = 4;

/** Calls back after these milliseconds, in parts. Returns a function that cancels it. */
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

/** The result of the work; undefined if it takes longer than these seconds, or if the signal is aborted first. */
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

/** Resolves in the next iteration of the event loop, after everything else that is ready. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A probe takes this many iterations from connection to response. The first may only end the current phase of the event loop. */
const iterationsOfProbe = 5;

/** Resolves when the probes that have arrived are answered. Call it between pieces of work of a few milliseconds each. */
export const yieldToProbes = async (): Promise<void> => {
  for (let iteration = 0; iteration < iterationsOfProbe; iteration += 1) await yieldToEventLoop();
};

/** Shortest time between two calls of `yieldToProbes` by a long piece of work. */
const longestTurnMs = 10;

/** Returns a function to call between small pieces of work: it yields to the event loop if that was 10 ms ago. */
export const yielding = (): (() => Promise<void>) => {
  let yieldedAt = performance.now();
  return async () => {
    if (performance.now() - yieldedAt <= longestTurnMs) return;
    await yieldToProbes();
    yieldedAt = performance.now();
  };
};

/** Runs the task now or later. The queues take turns. `isNext`: before all other tasks of its queue. */
export type TaskQueue = (task: () => void, options?: { readonly isNext?: boolean; readonly queue?: string }) => void;

/**
 * Starts at most this number of tasks per iteration of the event loop, the first of them at once. Responses and probes are served in
 * between. If they take long, the next tasks start later.
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

/** Returns a function that runs the work soon: at once, or `ms` after the last run. Several calls before that cause one run. */
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

/** Returns a function that starts each work after all earlier ones have ended. */
export const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const made = last.then(work);
    last = made.catch(() => undefined);
    return made;
  };
};
