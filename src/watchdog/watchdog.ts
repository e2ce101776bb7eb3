// Watches the load of this process: one reading per second -> its level of overload, and a log line when that changes.

import type { Log } from '../log.ts';
import { followOverload, type Overload, type OverloadLevel, type OverloadLimits } from './overload.ts';
import type { Reading } from './readings.ts';

export type Resource = 'event_loop' | 'heap';

export interface WatchdogState {
  /** Maximum over the resources. */
  readonly level: OverloadLevel;
  /** `value`: the lag in seconds, or the live fraction of the heap limit. */
  readonly resources: Readonly<Record<Resource, Overload & { readonly value: number }>>;
  readonly reading: Reading;
}

/** Fraction of the heap limit above which pages are refused. */
const pageHeap = 0.85;

const limits: Readonly<Record<Resource, OverloadLimits>> = {
  // A probe has a timeout of at least a second, and waits for a few turns. Measured lags: 200 clients that scrape as fast as they can
  // cause 0.06 to 0.1 s, a pause of the garbage collector 0.03 s, and eight other processes on the same core 0.2 s without any load.
  event_loop: { levels: [0.25, 0.5, 2], release: 0.5 },
  // V8 collects garbage all the time from about 0.9 on, and aborts the process at 1.
  heap: { levels: [0.8, pageHeap, 0.9], release: 0.95 },
};

/**
 * Whether probes of nodes are refused, because their responses fill the heap. They are refused at the level of pages, but only while the
 * heap is that full: clients that request many pages prolong the level.
 */
export const refusesProbes = ({ resources: { heap } }: WatchdogState): boolean =>
  heap.level >= 2 && heap.value >= pageHeap * limits.heap.release;

/** Seconds after the start in which the lag is ignored: everything is polled and compiled for the first time. */
const startSeconds = 30;

/** Seconds after which a garbage collection is ignored: V8 has not needed memory since, however large the live heap was. */
const collectionLasts = 60;

/** Refused requests per second above which they would cause the overload again: browsers and scrapers send far fewer. */
const pressing = 20;

/** Minimum seconds between two readings: a second reading right after a stall would not show it. */
const shortest = 0.5;

/**
 * Uses the live heap after a full collection, not used_heap_size: that includes garbage, and grows towards the limit for minutes while
 * little happens, because nothing needs to be collected yet.
 */
const liveFraction = ({ live, heapLimit }: Reading, at: number): number =>
  live === undefined || at - live.at > collectionLasts ? 0 : live.bytes / heapLimit;

interface Moment {
  readonly at: number;
  readonly age: number;
  readonly pressed: boolean;
}

const follow = (
  { resources }: Pick<WatchdogState, 'resources'>,
  reading: Reading,
  { at, age, pressed }: Moment,
): WatchdogState => {
  const next = (name: Resource, value: number) => ({
    ...followOverload(resources[name], value, at, limits[name], pressed),
    value,
  });
  const followed = {
    event_loop: next('event_loop', age < startSeconds ? 0 : reading.lag),
    heap: next('heap', liveFraction(reading, at)),
  };
  const level = followed.heap.level > followed.event_loop.level ? followed.heap.level : followed.event_loop.level;
  return { level, resources: followed, reading };
};

/** Level -> what it refuses. */
export const refusedAtLevel = [
  'nothing',
  'event streams',
  'event streams and pages',
  'event streams, pages and whole scrapes',
] as const satisfies Readonly<Record<OverloadLevel, string>>;

const calm = { level: 0, value: 0 } as const;

export const createWatchdog = (read: () => Reading, log: Log, startedAt: number) => {
  let watched: WatchdogState = { level: 0, resources: { event_loop: calm, heap: calm }, reading: read() };
  let [readAt, counted] = [startedAt, 0];
  return {
    /** Call it about once per second. `at`: seconds of the steady clock. `shed`: total of refused requests so far. */
    tick: (at: number, shed: number): void => {
      if (at - readAt < shortest) return;
      const pressed = (shed - counted) / (at - readAt) > pressing;
      [readAt, counted] = [at, shed];
      const before = watched.level;
      watched = follow(watched, read(), { at, age: at - startedAt, pressed });
      const { level, resources } = watched;
      if (level === before) return;
      const fields = { eventLoopLagSeconds: resources.event_loop.value, heapLiveRatio: resources.heap.value };
      if (level === 0) log.info(fields, 'no longer overloaded');
      else log.warn(fields, `overloaded, rejecting ${refusedAtLevel[level]}`);
    },
    current: (): WatchdogState => watched,
  };
};
