// A discovered target without configured tag sets gets those of its subnets and keeps them when the list changes.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { primaryChains, startSubnetNode } from '../support/subnet-node.ts';
import { folderOf, patience, put, world } from './world.ts';

test('a discovered target has a tag set for each of its subnets and keeps it when the list changes', async () => {
  const [node, other] = [await startSubnetNode({ checks: { ...primaryChains, one: 'subnet-1' } }), await startSubnetNode()];
  node.blockchains = [{ id: 'chain-1', subnetID: 'subnet-1' }];
  const file = join(await folderOf(), 'nodes.json');
  const targets = [{ targets: [node.url], labels: { target: 'node' } }];
  await put(file, targets);
  const target = {
    healthCheckFrequency: '1s',
    staleAfter: 60,
    frozenAfter: 60,
    indexes: [],
    info: false,
    validator: { enabled: false },
  };
  const { get, values, becomes } = await world({ discovery: { target, file: [{ files: [file] }] } });
  const ready = (name: string) =>
    ['snowgauge_target_condition', { target: name, condition: 'Ready', status: 'true', tag_set: 'one' }] as const;
  await becomes(...ready('node'), [1]);
  const asked = node.asked.platform;
  await put(file, [...targets, { targets: [other.url], labels: { target: 'other', __tag_sets__: 'two=subnet-2' } }]);
  await expect.poll(() => get('/api/v1/status'), patience).toContain('"two"');
  expect(await values(...ready('node'))).toEqual([1]);
  expect(node.asked.platform).toBe(asked);
  expect(other.asked.platform).toBe(0);
});
