// The memory of the log for checks with arbitrary names.

import { expect, test } from 'vitest';
import { noLines } from '../../src/events/lines.ts';
import { maxCountedChecks, type Transitions } from '../../src/sources/health/transitions.ts';
import { sources } from '../../src/sources/sources.ts';
import { updateTarget } from '../../src/target-update.ts';
import { failing, fresh, judged, noon, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

/** The log lines of polls with failing checks of these names, and the memory at the end. */
const said = (polls: readonly (readonly string[])[]) => {
  let [target, memory] = [judged(targetKnowing(targetOptions())), noLines];
  const lines = polls.map((names, nth) => {
    const at = noon + 30 * nth;
    const health = { all: fresh(report(Object.fromEntries(names.map((name) => [name, failing('no')]))), at) };
    const transitions: Transitions = new Map(names.map((name) => [name, { passing: 0, failing: 0, last: 'failing' }]));
    const lastPoll = { at, answered: true, failures: [] };
    const made = updateTarget(sources, { target, memory }, targetKnowing(targetOptions(), { health, transitions, lastPoll }), at);
    ({ target, memory } = made);
    return made.lines.map(({ message }) => message).filter((message) => message.includes('failing'));
  });
  return { lines, memory };
};

test('a failing check is logged once, whatever characters its name has', () => {
  expect(said([['data\u0007base'], ['data\u0007base'], ['data\u0007base']]).lines).toEqual([
    ['check data\uFFFDbase failing'],
    [],
    [],
  ]);
});

test('the number of remembered check names is limited', () => {
  const { memory } = said(Array.from({ length: 15 }, (_, nth) => Array.from({ length: 100 }, (__, at) => `check-${nth}-${at}`)));
  expect(memory.failing.size).toBe(maxCountedChecks);
});
