// The limits of the records in memory: in bytes, and no target displaces the records of a smaller one.

import { expect, test } from 'vitest';
import { createEventHistory } from '../../src/events/event-history.ts';
import { createRing } from '../../src/events/ring.ts';
import { collector } from '../support/collector.ts';
import { draft } from '../support/events.ts';
import { noon } from '../support/snapshot.ts';

test('the largest target loses its oldest records, and heldFrom() returns the time of its oldest kept one', () => {
  const eventHistory = createEventHistory({ run: 'test', ring: createRing({ perTarget: 1000, bytes: 5000 }) });
  eventHistory.add([draft(0, { target: 'quiet' })]);
  eventHistory.add(Array.from({ length: 500 }, (_, at) => draft(at)));
  const held = eventHistory.records('node');
  const bytes = eventHistory.records().reduce((sum, record) => sum + JSON.stringify(record).length, 0);
  expect(bytes).toBeGreaterThan(3000);
  // Timestamps are longer in the JSON of a file than as numbers here.
  expect(bytes).toBeLessThan(5000);
  expect(held.at(-1)?.at).toBe(noon + 499);
  expect(held.map(({ at }) => at)).toEqual(held.map((_, place) => noon + 500 - held.length + place));
  expect(eventHistory.heldFrom('node')).toBe(held[0]?.at);
  expect(eventHistory.records('quiet')).toHaveLength(1);
  expect(eventHistory.heldFrom('quiet')).toBeUndefined();
});

// If one of few targets flaps, the memory for all stays within its limit.
test('the memory of dropped records is freed', () => {
  const ring = createRing({ perTarget: 10, bytes: 1_000_000 });
  const collect = collector();
  const held = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const fill = (target = 'node', records = 100_000): void => {
    for (let at = 0; at < records; at += 1) ring.put({ ...draft(at, { target }), id: '1' }, 100);
  };
  fill('calm', 10);
  fill();
  const before = held();
  fill();
  expect(held() - before).toBeLessThan(500_000);
});
