// Measures this process: the event loop lag, and the live heap after a garbage collection.
//
// The lag is the greater of two values. A timer that runs 10 times per second detects a single stall, and underestimates it by at most
// 100 ms. The mean length of an event loop turn is how long each new connection waits: libuv accepts one per turn. monitorEventLoopDelay
// is not used: its `reset` forgets when it last ran, so it misses stalls that begin right after a reading.

import { constants, type EventLoopUtilization, PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface Reading {
  /** Maximum since the last reading, in seconds. */
  readonly lag: number;
  /** Bytes. */
  readonly heapLimit: number;
  /** After the last full garbage collection. Undefined before the first. */
  readonly live?: {
    readonly bytes: number;
    /** Seconds, exporter's clock. */
    readonly at: number;
  };
}

const sampleSeconds = 0.1;

/** Measures until the signal is aborted. */
export const startReadings = (now: () => number, signal: AbortSignal): (() => Reading) => {
  let [lag, sampledAt] = [0, now()];
  let live: Reading['live'];
  const turn = turns();
  const sample = (): void => {
    const at = now();
    lag = Math.max(lag, at - sampledAt - sampleSeconds);
    sampledAt = at;
  };
  const sampler = setInterval(sample, sampleSeconds * 1000);
  const collections = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFull)) live = { bytes: getHeapStatistics().used_heap_size, at: now() };
  });
  collections.observe({ entryTypes: ['gc'] });
  const stop = (): void => {
    clearInterval(sampler);
    collections.disconnect();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });

  return () => {
    // A stall may have delayed the timer that detects it, so it is sampled here too.
    sample();
    lag = Math.max(lag, turn());
    const { heap_size_limit: heapLimit, used_heap_size: used } = getHeapStatistics();
    const reading = { lag, heapLimit, ...(live && { live: { at: live.at, bytes: Math.min(live.bytes, used) } }) };
    lag = 0;
    return reading;
  };
};

/** Returns the mean seconds per turn of the event loop since the last call, without idle time. */
const turns = (): (() => number) => {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  let counted = performance.nodeTiming.uvMetricsInfo.loopCount;
  return () => {
    const [after, count] = [performance.eventLoopUtilization(), performance.nodeTiming.uvMetricsInfo.loopCount];
    const { active } = performance.eventLoopUtilization(after, before);
    const mean = active / 1000 / Math.max(1, count - counted);
    [before, counted] = [after, count];
    return mean;
  };
};

const isFull = (entry: object): boolean => {
  const detail: unknown = Reflect.get(entry, 'detail');
  return typeof detail === 'object' && detail !== null && Reflect.get(detail, 'kind') === constants.NODE_PERFORMANCE_GC_MAJOR;
};
