// What the answers of one poll prove, and by which clock.

import { expect, test } from 'vitest';
import type { Answer } from '../../../src/client/client.ts';
import { targetFrom } from '../../../src/config/target.ts';
import { evidenceOf } from '../../../src/sources/validator/evidence.ts';
import type { SetMembership, Uptime } from '../../../src/sources/validator/state.ts';

test('the elapsed part of the period is measured by the node clock if the response has a Date', () => {
  const times = { sentAt: 1000, endedAt: 1001 };
  const seen: Answer<Uptime> = { ...times, outcome: { kind: 'ok', value: { state: 'seen', weighted: 1, rewarding: 1 } } };
  const own: Answer<SetMembership> = { ...times, outcome: { kind: 'ok', value: { state: 'none' } } };
  const { options } = targetFrom({});
  const nowBy = (uptime: Answer<Uptime>): number | undefined =>
    evidenceOf({ uptime, own, options, helicon: undefined, connected: 1 })?.now;
  expect(nowBy({ ...seen, date: 5000 })).toBe(5000);
  expect(nowBy(seen)).toBe(1001);
});
