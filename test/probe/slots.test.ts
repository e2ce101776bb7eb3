// The limit of probes that read large responses at a time.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { createProbeSlots } from '../../src/probe/slots.ts';

const kibibyte = 1024;

/** `going`: the probes that may read their responses; `ended`: those that were ended. */
const world = (patienceMs = 60_000, soon: (leave: () => void) => void = (leave) => leave()) => {
  const take = createProbeSlots({ maxProbes: 4, patienceMs });
  const process = createBudget(0);
  const [going, ended]: [string[], string[]] = [[], []];
  const probe = (client: string, name: string, bytes = 33 * kibibyte) => {
    const place = take(client, () => {
      ended.push(name);
      soon(place.leave);
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

test('a response of up to 32 KiB is read at once, and a larger one waits for a slot', () => {
  const { going, probe, many } = world();
  const probes = many('a', 6);
  expect(going).toEqual(names('a', 4));
  probe('a', 'small', 32 * kibibyte);
  expect(going).toContain('small');
  probes[0]?.place.leave();
  expect(going.at(-1)).toBe('a4');
  // A released share does not take a slot.
  probes[5]?.share.release();
  probes[1]?.place.leave();
  expect(going).not.toContain('a5');
});

test('the responses of a probe count together: many small ones wait, too', () => {
  const { going, many, probe } = world();
  many('a', 4);
  const { place } = probe('a', 'first', 20 * kibibyte);
  const second = place.budget(createBudget(0)).share();
  expect(second.holds(12 * kibibyte)).toBe(true);
  expect(second.holds(13 * kibibyte)).toBe(false);
  expect(going).toContain('first');
});

test('the next slot goes to the address with the fewest', () => {
  const { going, many } = world();
  const [first] = many('a', 6);
  many('b', 1);
  first?.place.leave();
  expect(going.at(-1)).toBe('b0');
});

test('a probe that has had its slot for too long is ended if another one waits', () => {
  const { going, ended, many } = world(0);
  many('a', 4);
  expect(ended).toEqual([]);
  many('b', 2);
  expect({ ended, going: going.slice(4) }).toEqual({ ended: names('a', 2), going: names('b', 2) });
  many('c', 1);
  expect(ended).toHaveLength(3);
});

test('as many probes are ended as wait, although an ended one leaves later', async () => {
  const { going, ended, many } = world(0, setImmediate);
  many('a', 4);
  many('b', 1);
  many('c', 1);
  expect(ended).toEqual(names('a', 2));
  await turn();
  expect({ ended, going: going.slice(4) }).toEqual({ ended: names('a', 2), going: ['b0', 'c0'] });
  many('d', 1);
  expect(ended).toEqual(names('a', 3));
});

test('the time of running probes is checked again while others wait', async () => {
  const { going, ended, many } = world(500);
  many('a', 6);
  expect(going).toHaveLength(4);
  await expect.poll(() => going).toHaveLength(6);
  expect(ended).toHaveLength(2);
});
