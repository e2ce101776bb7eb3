// What the log says when a lasting state of a part ends, and when only the part is gone.

import { expect, test } from 'vitest';
import { noLines } from '../../src/events/lines.ts';
import type { TagSet } from '../../src/snapshot/options.ts';
import { sources } from '../../src/sources/sources.ts';
import { updateTarget } from '../../src/target-update.ts';
import { fresh, judged, type Known, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const all: TagSet = { name: 'all', tags: [] };
const mine: TagSet = { name: 'mine', tags: ['subnet-a'] };
const lost = { state: 'failed', failure: { kind: 'http-status', status: 500 }, failedAt: noon } as const;

interface Poll extends Pick<Known, 'tags'> {
  readonly tagSets: readonly TagSet[];
  readonly mine?: 'lost';
}

/** The lines about tag sets and tags after each poll. */
const said = (polls: readonly Poll[]) => {
  let [target, memory] = [judged(targetKnowing(targetOptions())), noLines];
  return polls.map(({ tagSets, mine: is, tags }, nth) => {
    const at = noon + 600 * (nth + 1);
    const well = fresh(report({ P: passing({ timestamp: at }) }), at);
    const health = Object.fromEntries(tagSets.map(({ name }) => [name, name === 'mine' && is === 'lost' ? lost : well]));
    const known = { health, lastPoll: { at, answered: true, failures: [] }, ...(tags && { tags }) };
    const made = updateTarget(sources, { target, memory }, targetKnowing(targetOptions({ tagSets }), known), at);
    ({ target, memory } = made);
    return made.lines.flatMap(({ message, fields: { tagSets: names } }) =>
      /report received|have this tag/.test(message) ? [{ message, names }] : [],
    );
  });
};

test('a report that is back is named without the failure that ended', () => {
  const failing: Poll = { tagSets: [all, mine], mine: 'lost' };
  const lines = said([failing, failing, failing, { tagSets: [all, mine] }]);
  expect(lines.at(-1)).toEqual([{ message: 'health report received again', names: ['mine'] }]);
});

test('nothing is said to be back of a tag set that a reload removed', () => {
  const failing: Poll = { tagSets: [all, mine], mine: 'lost' };
  expect(said([failing, failing, failing, { tagSets: [all] }]).flat()).toEqual([]);
});

test('no check is said to have a tag whose tag set a reload removed', () => {
  const unknown: Poll = { tagSets: [all, mine], tags: { adds: new Map([['subnet-a', false]]), toAsk: 0, open: [] } };
  expect(said([unknown, unknown, unknown, { tagSets: [all] }]).flat()).toEqual([]);
});
