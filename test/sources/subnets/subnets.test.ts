// `tagSets: auto` over real sockets: each subnet whose chains the node reports has a tag set, looked up once per change and kept while
// nothing can be learned about it.

import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../../src/protocol/id.ts';
import { keptAbsent } from '../../../src/sources/subnets/known.ts';
import { listeningLog } from '../../support/events.ts';
import { roundsToSettle, startTestNode } from '../../support/node.ts';
import { primaryChains, type SubnetNode, startSubnetNode } from '../../support/subnet-node.ts';
import { valuesOf, watch } from '../../support/watching.ts';

const start = 1_800_000_000;
const whole = { name: 'all', tags: [] };
/** The validator source also sends P-Chain requests. */
const noValidator = { validator: { enabled: false, expected: false } } as const;
const auto = {
  tagSets: [whole],
  writtenTagSets: [whole],
  indexes: [],
  info: false,
  healthCheckFrequency: 30,
  ...noValidator,
} as const;

const watching = (url: string, over: object = {}) => {
  let now = start;
  const { log, said } = listeningLog();
  const exporter = watch(url, () => now, { ...auto, ...over }, { maxBodyBytes: 1_000_000 }, { log });
  return {
    ...exporter,
    said: (message: string) => said.filter((line) => line.message === message).map(({ fields }) => fields),
    /** Tags by tag set name after a poll. */
    poll: async (seconds = 30) => {
      now += seconds;
      const { options } = await exporter.poll();
      return Object.fromEntries(options.tagSets.map(({ name, tags }) => [name, tags[0]]));
    },
    pass: (seconds: number) => {
      now += seconds;
    },
    outcomes: () => Object.fromEntries(exporter.target().polls.get('subnets') ?? []),
    status: () => exporter.target().sources.subnets,
  };
};

const subnets = `
  subnets:
    - { name: beta, id: 2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r, chains: [{ alias: dfk }] }
    - { name: gamma, id: WuTqUTLUQFSir4qiCTCYBnG5tg7TaTu3yXBqzxZXjV2GruveQ, chains: [{ history: 3 }] }
  faults: []`;
const beta = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
const gamma = 'WuTqUTLUQFSir4qiCTCYBnG5tg7TaTu3yXBqzxZXjV2GruveQ';
const found = { all: undefined, primary: primaryNetworkId, dfk: beta, [gamma]: gamma };

describe('a node with two subnets, one chain with an alias', () => {
  const settled = async (over: object = {}) => {
    const node = await startTestNode({ dialect: 'avalanchego' }, subnets);
    await node.ticks(roundsToSettle);
    return { node, exporter: watching(node.url, over) };
  };

  test('has a tag set for each after the first poll, and their health after the second', async () => {
    const { node, exporter } = await settled();
    expect(await exporter.poll()).toEqual(found);
    expect(exporter.said('subnets found')).toEqual([
      { target: 'node', tagSets: { primary: primaryNetworkId, dfk: beta, [gamma]: gamma } },
    ]);
    expect([...exporter.conditions().ready].map(([name, { reason }]) => [name, reason])).toContainEqual(['dfk', 'NotPolled']);
    await node.setFaults([{ fault: 'chain-dead', chain: 'dfk' }]);
    await node.tick();
    await exporter.poll();
    const page = await exporter.page();
    const failing = Object.fromEntries(
      Object.keys(found).map((name) => [name, valuesOf(page, 'snowgauge_tag_set_failing_checks', { tag_set: name })[0]]),
    );
    expect(failing).toEqual({ all: 1, primary: 0, dfk: 1, [gamma]: 0 });
    expect(valuesOf(page, 'snowgauge_unplaced_checks')).toEqual([0]);
  });

  test('is not asked again while its checks stay the same, but is after a restart', async () => {
    const { node, exporter } = await settled();
    await exporter.poll();
    const asked = exporter.outcomes();
    await exporter.poll();
    await exporter.poll();
    expect(exporter.outcomes()).toEqual(asked);
    await node.setFaults([{ fault: 'api-refuses' }]);
    await exporter.poll();
    await node.setFaults([]);
    await exporter.poll();
    expect(await exporter.poll()).toEqual(found);
    expect(exporter.outcomes().ok).toBeGreaterThan(asked.ok ?? 0);
    expect(exporter.said('subnets found')).toHaveLength(1);
  });

  test('uses a configured tag set for a subnet instead of the found one', async () => {
    const written = [whole, { name: 'mine', tags: [beta] }];
    const { exporter } = await settled({ tagSets: written, writtenTagSets: written });
    const named = { mine: beta, primary: primaryNetworkId, [gamma]: gamma };
    expect(await exporter.poll()).toEqual({ all: undefined, ...named });
    expect(exporter.said('subnets found')).toEqual([{ target: 'node', tagSets: named }]);
  });

  test('gets no subnet requests without auto', async () => {
    const { exporter } = await settled({ writtenTagSets: undefined });
    expect(await exporter.poll()).toEqual({ all: undefined });
    expect(exporter.outcomes()).toEqual({ ok: 0 });
    expect(valuesOf(await exporter.page(), 'snowgauge_unplaced_checks')).toEqual([]);
  });
});

test('a node with only the Primary Network is asked for checks without a tag, and its P-Chain nothing', async () => {
  const node = await startSubnetNode();
  const exporter = watching(node.url);
  expect(await exporter.poll()).toEqual({ all: undefined, primary: primaryNetworkId });
  expect(node.asked).toEqual({ platform: 0, tags: 1 });
});

const withOne = { ...primaryChains, one: 'subnet-1' };
const listed = [
  { id: 'chain-1', subnetID: 'subnet-1', name: 'one chain' },
  { id: 'chain-c', subnetID: primaryNetworkId },
];
const oneFound = { all: undefined, primary: primaryNetworkId, one: 'subnet-1' };

describe('a P-Chain', () => {
  test('that bootstraps is not a failure: it is asked in each poll until it answers', async () => {
    const node = await startSubnetNode({ checks: withOne, blockchains: 'bootstrapping' });
    const exporter = watching(node.url);
    await exporter.poll();
    expect(await exporter.poll()).toEqual({ all: undefined, primary: primaryNetworkId });
    expect(exporter.outcomes()).toEqual({ ok: 3 });
    expect(exporter.status().problem).toEqual({ kind: 'bootstrapping' });
    expect(exporter.said('subnet of a check not found')).toEqual([]);
    expect(valuesOf(await exporter.page(), 'snowgauge_unplaced_checks')).toEqual([1]);
    node.blockchains = listed;
    expect(await exporter.poll()).toEqual(oneFound);
    expect(exporter.status().problem).toBeUndefined();
  });

  test('that is not served is asked at increasing intervals, and logged once', async () => {
    const node = await startSubnetNode({ checks: withOne, blockchains: 'off' });
    const exporter = watching(node.url);
    for (let polls = 0; polls < 32; polls += 1) await exporter.poll();
    expect(node.asked.platform).toBe(5);
    expect(exporter.said('subnet of a check not found')).toMatchObject([{ checks: { one: expect.stringMatching(/404/) } }]);
    node.checks = { ...withOne, two: 'subnet-1' };
    node.blockchains = listed;
    expect(await exporter.poll()).toEqual(oneFound);
  });

  test('of another node behind the same address is ignored', async () => {
    const node = await startSubnetNode({ checks: withOne, blockchains: listed });
    node.platformNodeId = 'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ';
    const exporter = watching(node.url);
    expect(await exporter.poll()).toEqual({ all: undefined, primary: primaryNetworkId });
  });
});

test.each([
  { count: 49, does: 'logs no warning', lines: 0 },
  { count: 50, does: 'logs once that one has no tag set', lines: 1 },
])('a node with the Primary Network and $count subnets $does', async (row) => {
  const blockchains = Array.from({ length: row.count }, (_, at) => ({ id: `chain-${at}`, subnetID: `subnet-${at}` }));
  const checks = Object.fromEntries(blockchains.map(({ id, subnetID }) => [id, subnetID]));
  const node = await startSubnetNode({ checks: { ...primaryChains, ...checks }, blockchains });
  const exporter = watching(node.url);
  for (let polls = 0; polls < 4; polls += 1) expect(Object.keys(await exporter.poll()).length).toBeLessThan(52);
  const said = exporter.said('only 50 subnets of a node have a tag set: configure those that matter');
  expect([exporter.status().known.length, said.length]).toEqual([50, row.lines]);
});

test('an alias among 1,500 subnets is found within three polls', async () => {
  const many = Array.from({ length: 1500 }, (_, at) => ({ id: `chain-${at}`, subnetID: `subnet-${at}` }));
  const node = await startSubnetNode({ checks: { ...primaryChains, mine: 'subnet-1234' }, blockchains: many });
  const exporter = watching(node.url);
  const asked: number[] = [];
  for (let polls = 0; polls < 3; polls += 1) {
    const before = node.asked.tags;
    await exporter.poll();
    asked.push(node.asked.tags - before);
  }
  expect(await exporter.poll()).toMatchObject({ mine: 'subnet-1234' });
  expect(node.asked.platform).toBe(1);
  // Two of them in the second poll and none later are for the tag set of the Primary Network.
  expect(asked).toEqual([15, 18, 6]);
});

test('a node with a new check in each poll is searched at most every 20 s', async () => {
  const node = await startSubnetNode({ checks: primaryChains, blockchains: listed });
  const exporter = watching(node.url);
  for (let polls = 0; polls < 100; polls += 1) {
    node.checks = { ...primaryChains, [`new-${polls}`]: 'subnet-2' };
    await exporter.poll(1);
  }
  expect(node.asked.platform).toBe(5);
  node.checks = withOne;
  await exporter.poll(19);
  expect(await exporter.poll(1)).toEqual(oneFound);
});

test('a slow node is asked for at most two seconds per poll, and the next poll continues the search', async () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ id: `chain-${at}`, subnetID: `subnet-${at}` }));
  const node = await startSubnetNode({ checks: { ...primaryChains, mine: 'subnet-199' }, blockchains: many });
  const exporter = watching(node.url);
  node.onAsked = () => exporter.pass(1);
  await exporter.poll();
  expect(node.asked).toEqual({ platform: 1, tags: 5 });
  for (let polls = 0; polls < 12; polls += 1) await exporter.poll();
  expect(await exporter.poll()).toMatchObject({ mine: 'subnet-199' });
  expect(node.asked.platform).toBe(1);
});

test('a node with more than fifty subnets has tag sets for fifty, and that is logged once', async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ id: `chain-${at}`, subnetID: `subnet-${at}` }));
  const checks = Object.fromEntries(many.map(({ id, subnetID }) => [id, subnetID]));
  const node = await startSubnetNode({ checks: { ...primaryChains, ...checks }, blockchains: many });
  const exporter = watching(node.url);
  for (let polls = 0; polls < 3; polls += 1) await exporter.poll();
  expect(Object.keys(await exporter.poll())).toHaveLength(51);
  expect(exporter.said('only 50 subnets of a node have a tag set: configure those that matter')).toHaveLength(1);
});

describe('a found tag set', () => {
  const known = async () => {
    const node = await startSubnetNode({ checks: { ...withOne, bare: 'subnet-2' }, blockchains: listedTwo });
    const exporter = watching(node.url);
    await exporter.poll();
    return { node, exporter };
  };
  const listedTwo = [...listed, { id: 'bare', subnetID: 'subnet-2' }];
  const both = { ...oneFound, 'subnet-2': 'subnet-2' };

  const troubles: readonly { readonly when: string; readonly trouble: (node: SubnetNode) => void }[] = [
    {
      when: 'bootstraps and reports only the P-Chain',
      trouble: (node) => Object.assign(node, { checks: { network: undefined, P: primaryNetworkId }, healthy: false }),
    },
    { when: 'reports no checks', trouble: (node) => Object.assign(node, { checks: {}, healthy: false }) },
    {
      when: 'has a P-Chain that lists no chains',
      trouble: (node) => Object.assign(node, { checks: primaryChains, blockchains: [] }),
    },
  ];
  test.each(troubles)('stays while the node $when', async ({ trouble }) => {
    const { node, exporter } = await known();
    trouble(node);
    for (let polls = 0; polls < 5; polls += 1) expect(await exporter.poll()).toEqual(both);
  });

  test('is removed at once when the P-Chain no longer lists its subnet', async () => {
    const { node, exporter } = await known();
    node.checks = primaryChains;
    node.blockchains = listed;
    await exporter.poll();
    expect(await exporter.poll()).toEqual(oneFound);
    expect(exporter.said('subnets no longer on the node')).toEqual([{ target: 'node', tagSets: { 'subnet-2': 'subnet-2' } }]);
    expect(valuesOf(await exporter.page(), 'snowgauge_health_healthy', { tag_set: 'subnet-2' })).toEqual([]);
  });

  test('is removed once the node was ready without it for a day, and not before', async () => {
    const { node, exporter } = await known();
    node.checks = { ...primaryChains, bare: 'subnet-2' };
    await exporter.poll();
    expect(await exporter.poll(keptAbsent - 60)).toEqual(both);
    expect(await exporter.poll(60)).toEqual({ all: undefined, primary: primaryNetworkId, 'subnet-2': 'subnet-2' });
  });
});
