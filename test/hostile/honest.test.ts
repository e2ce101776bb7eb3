// Honest nodes of mainnet's size, watched by one process with the image's flags and the heap of its container: nothing of what they
// answer passes a bound.

import { expect, test } from 'vitest';
import { serveMainnetNode } from '../support/mainnet-node.ts';
import { valuesOf } from '../support/watching.ts';
import { most, pollsOf, watchBeside } from './beside.ts';

test('are watched whole, their two thousand peers among it, within 128 MiB', { timeout: 600_000 }, async () => {
  // An answer may take as long as an interval: of every second a busy machine needs more, and what failed is asked again after minutes.
  const nodes = await Promise.all(
    ['one', 'other', 'third'].map(async (name) => ({ name, url: (await serveMainnetNode()).url, interval: 5 })),
  );
  const watching = await watchBeside(nodes);
  for (const { name } of nodes) {
    await expect.poll(async () => pollsOf(await watching.page(), name, 'ok')).toBeGreaterThanOrEqual(3);
    const counted = async (): Promise<number> =>
      valuesOf(await watching.page(), 'snowgauge_peers_by_version', { target: name }).reduce((sum, count) => sum + count, 0);
    await expect.poll(counted).toBe(2000);
    const stakes = async () => valuesOf(await watching.page(), 'snowgauge_validator_stake_navax', { target: name });
    await expect.poll(stakes).toEqual([2_000_000_000_000_000]);
  }
  expect(watching.log()).not.toMatch(/larger than|more than|too-large/);
  expect(watching.residentMiB()).toBeLessThanOrEqual(most.aim);
});
