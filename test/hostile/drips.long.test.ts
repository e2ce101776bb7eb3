// A process with the image's flags that watches an honest node with a large report, beside nodes that drip.

import { expect, test } from 'vitest';
import { serveDrips, serveReport } from '../support/drips.ts';
import { most, pollsOf, serveHonest, watchBeside } from './beside.ts';

const kibibyte = 1024;

test('reports of 200 KiB are polled beside 24 nodes that drip just past 128 KiB', async () => {
  const honest = { name: 'honest', url: (await serveReport(200 * kibibyte)).url };
  const hostile = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => ({ name: `drip-${at}`, url: (await serveDrips(129 * kibibyte)).url })),
  );
  // Whose reports wait for no place: what it loses is the machine's.
  const small = { name: 'small', url: (await serveHonest()).url };
  const watching = await watchBeside([honest, small, ...hostile]);
  const timeouts = async (name: string): Promise<number> => pollsOf(await watching.page(), name, 'timeout');
  for (const { name } of hostile) await expect.poll(() => timeouts(name), { interval: 500 }).toBeGreaterThan(0);
  // From then on each of them comes after what is quick.
  const [before, ofSmall] = [await timeouts('honest'), await timeouts('small')];
  const polled = async (): Promise<number> => pollsOf(await watching.page(), 'honest', 'ok') + (await timeouts('honest'));
  const target = (await polled()) + 30;
  await expect.poll(polled, { interval: 500 }).toBeGreaterThanOrEqual(target);
  // A tenth, for a busy machine: of those that waited for places three tenths were lost.
  expect((await timeouts('honest')) - before).toBeLessThanOrEqual(3 + (await timeouts('small')) - ofSmall);
  expect(watching.log()).toContain('large responses of other nodes waited');
  expect(watching.residentMiB()).toBeLessThanOrEqual(most.aim);
});
