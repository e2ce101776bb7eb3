// The check futureupgrade compares the upgrade time that most of the connected stake announces with the one that this node knows.

import { expect, test } from 'vitest';
import type { FaultNow } from '../../src/node/play.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { askRaw } from '../support/raw-http.ts';

const at = 1_800_000_000;
const hour = 3600;
const day = 24 * hour;
const past = '2020-12-05T05:00:00Z';
const text = (instant: number): string => new Date(instant * 1000).toISOString().replace('.000Z', 'Z');

const checkOf = async (faults: readonly FaultNow[], scenario = '') => {
  const node = await startTestNode({ dialect: 'avalanchego' }, scenario, at);
  await node.ticks(roundsToSettle);
  await node.setFaults(faults);
  await node.tick();
  const report = JSON.parse((await askRaw(node.port, { method: 'GET', path: '/ext/health' })).body);
  await node.close();
  return report.checks.futureupgrade;
};

const upgraded = (share: number): FaultNow => ({ fault: 'peers-upgrade', version: 'avalanchego/1.15.0', share });
const unknown = (seconds: number): FaultNow => ({ fault: 'upgrade-scheduled', in: seconds, known: false });

test('in a quiet network all peers announce the past upgrade, and the check passes', async () => {
  const { message, error } = await checkOf([]);
  expect([message.localUpgradeTime, message.modeUpgradeTime, message.numUpgradeTimes, error]).toEqual([past, past, 1, undefined]);
  // All stake except the node's own.
  expect(message.modeUpgradeWeightPercentage).toBeGreaterThan(50);
  expect(message.modeUpgradeWeightPercentage).toBeLessThan(100);
  expect(message).not.toHaveProperty('timeUntilUpgrade');
});

test('with an upgrade that the release knows, local and mode time are equal and the check passes', async () => {
  const { message, error } = await checkOf([{ fault: 'upgrade-scheduled', in: day }, upgraded(0.9)]);
  expect([message.localUpgradeTime, message.modeUpgradeTime, error]).toEqual([text(at + day), text(at + day), undefined]);
  expect(message).not.toHaveProperty('timeUntilUpgrade');
});

test.each([
  { left: 8 * day, until: '192h0m0s', error: undefined },
  { left: 3 * day + 1, until: '72h0m1s', error: undefined },
  { left: 3 * day, until: '72h0m0s', error: 'unknown network upgrade detected' },
  { left: day, until: '24h0m0s', error: 'unknown network upgrade detected - update as soon as possible' },
  { left: hour, until: '1h0m0s', error: 'imminent network upgrade detected - update immediately' },
])('an upgrade $until away that most of the stake knows and this release does not: $error', async ({ left, until, error }) => {
  const check = await checkOf([unknown(left), upgraded(1)]);
  expect(check.error).toBe(error);
  expect(check.message).toMatchObject({ localUpgradeTime: past, modeUpgradeTime: text(at + left), timeUntilUpgrade: until });
});

test('an unknown upgrade announced by less than half of the stake is ignored', async () => {
  const { message, error } = await checkOf([unknown(hour), upgraded(0.2)]);
  expect([message.modeUpgradeTime, message.numUpgradeTimes, error]).toEqual([past, 2, undefined]);
});

test('the announcement of stake that is not connected does not count', async () => {
  const { message, error } = await checkOf([
    unknown(hour),
    upgraded(1),
    { fault: 'stake-disconnects', chain: 'P', percentConnected: 0.1 },
  ]);
  expect(error).toBeUndefined();
  expect(message.modeUpgradeWeightPercentage).toBeLessThan(50);
});

test('a network without validators has no mode time, and the check fails', async () => {
  const check = await checkOf([], 'validators: 0\nvalidator: null');
  expect([check.message, check.error]).toEqual([undefined, 'no validators in the current validator set']);
});
