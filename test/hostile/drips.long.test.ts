// A process with the image's flags that watches an honest node with a large report, together with nodes that send slowly.

import { expect, test } from 'vitest';
import { serveDrips, serveReport } from '../support/drips.ts';
import { most, pollsOf, serveHonest, watchBeside } from './beside.ts';

const kibibyte = 1024;

test('a node with reports of 200 KiB is polled although 24 other nodes slowly send more than 128 KiB', async () => {
  const honest = { name: 'honest', url: (await serveReport(200 * kibibyte)).url };
  const hostile = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => ({ name: `drip-${at}`, url: (await serveDrips(129 * kibibyte)).url })),
  );
  // Small reports do not wait for room, so its timeouts are caused by the machine.
  const small = { name: 'small', url: (await serveHonest()).url };
  const watching = await watchBeside([honest, small, ...hostile]);
  const timeouts = async (name: string): Promise<number> => pollsOf(await watching.page(), name, 'timeout');
  for (const { name } of hostile) await expect.poll(() => timeouts(name), { interval: 500 }).toBeGreaterThan(0);
  // From here on, quick nodes take precedence over each of them.
  const [before, ofSmall] = [await timeouts('honest'), await timeouts('small')];
  const polled = async (): Promise<number> => pollsOf(await watching.page(), 'honest', 'ok') + (await timeouts('honest'));
  const target = (await polled()) + 30;
  await expect.poll(polled, { interval: 500 }).toBeGreaterThanOrEqual(target);
  // A tenth, for a busy machine: when reports waited for room, three tenths were lost.
  expect((await timeouts('honest')) - before).toBeLessThanOrEqual(3 + (await timeouts('small')) - ofSmall);
  expect(watching.log()).toContain('large responses of other nodes waited');
  expect(watching.residentMiB()).toBeLessThanOrEqual(most.aim);
});
