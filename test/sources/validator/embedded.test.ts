// The embedded node as a validator, polled by the exporter: what its simulated network saw, and its faults.

import { describe, expect, test } from 'vitest';
import { roundsToSettle, startTestNode } from '../../support/node.ts';
import { valuesOf, watch } from '../../support/watching.ts';

const at = 1_800_000_000;
const hour = 3600;
const subnet = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
const scenario = `
peers: 30
validators: 20
validator: { stake: 2000, since: 2160h, period: 8760h, uptime: 1 }
subnets:
  - { name: mine, id: ${subnet}, l1: { validators: 4, weight: 100, balance: 5 }, chains: [{ alias: my-l1 }] }
`;

const watched = async (more = '') => {
  let now = at;
  const node = await startTestNode({}, `${scenario}${more}`);
  await node.ticks(roundsToSettle);
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'mine', tags: [subnet] },
  ];
  const watching = watch(node.url, () => now, { tagSets, validator: { enabled: true, expected: true } });
  const value = async (name: string, labels = {}): Promise<number | undefined> =>
    valuesOf(await watching.page(), `snowgauge_${name}`, labels)[0];
  return {
    node,
    watching,
    value,
    pollAfter: async (seconds: number, checks: 'running' | 'frozen' = 'running'): Promise<void> => {
      now += seconds;
      node.advance(seconds);
      if (checks === 'running') await node.tick();
      await watching.poll();
    },
    state: async (): Promise<string | undefined> =>
      (await watching.page())
        .find(({ name, value: one }) => name === 'snowgauge_validator_reward_state' && one === 1)
        ?.labels.get('state'),
  };
};

describe('an embedded node', () => {
  test('is on track with nearly its whole downtime budget when it was always up', async () => {
    const { pollAfter, state, value, watching } = await watched();
    await pollAfter(0);
    expect(await state()).toBe('on-track');
    expect(await value('target_validator_expected')).toBe(1);
    expect(await value('node_uptime_budget_seconds')).toBeGreaterThan(0.19 * 8760 * hour);
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });

  test('is at risk, then lost, as its uptime falls', async () => {
    const { node, pollAfter, state } = await watched();
    await node.setFaults([{ fault: 'uptime-falls', to: 0.7 }]);
    await pollAfter(0);
    expect(await state()).toBe('at-risk');
    await node.setFaults([{ fault: 'uptime-falls', to: 0.05 }]);
    await pollAfter(60);
    expect(await state()).toBe('lost');
  });

  test('keeps its reward state for three minutes while its health checks are frozen, as their connected stake is old', async () => {
    const { node, pollAfter, state, value } = await watched();
    await pollAfter(0);
    const projected = await value('node_uptime_projected_ratio');
    await node.setFaults([{ fault: 'stake-disconnects', chain: 'P', percentConnected: 0.45 }]);
    for (let polls = 0; polls < 3; polls += 1) {
      await pollAfter(60, 'frozen');
      expect(await value('node_uptime_weighted_ratio')).toBeLessThan(0.5);
      expect([await state(), await value('node_uptime_projected_ratio')]).toEqual(['on-track', projected]);
    }
    for (let polls = 0; polls < 20; polls += 1) {
      await pollAfter(60, 'frozen');
      expect(await state()).toBeUndefined();
    }
    await pollAfter(60);
    expect(await state()).toBe('unknown');
    await node.setFaults([]);
    await pollAfter(60);
    expect(await state()).toBe('on-track');
  });

  test('is not-validator once its staking period ends', async () => {
    const { node, pollAfter, state, value } = await watched();
    await node.setFaults([{ fault: 'staking-ends', in: hour }]);
    await pollAfter(0);
    expect(await value('validator_stake_end_timestamp_seconds')).toBeCloseTo(at + hour, -2);
    await pollAfter(hour + 60);
    expect([await state(), await value('target_validator_expected')]).toEqual(['not-validator', 0]);
  });

  test('is an inactive L1 validator once its balance runs out', async () => {
    const { node, pollAfter, value } = await watched();
    await pollAfter(0);
    expect(await value('l1_validator_active', { subnet })).toBe(1);
    await node.setFaults([{ fault: 'balance-runs-out', in: 120 }]);
    await pollAfter(60);
    expect(await value('l1_validator_balance_end_timestamp_seconds')).toBeLessThan(at + 1000);
    await pollAfter(180);
    expect(await value('l1_validator_active', { subnet })).toBe(0);
  });

  test('needs the uptime of Helicon once it restarts with a version that knows Helicon', async () => {
    const { node, pollAfter, value } = await watched('helicon: -2200h\n');
    const requirement = () => value('node_uptime_requirement_ratio');
    const unknown = { fault: 'upgrade-scheduled', in: hour, known: false } as const;
    await node.setFaults([unknown]);
    await pollAfter(0);
    expect(await requirement()).toBe(0.8);
    // Earlier than the next regular request.
    await node.setFaults([unknown, { fault: 'api-refuses' }]);
    await pollAfter(5);
    await node.setFaults([]);
    await pollAfter(5);
    await pollAfter(5);
    expect(await requirement()).toBe(0.9);
  });
});
