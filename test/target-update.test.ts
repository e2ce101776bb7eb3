// What a reload of rules makes of conclusions, and what one of labels leaves.

import { expect, test } from 'vitest';
import { withOptions } from '../src/target-update.ts';
import { fresh, judged, noon, passing, report, targetKnowing, targetOptions } from './support/snapshot.ts';

test('conclusions end sooner under a rule that lets them, and as before under other labels', () => {
  const options = targetOptions();
  const target = judged(targetKnowing(options, { health: { all: fresh(report({ network: passing() })) } }));
  const stricter = withOptions(target, { ...options, staleAfter: 1 }, noon);
  expect(stricter.conditions.trueUntil).toBeLessThan(target.conditions.trueUntil);
  const relabelled = withOptions(target, { ...options, labels: { site: 'there' } }, noon);
  expect(relabelled.conditions).toBe(target.conditions);
  expect(relabelled.state.options.labels).toEqual({ site: 'there' });
  const both = withOptions(target, { ...options, staleAfter: 1, labels: { site: 'there' } }, noon);
  expect(both.conditions).toEqual(stricter.conditions);
});
