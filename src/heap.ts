// Waits for the garbage collector. V8 collects old objects in steps between iterations of the event loop. If each iteration makes megabytes
// of garbage, the heap of Node.js 22 and later grows beyond the memory of a small container.

import { getHeapStatistics } from 'node:v8';
import { pause, yieldToProbes } from './pause.ts';

interface Heap {
  /** Bytes. */
  readonly used: () => number;
  readonly limit: number;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** Growth above the smallest heap so far, as a fraction of the limit, that makes callers wait. */
const growth = 0.05;

/** Duration and maximum number of waits. The total is short, because V8 may not collect at all while the heap may still grow. */
const [stepMs, steps] = [5, 40] as const;

/**
 * Returns a function that waits if the heap has grown much. It waits until half of the growth is collected, at most a fifth of a second.
 */
export const createHeapRest = ({ used, limit, wait }: Heap): (() => Promise<void>) => {
  let least = Number.POSITIVE_INFINITY;
  return async () => {
    const before = used();
    least = Math.min(least, before);
    if (before - least < growth * limit) return;
    for (let step = 0; step < steps; step += 1) {
      await wait(stepMs);
      if (used() <= (least + before) / 2) return;
    }
    least = used();
  };
};

const used = (): number => getHeapStatistics().used_heap_size;
const limit = getHeapStatistics().heap_size_limit;
const ownRest = createHeapRest({ used, limit, wait: (ms) => pause(ms / 1000) });

/**
 * Heap limit in bytes from which callers do not wait: two thirds of a container of 240 MiB. In a larger container, large responses of a
 * fleet need not wait.
 */
const roomy = 160 * 1024 * 1024;

/** Call it after work that made megabytes of garbage: serves waiting probes, and keeps a small heap from growing. */
export const heapLull = async (): Promise<void> => {
  await yieldToProbes();
  if (limit < roomy) await ownRest();
};
