// Waiting for V8, which collects what is old in steps between the turns of the event loop. Where each turn makes megabytes of garbage, the
// heap of Node.js 22 and later outgrows what is alive in it by more than a small container has.

import { getHeapStatistics } from 'node:v8';
import { pause, yieldToProbes } from './pause.ts';

interface Heap {
  /** Bytes. */
  readonly used: () => number;
  readonly limit: number;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** Of the limit, above the least that it has held. */
const growth = 0.05;

/** A heap that may still grow is not collected: nobody waits for long. */
const [stepMs, steps] = [5, 40] as const;

/** Gives what waits, where the heap has grown much, until some of it is collected, but for a fifth of a second at most. */
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

/** Bytes: two thirds of a container of 240 MiB. In a larger one there is room, and fleets whose large answers would wait for nothing. */
const roomy = 160 * 1024 * 1024;

/** After what made megabytes of garbage: probes that have come are answered, and a small heap is not left to grow. */
export const heapLull = async (): Promise<void> => {
  await yieldToProbes();
  if (limit < roomy) await ownRest();
};
