// Bootstrapping a long history must not block the event loop.

import { expect, test } from 'vitest';
import { runningChains, testChain, testEpoch } from '../../support/node-store.ts';

test('bootstrapping a long history yields to the event loop, even with a store in memory', async () => {
  const chains = await runningChains({ chains: [testChain('P', 4096)] });
  await chains.tick(testEpoch);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await chains.tick(testEpoch);
  isDone = true;
  expect(chains.statuses()).toMatchObject([{ name: 'P', state: 'running' }]);
  // Every 256 blocks.
  expect(turns).toBeGreaterThanOrEqual(16);
  await chains.close();
});
