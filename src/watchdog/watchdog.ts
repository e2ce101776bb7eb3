// Whether this process keeps up: readings once a second -> how overloaded it is, and a line in the log when that changes.

import type { Log } from '../log.ts';
import { followOverload, type Overload, type OverloadLevel, type OverloadLimits } from './overload.ts';
import type { Reading } from './readings.ts';

export type Resource = 'event_loop' | 'heap';

export interface WatchdogState {
  /** Of the resource that is overloaded most. */
  readonly level: OverloadLevel;
  /** `value`: lag in seconds; of the heap, the live fraction of its limit. */
  readonly resources: Readonly<Record<Resource, Overload & { readonly value: number }>>;
  readonly reading: Reading;
}

/** Of the heap's limit: from here on pages are refused. */
const pageHeap = 0.85;

const limits: Readonly<Record<Resource, OverloadLimits>> = {
  // A probe has a second or more, and waits for a few turns. 200 clients that scrape as fast as they can make 0.06 to 0.1 s, a pause
  // of the garbage collector 0.03 s; a machine on which eight others want the same core makes 0.2 s of nothing.
  event_loop: { levels: [0.25, 0.5, 2], release: 0.5 },
  // V8 collects all the time from about 0.9 on, and ends the process at 1.
  heap: { levels: [0.8, pageHeap, 0.9], release: 0.95 },
};

/**
 * Whether probes of nodes are refused, whose answers fill the heap: as pages are, but only while it is that full. Whoever asks for many
 * pages makes their refusal last.
 */
export const refusesProbes = ({ resources: { heap } }: WatchdogState): boolean =>
  heap.level >= 2 && heap.value >= pageHeap * limits.heap.release;

/** Seconds from the start in which the lag counts for nothing: everything is polled, and compiled, for the first time. */
const startSeconds = 30;

/** Seconds after which a collection no longer counts: V8 has needed no memory since, however much was live then. */
const collectionLasts = 60;

/** Refused requests a second above which they would overload it again: browsers and scrapers ask far less. */
const pressing = 20;

/** Seconds between two readings at least: right after a stall, a second one would see none. */
const shortest = 0.5;

/**
 * What a full collection left, and not what is in use: used_heap_size grows towards the limit with garbage that nobody has needed to
 * collect yet, for minutes where little happens.
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

/** Level -> what is refused. */
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
    /** To be called about once a second; `at`: seconds, steady clock. `shed`: requests refused so far. */
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
      else log.warn(fields, `overloaded, refusing ${refusedAtLevel[level]}`);
    },
    current: (): WatchdogState => watched,
  };
};
