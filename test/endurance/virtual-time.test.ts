// The clock of the endurance runs: where it stops, and which timers it calls.

import { expect, test } from 'vitest';
import { installVirtualTime } from './virtual-time.ts';

const start = 1000;

/** Virtual timers in a separate scope, not those of this process. */
const timersOf = (stride: number | undefined) => {
  const scope = { setTimeout, setInterval, clearTimeout, clearInterval };
  const time = installVirtualTime({ start, stride }, scope);
  const told: string[] = [];
  const tell = (what: string) => (): void => {
    told.push(`${what} ${time.now() - start}`);
  };
  const stops: number[] = [];
  const advance = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) {
      await time.advance(async () => {
        stops.push(time.now() - start);
      });
    }
  };
  return { scope, time, told, tell, stops, advance };
};

test('time stops at multiples of the stride and at single timers; intervals are called at each of their times', async () => {
  const { scope, told, tell, stops, advance } = timersOf(2);
  scope.setInterval(tell('tick'), 1000);
  scope.setInterval(tell('half'), 500);
  scope.setTimeout(tell('once'), 2750);
  await advance(3);
  expect(stops).toEqual([2, 2.75, 4]);
  expect(told).toEqual(
    ['half 0.5', 'tick 1', 'half 1', 'half 1.5', 'tick 2', 'half 2', 'half 2.5', 'once 2.75'].concat(
      ...['tick 3', 'half 3', 'half 3.5', 'tick 4', 'half 4'],
    ),
  );
});

test('without a stride time stops only at single timers, and an interval is called once per step', async () => {
  const { scope, told, tell, stops, advance } = timersOf(undefined);
  scope.setInterval(tell('tick'), 1000);
  scope.setTimeout(tell('once'), 3_600_000);
  scope.setTimeout(tell('later'), 7_200_000);
  await advance(2);
  expect(stops).toEqual([3600, 7200]);
  expect(told).toEqual(['tick 3600', 'once 3600', 'tick 7200', 'later 7200']);
});

test('time does not stop at a timer that sets itself again', async () => {
  const { scope, told, tell, stops, advance } = timersOf(5);
  const beat = (): void => {
    tell('beat')();
    scope.setTimeout(beat, 750);
  };
  scope.setTimeout(beat, 750);
  await advance(3);
  expect(stops).toEqual([0.75, 5, 10]);
  expect(told).toEqual(['beat 0.75', 'beat 1.5', 'beat 5']);
});

test('a cleared timer is not called and does not count', async () => {
  const { scope, time, told, tell, advance } = timersOf(5);
  const [once, again] = [scope.setTimeout(tell('once'), 1000), scope.setInterval(tell('again'), 1000)];
  expect([time.timers(), time.isAwaited()]).toEqual([2, true]);
  scope.clearTimeout(once);
  expect([time.timers(), time.isAwaited()]).toEqual([1, false]);
  scope.clearInterval(again);
  await advance(1);
  expect(told).toEqual([]);
});
