import { describe, expect, test } from 'vitest';
import { wallOffset } from '../../src/snapshot/wall-time.ts';

describe('the offset of the wall clock', () => {
  test.each([
    { where: 'at first', before: undefined, wall: 1000.2, offset: 0.2 },
    { where: 'after a jitter of two clocks read one after the other', before: 0.2, wall: 1000.4, offset: 0.2 },
    { where: 'at half a second', before: 0, wall: 1000.5, offset: 0 },
    { where: 'after a step forward', before: 0.2, wall: 8200, offset: 7200 },
    { where: 'after a step back', before: 7200, wall: 999, offset: -1 },
  ])('is $offset s $where', ({ before, wall, offset }) => {
    expect(wallOffset(before, 1000, wall)).toBeCloseTo(offset, 9);
  });

  test('follows a clock that slowly drifts from the steady one', () => {
    let offset: number | undefined;
    for (let second = 0; second <= 3600; second += 1) {
      offset = wallOffset(offset, second, second * 1.001);
      expect(Math.abs(second * 0.001 - offset)).toBeLessThanOrEqual(0.501);
    }
  });
});
