// The health interface of the embedded node, in both dialects: what any node does, and what only a node that one can break shows.

import { describe, expect, test } from 'vitest';
import { dialects } from '../../src/node/dialect.ts';
import { neverText } from '../../src/protocol/time.ts';
import { call, get, healthContract, reportOf } from '../contract/health.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../support/node.ts';

const subnetId = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

const scenario = `
disk: { warningPercentage: 0, requiredPercentage: 0 }
subnets:
  - name: mine
    id: ${subnetId}
    chains: [{ alias: my-l1 }]
`;

const checkOf = async (node: TestNode, name: string, path = '/ext/health') => reportOf(await get(node.port, path)).checks[name];

describe.each(dialects)('in the dialect %s', (dialect) => {
  const healthy = async (): Promise<TestNode> => {
    const node = await startTestNode({ dialect }, scenario);
    await node.ticks(roundsToSettle);
    return node;
  };

  healthContract(async () => ({ port: (await healthy()).port, subnetId, chain: 'my-l1' }));

  test('an unhealthy node is 503 to a GET and 200 to JSON-RPC, with the report in both', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'database', error: 'closed' }]);
    await node.tick();
    const answer = await get(node.port, '/ext/health');
    expect([answer.status, reportOf(answer).healthy]).toEqual([503, false]);
    expect((await call(node.port, 'health.health')).result).toEqual(reportOf(answer));
  });

  test('a failing check says why, how often in a row and since when; all three end with the first success', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'database', error: 'closed' }]);
    await node.tick();
    const first = await checkOf(node, 'database');
    node.advance(30);
    await node.tick();
    const second = await checkOf(node, 'database');
    expect(first).toMatchObject({ error: 'closed', contiguousFailures: 1, timeOfFirstFailure: first?.timestamp });
    expect(second).toMatchObject({ error: 'closed', contiguousFailures: 2, timeOfFirstFailure: first?.timestamp });
    expect(second?.timestamp).not.toBe(first?.timestamp);
    await node.setFaults([]);
    await node.tick();
    expect(Object.keys((await checkOf(node, 'database')) ?? {})).toEqual(['timestamp', 'duration']);
  });

  test('a check that fails without a word has an error that is empty', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'router', error: '' }]);
    await node.tick();
    expect(await checkOf(node, 'router')).toMatchObject({ error: '', contiguousFailures: 1 });
  });

  test('a failing chain fails its own subnet and not the others', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'stake-disconnects', chain: 'my-l1', percentConnected: 0.2 }]);
    await node.tick();
    const statuses = ['', `?tag=${subnetId}`, '?tag=11111111111111111111111111111111LpoYY', '?tag=nothing'].map(
      async (query) => (await get(node.port, `/ext/health${query}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([503, 503, 200, 200]);
    expect(await checkOf(node, 'my-l1')).toMatchObject({
      error: 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%',
      message: { networking: { percentConnected: 0.2 } },
    });
  });

  test('what has not run yet says so, fails, and is not a failure in a row', async () => {
    const node = await startTestNode({ dialect }, scenario);
    const answer = await get(node.port, '/ext/health');
    expect(answer.status).toBe(503);
    expect(reportOf(answer).checks.bootstrapped).toEqual({ error: 'not yet run', timestamp: neverText, duration: 0 });
    expect(reportOf(answer).checks.network).not.toHaveProperty('error');
  });

  test('a chain that bootstraps has an empty consensus, and bootstrapped lists its subnet', async () => {
    const node = await startTestNode({ dialect }, scenario);
    await node.setFaults([{ fault: 'subnet-bootstraps', subnet: 'mine' }]);
    await node.ticks(roundsToSettle);
    expect(await checkOf(node, 'bootstrapped')).toMatchObject({ message: [subnetId], error: 'subnets not bootstrapped' });
    expect(await checkOf(node, 'my-l1')).toMatchObject({ message: { engine: { consensus: {} } } });
    expect((await get(node.port, '/ext/health/readiness')).status).toBe(503);
  });

  test('readiness that has passed stays, whatever bootstrapped says later', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'bootstrapped', error: 'subnets not bootstrapped' }]);
    const before = await checkOf(node, 'bootstrapped', '/ext/health/readiness');
    node.advance(30);
    await node.tick();
    expect((await get(node.port, '/ext/health')).status).toBe(503);
    expect((await get(node.port, '/ext/health/readiness')).status).toBe(200);
    expect((await checkOf(node, 'bootstrapped', '/ext/health/readiness'))?.timestamp).not.toBe(before?.timestamp);
  });

  test('a check that hangs holds back the next round, and the results of the others are those of this one', async () => {
    const node = await healthy();
    const before = reportOf(await get(node.port, '/ext/health')).checks;
    await node.setFaults([{ fault: 'check-hangs', check: 'my-l1' }]);
    node.advance(30);
    const round = node.tick();
    await expect.poll(async () => (await checkOf(node, 'database'))?.timestamp).not.toBe(before.database?.timestamp);
    expect(await checkOf(node, 'my-l1')).toEqual(before['my-l1']);
    expect((await get(node.port, '/ext/health')).status).toBe(200);
    node.advance(45);
    await node.setFaults([]);
    await round;
    expect((await checkOf(node, 'my-l1'))?.timestamp).not.toBe(before['my-l1']?.timestamp);
    // By the node's own clock, however long the machine took.
    expect([(await checkOf(node, 'database'))?.duration, (await checkOf(node, 'my-l1'))?.duration]).toEqual([0, 45e9]);
  });

  test('time that freezes leaves a report that looks well', async () => {
    const node = await healthy();
    const before = (await get(node.port, '/ext/health')).body;
    await node.setFaults([{ fault: 'time-freezes' }]);
    node.advance(300);
    await node.tick();
    expect((await get(node.port, '/ext/health')).body).toBe(before);
  });

  test('a check that vanishes is gone, and comes back as one that has not run', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-vanishes', check: 'my-l1' }]);
    expect(await checkOf(node, 'my-l1')).toBeUndefined();
    await node.setFaults([]);
    expect(await checkOf(node, 'my-l1')).toMatchObject({ error: 'not yet run' });
    await node.tick();
    expect(await checkOf(node, 'my-l1')).not.toHaveProperty('error');
  });

  test('a message that JSON cannot hold is an empty body to a GET and HTTP 500 to JSON-RPC', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-unencodable', check: 'my-l1' }]);
    await node.tick();
    const answer = await get(node.port, '/ext/health');
    expect([answer.status, answer.body]).toEqual([200, '']);
    await expect(call(node.port, 'health.health')).rejects.toThrow();
  });

  test('peers that leave fail the network check after a minute of silence', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'peers-leave', peers: 0 }]);
    node.advance(65);
    await node.tick();
    expect((await checkOf(node, 'network'))?.error).toMatch(
      /^network layer is unhealthy reason: not connected to a minimum of 1 peer\(s\) only 0, no messages from network received in 1m5[^ ]*s > 1m0s/,
    );
  });

  test('without the health interface its paths are not found', async () => {
    const node = await startTestNode({ dialect, apiHealthEnabled: false });
    for (const path of ['/ext/health', '/ext/health/health', '/ext/health/readiness', '/ext/health/liveness']) {
      const answer = await get(node.port, path);
      expect([answer.status, answer.body]).toEqual([404, '404 page not found\n']);
    }
  });
});

test('only the dialect avalanchego has checks and members that the document does not name', async () => {
  const [documented, real] = [
    await startTestNode({ dialect: 'documented' }, scenario),
    await startTestNode({ dialect: 'avalanchego' }, scenario),
  ];
  const names = async (node: TestNode) => Object.keys(reportOf(await get(node.port, '/ext/health?tag=nothing')).checks);
  expect(await names(documented)).toEqual(['bootstrapped', 'database', 'diskspace', 'network', 'router']);
  expect(await names(real)).toEqual(['bls', 'bootstrapped', 'database', 'diskspace', 'futureupgrade', 'network', 'router']);
  expect((await checkOf(documented, 'diskspace'))?.message).not.toHaveProperty('availableDiskPercentage');
});

test('timestamps stand in the node’s own offset', async () => {
  const node = await startTestNode({}, 'utcOffset: "+05:30"');
  expect((await checkOf(node, 'network'))?.timestamp).toMatch(/\+05:30$/);
});

test('without sybil protection too, the network check tells of inbound connections after ten minutes, and does not fail', async () => {
  const node = await startTestNode({ dialect: 'avalanchego' }, 'sybilProtection: false\npeers: 0');
  node.advance(599);
  await node.tick();
  expect((await checkOf(node, 'network'))?.message).not.toHaveProperty('primary network validator health');
  node.advance(1);
  await node.tick();
  const check = await checkOf(node, 'network');
  expect(check).toMatchObject({
    message: { 'primary network validator health': { ingressConnectionCount: 0, primaryNetworkValidator: true } },
  });
  expect(check).not.toHaveProperty('error');
});
