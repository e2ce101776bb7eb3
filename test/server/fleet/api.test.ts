// GET /api/v1/fleet: the fleet page as JSON.

import { describe, expect, test } from 'vitest';
import { serveExporter } from '../../support/exporter-server.ts';
import { changed, fleetOfSize, subnet } from './world.ts';

const asking = async (query = '', size = 16) => {
  const { url } = await serveExporter({
    targets: fleetOfSize(size, [3, 12]),
    transitions: (name) => (name === 'node-3' ? [changed(3600, 'Unknown', 'True'), changed(600, 'True', 'False')] : []),
  });
  const response = await fetch(`${url}/api/v1/fleet${query}`);
  return { status: response.status, body: JSON.parse(await response.text()) };
};

const namesIn = (body: { readonly targets: readonly { readonly name: string }[] }): readonly string[] =>
  body.targets.map(({ name }) => name);

test('returns the groups, and the targets with their conditions, worst first', async () => {
  const { body } = await asking();
  expect(body).toMatchObject({
    now: '2026-11-20T12:00:00.000Z',
    total: 16,
    matched: 16,
    found: 16,
    counts: { failing: 2, uncertain: 0, healthy: 14 },
    polls: { frozen: 0, notPolledYet: 0, stale: 0, longestAgoSeconds: 5 },
    by: 'subnet',
    groups: [
      { name: 'my-l1', tags: [subnet], targets: 16, ready: 14, notReady: 2, unknown: 0, since: '2026-11-20T12:00:00.000Z' },
      { name: 'all', tags: [], targets: 16, ready: 16, reasons: [] },
    ],
    history: { from: '2026-11-20T11:00:00.000Z', to: '2026-11-20T12:00:00.000Z', cellSeconds: 30 },
  });
  expect(namesIn(body).slice(0, 3)).toEqual(['node-3', 'node-12', 'node-0']);
  expect(body.targets[0]).toMatchObject({
    name: 'node-3',
    health: 'failing',
    network: 'mainnet',
    labels: { cluster: 'us' },
    state: 'up',
    lastPollAt: '2026-11-20T11:59:55.000Z',
    conditions: [{ type: 'Started' }, { type: 'Live' }],
    tagSets: [
      { name: 'all', conditions: [{ type: 'Ready', status: 'True' }, { type: 'Healthy' }] },
      {
        name: 'my-l1',
        tags: [subnet],
        conditions: [
          { type: 'Ready', status: 'False', reason: 'ChecksFailing', lastTransitionTime: '2026-11-20T12:00:00.000Z' },
          { type: 'Healthy', status: 'False' },
        ],
      },
    ],
  });
  expect(body).not.toHaveProperty('next');
});

test('returns the number of this shard and of all shards', async () => {
  const shards = () => ({
    ...{ shard: 1, total: 3, settled: 3 },
    ...{ addressOf: () => undefined, ownerOf: () => 1, targets: [] },
  });
  const { url } = await serveExporter({ targets: fleetOfSize(2), shards });
  expect(JSON.parse(await (await fetch(`${url}/api/v1/fleet`)).text())).toMatchObject({ shard: 1, totalShards: 3, total: 2 });
  expect((await asking()).body).not.toHaveProperty('shard');
});

test('returns the number of known and of not ready targets for each cell of the history', async () => {
  const { body } = await asking();
  const { known, notReady } = body.groups[0].history;
  expect([known.length, notReady.length]).toEqual([120, 120]);
  // node-12 has failed since the start of the history, node-3 for the last ten minutes.
  expect([notReady[0], notReady[99], notReady[100], notReady[119]]).toEqual([1, 1, 2, 2]);
  expect(known[119]).toBe(16);
});

test.each([
  { query: '?network=fuji&health=failing', names: ['node-12'] },
  { query: `?subnet=${subnet}&limit=2`, names: ['node-3', 'node-12'] },
  { query: '?label=cluster=us&limit=2', names: ['node-3', 'node-1'] },
  { query: '?label=cluster=us&label=cluster=eu', names: [] },
  { query: '?q=node-1&from=1&limit=2', names: ['node-1', 'node-10'] },
])('$query returns $names', async ({ query, names }) => {
  expect(namesIn((await asking(query)).body)).toEqual(names);
});

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('the label %s is empty for all targets', async (label) => {
  expect((await asking(`?label=${label}=`)).body).toMatchObject({ matched: 16 });
  expect((await asking(`?label=${label}=x`)).body).toMatchObject({ matched: 0 });
});

test('continues from `next`', async () => {
  const { body } = await asking('?limit=10');
  expect(body.next).toBe(10);
  expect(namesIn((await asking('?limit=10&from=10')).body)).toHaveLength(6);
});

test('from beyond the last target returns no targets and no `next`', async () => {
  const { body } = await asking('?limit=10&from=16');
  expect(body).toMatchObject({ found: 16, from: 16, targets: [] });
  expect(body).not.toHaveProperty('next');
});

test('returns at most 1,000 targets', async () => {
  const { body } = await asking('', 1100);
  expect([body.targets.length, body.next, body.found]).toEqual([1000, 1000, 1100]);
});

describe('rejects with 400', () => {
  test.each([
    { query: '?subnets=a', says: 'unknown parameter "subnets"' },
    { query: '?label=cluster', says: 'label "cluster" must be written NAME=VALUE' },
    { query: `?${'label=a=b&'.repeat(9)}`, says: 'label is given more than 8 times' },
    { query: '?health=bad', says: 'health "bad" must be one of failing, uncertain, healthy' },
    { query: '?limit=1001', says: 'limit "1001" must be an integer from 1 to 1000' },
    ...['network', 'subnet', 'health', 'q', 'by', 'limit', 'from'].map((name) => ({
      query: `?${name}=1&${name}=2`,
      says: `${name} is given more than once`,
    })),
    { query: '?from=-1', says: 'from "-1" must be an integer from 0 to 999999' },
    ...['clustr', 'constructor', '__proto__'].map((by) => ({
      query: `?network=fuji&by=${by}`,
      says: `unknown value of by "${by}": expected one of subnet, network, cluster`,
    })),
  ])('$query', async ({ query, says }) => {
    const { status, body } = await asking(query, 4);
    expect(status).toBe(400);
    expect(body.error).toContain(says);
  });
});

describe('/api/v1/status', () => {
  test('returns only the named targets, and 404 for an unknown one', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(5) });
    const body = JSON.parse(await (await fetch(`${url}/api/v1/status?target=node-3&target=node-1`)).text());
    expect(namesIn(body)).toEqual(['node-3', 'node-1']);
    expect((await fetch(`${url}/api/v1/status?target=node-9`)).status).toBe(404);
  });

  test('returns every target of a fleet, in the order of the configuration', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(25) });
    const body = JSON.parse(await (await fetch(`${url}/api/v1/status`)).text());
    expect(namesIn(body)).toEqual(Array.from({ length: 25 }, (_, at) => `node-${at}`));
  });
});
