// Readings of a real event loop and a real heap.

import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startReadings } from '../../src/watchdog/readings.ts';
import { collector } from '../support/collector.ts';

const now = (): number => performance.now() / 1000;

const reading = (clock = now) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return startReadings(clock, stop.signal);
};

const block = (seconds: number): void => {
  for (const end = now() + seconds; now() < end; );
};

test('a stall right after a reading is seen by the next one, and not forever', async () => {
  const read = reading();
  for (let turn = 0; turn < 3; turn += 1) {
    read();
    block(0.5);
    // Before any timer has run: the reading tick may be the first.
    expect(read().lag).toBeGreaterThanOrEqual(0.4);
  }
  // A busy machine may stall it once more.
  await expect.poll(() => read().lag).toBeLessThan(0.4);
});

test('a stall is seen even if the latest internal look was on time', async () => {
  const read = reading();
  block(0.5);
  // At least one more look, on time.
  await wait(250);
  expect(read().lag).toBeGreaterThanOrEqual(0.39);
});

test('long turns are seen even if each timer is on time, and idle time is not a turn', async () => {
  const read = reading(() => 0);
  for (let turn = 0; turn < 5; turn += 1) {
    await immediate();
    block(0.06);
  }
  expect(read().lag).toBeGreaterThanOrEqual(0.03);
  await expect.poll(() => read().lag, { interval: 300 }).toBeLessThan(0.03);
});

test('the heap is what a full collection left, without garbage', async () => {
  const collect = collector();
  const read = reading();
  const of = (megabytes: number): number[][] =>
    Array.from({ length: megabytes }, () => Array.from({ length: 131_072 }, Math.random));
  const collected = async (): Promise<number> => {
    const since = now();
    collect();
    for (;;) {
      const { live } = read();
      if (live !== undefined && live.at >= since) return live.bytes;
      await wait(1);
    }
  };
  const before = await collected();
  const held = of(40);
  const during = await collected();
  expect(during - before).toBeGreaterThan(30 * 2 ** 20);
  expect(held.splice(0)).toHaveLength(40);
  expect(during - (await collected())).toBeGreaterThan(30 * 2 ** 20);
  expect(read().heapLimit).toBeGreaterThan(during);
});
