// Honest nodes of mainnet's size, watched by one process with the image's flags and the heap of its container: no response exceeds a
// limit.

import { expect, test } from 'vitest';
import { serveMainnetNode } from '../support/mainnet-node.ts';
import { valuesOf } from '../support/watching.ts';
import { most, pollsOf, watchBeside } from './beside.ts';

test('three nodes of mainnet’s size, each with 2000 peers, are watched completely within 128 MiB', {
  timeout: 600_000,
}, async () => {
  // A response may take as long as the interval. On a busy machine one second is too short, and failed requests are retried after minutes.
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
