// Timers never run two jobs at once, and a node with its own timers.

import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { startNode } from '../../src/node/node.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import { every } from '../../src/node/timers.ts';
import { get, reportOf } from '../contract/health.ts';
import { scenarioFrom } from '../support/node.ts';

test('a repeated job never overlaps itself, and runs once more at once if it came due meanwhile', async () => {
  const ending = new AbortController();
  let [runs, underWay, max] = [0, 0, 0];
  let goOn: () => void = () => undefined;
  const ended = every(
    0.001,
    async () => {
      runs += 1;
      underWay += 1;
      max = Math.max(max, underWay);
      if (runs === 1) await new Promise<void>((resolve) => (goOn = resolve));
      if (runs === 2) ending.abort();
      underWay -= 1;
    },
    ending.signal,
  );
  await expect.poll(() => runs).toBe(1);
  goOn();
  await ended;
  expect({ runs, max, underWay }).toEqual({ runs: 2, max: 1, underWay: 0 });
});

test('a node with its own timers bootstraps, accepts blocks, runs health checks and injects faults', async () => {
  const startedAt = Date.now() / 1000;
  const node = await startNode(
    { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 0.05 },
    {
      now: () => 1_800_000_000 + Date.now() / 1000 - startedAt,
      log: silentLog,
      signal: new AbortController().signal,
      scenario: await scenarioFrom(
        'chains: { P: { blockInterval: 10ms } }\nfaults: [{ fault: check-vanishes, at: 1ms, check: router }]',
      ),
    },
  );
  onTestFinished(() => node.close());
  const checks = async () => reportOf(await get(node.port, '/ext/health')).checks;
  const height = async (): Promise<number> => Object((await checks()).P?.message).engine?.consensus.lastAcceptedHeight ?? 0;
  await expect.poll(async () => (await get(node.port, '/ext/health/readiness')).status).toBe(200);
  await expect.poll(height).toBeGreaterThan(25);
  expect(await checks()).not.toHaveProperty('router');
});

test('a hanging check stops the runs of its own worker only: readiness goes on', async () => {
  const node = await startNode(
    { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 0.05 },
    { now: () => Date.now() / 1000, log: silentLog, signal: new AbortController().signal },
  );
  onTestFinished(() => node.close());
  await node.setFaults([{ fault: 'check-hangs', check: 'router' }]);
  const lastRun = async () => reportOf(await get(node.port, '/ext/health/readiness')).checks.bootstrapped?.timestamp;
  // A run of both workers may still begin, in which the other one hangs.
  for (let runs = 0; runs < 4; runs += 1) {
    const before = await lastRun();
    await expect.poll(lastRun).not.toBe(before);
  }
});

test('a subnet that never bootstraps does not keep the node busy: it reads its clock some hundred times a second', async () => {
  const startedAt = performance.now();
  let reads = 0;
  const node = await startNode(
    { ...defaultNodeOptions, httpPort: 0 },
    {
      now: () => {
        reads += 1;
        return 1_800_000_000 + performance.now() / 1000;
      },
      log: silentLog,
      signal: new AbortController().signal,
      scenario: await scenarioFrom('faults: [{ fault: subnet-bootstraps, at: 0s, subnet: primary }]'),
    },
  );
  onTestFinished(() => node.close());
  await expect.poll(() => reads, { timeout: 20_000 }).toBeGreaterThan(300);
  expect(reads / (performance.now() - startedAt)).toBeLessThan(1);
});

test('a check takes as long as the steady clock says, while the clock of the node is set back', async () => {
  let [wall, steady] = [1_800_000_000, 0];
  const node = await startNode(
    { ...defaultNodeOptions, httpPort: 0 },
    {
      now: () => (wall -= 1),
      steadyNow: () => (steady += 0.000_25),
      log: silentLog,
      signal: new AbortController().signal,
      scenario: await scenarioFrom(''),
      hasTimers: false,
    },
  );
  onTestFinished(() => node.close());
  await node.firstRun;
  const { network, database } = reportOf(await get(node.port, '/ext/health')).checks;
  for (const check of [network, database]) expect(check?.duration).toBeGreaterThanOrEqual(250_000);
});
