// What is measured of the own process: how late the event loop runs, and how much of the heap is left after a garbage collection.
//
// The lag is the worst of a timer, 10 times a second, which sees a single stall, short by 100 ms at most; or the mean length of a turn, which
// is what waits before each new connection: libuv takes one a turn. Not monitorEventLoopDelay: after its `reset` it
// forgets when it last ran, so of stalls that begin right after a reading it sees none.

import { constants, type EventLoopUtilization, PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface Reading {
  /** Since the last reading; seconds. */
  readonly lag: number;
  /** Bytes. */
  readonly heapLimit: number;
  /** After the last full garbage collection; absent before the first. */
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
    // A stall may have kept back the timer that is to see it until after this reading.
    sample();
    lag = Math.max(lag, turn());
    const { heap_size_limit: heapLimit, used_heap_size: used } = getHeapStatistics();
    const reading = { lag, heapLimit, ...(live && { live: { at: live.at, bytes: Math.min(live.bytes, used) } }) };
    lag = 0;
    return reading;
  };
};

/** Seconds that a turn of the event loop took since the last call, without what it slept. */
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
