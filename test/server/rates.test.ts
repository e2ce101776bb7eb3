import { expect, test } from 'vitest';
import { createRates } from '../../src/server/rates.ts';

test('twelve addresses that send 200 requests/s each do not block an address that sends 4 requests/s', () => {
  let now = 0;
  const mayCome = createRates({ perSecond: 100, burst: 200 }, () => now);
  const [honest, hostile]: [boolean[], boolean[]] = [[], []];
  for (let tick = 1; tick <= 30_000; tick += 1) {
    now = tick / 1000;
    for (let at = 0; at < 12; at += 1) if (tick % 5 === 0) hostile.push(mayCome(`10.0.0.${at}`));
    if (tick % 250 === 0) honest.push(mayCome('10.0.1.1'));
  }
  expect(honest).toHaveLength(120);
  expect(honest).not.toContain(false);
  // Of 2,400 requests/s, 400 pass the total limit, and some more pass the separate limit of quiet addresses.
  expect(hostile.filter((came) => came).length / 30).toBeLessThan(530);
});

test('one address gets at most 100 requests/s after its burst of 200', () => {
  let now = 0;
  const mayCome = createRates({ perSecond: 100, burst: 200 }, () => now);
  let came = 0;
  for (let tick = 1; tick <= 10_000; tick += 1) {
    now = tick / 1000;
    if (mayCome('10.0.0.1')) came += 1;
  }
  expect(Math.abs(came - 1200)).toBeLessThanOrEqual(1);
});
