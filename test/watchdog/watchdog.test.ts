// Which readings are overload: not a pause, not the start, and not garbage that waits for collection.

import { expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/log.ts';
import type { Reading } from '../../src/watchdog/readings.ts';
import { createWatchdog } from '../../src/watchdog/watchdog.ts';

const mebibyte = 2 ** 20;
const idle: Reading = { lag: 0.001, heapLimit: 100 * mebibyte };

/** A watchdog that has run for a minute, or for `age` seconds, and gets a reading every second. */
const watching = (age = 60) => {
  let [at, shed] = [0, 0];
  let reading = idle;
  const lines: string[] = [];
  const write: Log['info'] = (_, message) => void lines.push(message);
  const watchdog = createWatchdog(() => reading, { ...silentLog, info: write, warn: write }, at);
  at = age;
  /** `read` gives the reading of each second, in which `shedEach` requests are refused. Returns the highest level. */
  const seconds = (count: number, read: (at: number) => Partial<Reading>, shedEach = 0): number => {
    let highest = 0;
    for (let second = 0; second < count; second += 1) {
      at += 1;
      reading = { ...idle, ...read(at) };
      shed += shedEach;
      watchdog.tick(at, shed);
      highest = Math.max(highest, watchdog.current().level);
    }
    return highest;
  };
  return {
    seconds,
    lines,
    /** One more tick right after the last one. */
    again: (): void => {
      reading = idle;
      watchdog.tick(at + 0.01, shed);
    },
    level: () => watchdog.current().level,
  };
};

const full =
  (ratio: number, ago = 0) =>
  (at: number) => ({ live: { bytes: ratio * 100 * mebibyte, at: at - ago } });

test.each([
  { title: 'pauses of 30 ms, each second', read: () => ({ lag: 0.03 }), level: 0 },
  { title: 'a pause of 2 s, every third second', read: (at: number) => ({ lag: at % 3 === 0 ? 2 : 0.01 }), level: 0 },
  { title: 'a loop that is late by 0.24 s', read: () => ({ lag: 0.24 }), level: 0 },
  { title: 'a loop that is late by 0.25 s', read: () => ({ lag: 0.25 }), level: 1 },
  { title: 'a loop that is late by 0.5 s', read: () => ({ lag: 0.5 }), level: 2 },
  { title: 'a loop that is late by 2 s', read: () => ({ lag: 2 }), level: 3 },
  { title: 'a heap that has never been collected', read: () => ({}), level: 0 },
  { title: 'a heap with 79% live data', read: full(0.79), level: 0 },
  { title: 'a heap with 80% live data', read: full(0.8), level: 1 },
  { title: 'a heap with 85% live data', read: full(0.85), level: 2 },
  { title: 'a heap with 90% live data', read: full(0.9), level: 3 },
  { title: 'a heap that was full at its last collection 61 s ago', read: full(0.95, 61), level: 0 },
  { title: 'a heap that was full at its last collection 59 s ago', read: full(0.95, 59), level: 3 },
  { title: 'a full heap and a late loop', read: (at: number) => ({ lag: 0.2, ...full(0.95)(at) }), level: 3 },
])('$title: level $level', ({ read, level }) => {
  expect(watching().seconds(30, read)).toBe(level);
});

test('in the first half minute lag is ignored, but a full heap is not', () => {
  expect(watching(0).seconds(29, () => ({ lag: 5 }))).toBe(0);
  expect(watching(0).seconds(40, () => ({ lag: 5 }))).toBe(3);
  expect(watching(0).seconds(29, full(0.95))).toBe(3);
});

test('a second tick right after a stall does not count as calm', () => {
  const { seconds, again, level } = watching();
  for (let second = 0; second < 4; second += 1) {
    seconds(1, () => ({ lag: 1 }));
    again();
  }
  expect(level()).toBe(1);
});

test('each change of what is refused is logged once', () => {
  const { seconds, lines } = watching();
  seconds(20, () => ({ lag: 2 }));
  expect(lines).toEqual([
    'overloaded, rejecting event streams',
    'overloaded, rejecting event streams and pages',
    'overloaded, rejecting event streams, pages and whole scrapes',
  ]);
  seconds(40, () => ({}));
  expect(lines.slice(3)).toEqual([
    'overloaded, rejecting event streams and pages',
    'overloaded, rejecting event streams',
    'no longer overloaded',
  ]);
});

test('pages stay refused while more than 20 requests per second are refused', () => {
  const { seconds, level } = watching();
  expect(seconds(10, () => ({ lag: 0.6 }))).toBe(2);
  seconds(30, () => ({}), 21);
  expect(level()).toBe(2);
  seconds(22, () => ({}), 20);
  expect(level()).toBe(0);
});
