// Which maintenance window is open for a target at which time.

import { describe, expect, test } from 'vitest';
import { isOpen, type MaintenanceWindow, openFor, windowFault } from '../../src/maintenance/window.ts';

const noon = 1_795_176_000;
const window = (from: number, to: number, over: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  start: noon + from,
  end: noon + to,
  reason: `${from} to ${to}`,
  source: 'api',
  ...over,
});

test.each([
  { at: -0.001, open: false },
  { at: 0, open: true },
  { at: 59.999, open: true },
  { at: 60, open: false },
])('a window of a minute is open after $at s: $open', ({ at, open }) => {
  expect(isOpen(window(0, 60), noon + at)).toBe(open);
});

describe('of several windows', () => {
  const short = window(-10, 20);
  const long = window(-5, 90, { targets: ['a', 'b'] });
  const past = window(-100, 0);
  const later = window(1, 500);

  test.each([
    { windows: [], target: 'a', shown: undefined },
    { windows: [short, long], target: 'a', shown: long },
    { windows: [long, short], target: 'b', shown: long },
    { windows: [long, short], target: 'c', shown: short },
    { windows: [long], target: 'c', shown: undefined },
    { windows: [past, later], target: 'a', shown: undefined },
    // Of two that end at the same time, the first one, so that the shown window does not change.
    { windows: [short, window(-1, 20)], target: 'a', shown: short },
  ])('target $target has the open window that ends last: $shown.reason', ({ windows, target, shown }) => {
    expect(
      openFor(
        windows.filter((one) => isOpen(one, noon)),
        target,
      ),
    ).toBe(shown);
  });
});

test('if a window for all targets ends no earlier than one that names the target, it is shown with the targets of that one', () => {
  const own = window(-10, 20, { targets: ['a', 'b'] });
  for (const all of [window(-5, 90), window(-20, 20)]) {
    expect(openFor([all, own], 'a')).toEqual({ ...all, targets: ['a', 'b'] });
    expect(openFor([all, own], 'c')).toBe(all);
  }
});

test.each([
  { lasts: 0, fault: 'must be after start' },
  { lasts: -1, fault: 'must be after start' },
  { lasts: 1, fault: undefined },
  { lasts: 86_400, fault: undefined },
  { lasts: 86_401, fault: 'must be at most 24 h after start' },
])('a window of $lasts s has the fault: $fault', ({ lasts, fault }) => {
  expect(windowFault({ start: noon, end: noon + lasts })).toBe(fault);
});
