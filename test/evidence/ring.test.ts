// What stays in memory when there is too much: bounded in bytes, and no target pushes out another that has less.

import { expect, test } from 'vitest';
import { createEvidence } from '../../src/evidence/evidence.ts';
import { draft } from '../support/evidence.ts';
import { noon } from '../support/snapshot.ts';

test('whoever has the most makes room, and it is known from when on its records are held', () => {
  const evidence = createEvidence({ run: 'test', bounds: { perTarget: 1000, bytes: 5000 } });
  evidence.add([draft(0, { target: 'quiet' })]);
  evidence.add(Array.from({ length: 500 }, (_, at) => draft(at)));
  const held = evidence.records('node');
  const bytes = evidence.records().reduce((sum, record) => sum + JSON.stringify(record).length, 0);
  expect(bytes).toBeGreaterThan(3000);
  // The instants are longer in the JSON of a file than as the numbers here.
  expect(bytes).toBeLessThan(5000);
  expect(held.at(-1)?.at).toBe(noon + 499);
  expect(held.map(({ at }) => at)).toEqual(held.map((_, place) => noon + 500 - held.length + place));
  expect(evidence.heldFrom('node')).toBe(held[0]?.at);
  expect(evidence.records('quiet')).toHaveLength(1);
  expect(evidence.heldFrom('quiet')).toBeUndefined();
});
