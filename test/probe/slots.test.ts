// Of many probes with large answers a few read them at a time.

import { expect, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { createProbeSlots } from '../../src/probe/slots.ts';

const kibibyte = 1024;

/** So many probes of an address, each with an answer of that size that begins to be read; and which of them go on, which were ended. */
const world = (patienceMs = 60_000) => {
  const take = createProbeSlots({ maxProbes: 4, patienceMs });
  const process = createBudget(0);
  const [going, ended]: [string[], string[]] = [[], []];
  const probe = (client: string, name: string, bytes = 33 * kibibyte) => {
    const place = take(client, () => {
      ended.push(name);
      place.leave();
    });
    const share = place.budget(process).share();
    if (share.holds(bytes)) going.push(name);
    else share.take(bytes, () => going.push(name));
    return { place, share };
  };
  return {
    going,
    ended,
    probe,
    many: (client: string, count: number) => names(client, count).map((name) => probe(client, name)),
  };
};

const names = (client: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${client}${at}`);

test('the first bytes of an answer wait for no other probe, what is more for one of a few places', () => {
  const { going, probe, many } = world();
  const probes = many('a', 6);
  expect(going).toEqual(names('a', 4));
  probe('a', 'small', 32 * kibibyte);
  expect(going).toContain('small');
  probes[0]?.place.leave();
  expect(going.at(-1)).toBe('a4');
  // What is not asked any more takes no place of the process either.
  probes[5]?.share.release();
  probes[1]?.place.leave();
  expect(going).not.toContain('a5');
});

test('what a probe reads counts together: its small answers wait too once they are many', () => {
  const { going, many, probe } = world();
  many('a', 4);
  const { place } = probe('a', 'first', 20 * kibibyte);
  const second = place.budget(createBudget(0)).share();
  expect(second.holds(12 * kibibyte)).toBe(true);
  expect(second.holds(13 * kibibyte)).toBe(false);
  expect(going).toContain('first');
});

test('the next place is that of the address with the fewest', () => {
  const { going, many } = world();
  const [first] = many('a', 6);
  many('b', 1);
  first?.place.leave();
  expect(going.at(-1)).toBe('b0');
});

test('a probe that has had its place for long is ended where another waits', () => {
  const { going, ended, many } = world(0);
  many('a', 4);
  expect(ended).toEqual([]);
  many('b', 2);
  expect({ ended, going: going.slice(4) }).toEqual({ ended: names('a', 2), going: names('b', 2) });
  many('c', 1);
  expect(ended).toHaveLength(3);
});

test('its time is looked at again while others wait', async () => {
  const { going, ended, many } = world(500);
  many('a', 6);
  expect(going).toHaveLength(4);
  await expect.poll(() => going).toHaveLength(6);
  expect(ended).toHaveLength(2);
});
