// The health interface of the embedded node in both dialects: the contract of any node, and behaviour that needs injected faults.

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

  test('an unhealthy node responds with the same report, as 503 to GET and as 200 to JSON-RPC', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'database', error: 'closed' }]);
    await node.tick();
    const answer = await get(node.port, '/ext/health');
    expect([answer.status, reportOf(answer).healthy]).toEqual([503, false]);
    expect((await call(node.port, 'health.health')).result).toEqual(reportOf(answer));
  });

  test('a failing check has error, contiguousFailures and timeOfFirstFailure until its first success', async () => {
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

  test('a check that fails without a message has an empty error', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'router', error: '' }]);
    await node.tick();
    expect(await checkOf(node, 'router')).toMatchObject({ error: '', contiguousFailures: 1 });
  });

  test('a failing chain makes the report of its own subnet fail, not that of others', async () => {
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

  test('a chain whose VM is not installed fails with the id of the VM', async () => {
    const node = await startTestNode({ dialect }, 'subnets: [{ name: theirs, chains: [{ alias: their-l1, vmMissing: true }] }]');
    await node.ticks(roundsToSettle);
    const vm = '"srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy"';
    expect((await checkOf(node, 'their-l1'))?.error).toContain(`error while getting vmFactory: ${vm} was not found`);
  });

  test('a check that has not run yet fails with "not yet run" and without contiguousFailures', async () => {
    const node = await startTestNode({ dialect }, scenario);
    const answer = await get(node.port, '/ext/health');
    expect(answer.status).toBe(503);
    expect(reportOf(answer).checks.bootstrapped).toEqual({ error: 'not yet run', timestamp: neverText, duration: 0 });
    expect(reportOf(answer).checks.network).not.toHaveProperty('error');
  });

  test('a bootstrapping chain has an empty consensus, and the check bootstrapped lists its subnet', async () => {
    const node = await startTestNode({ dialect }, scenario);
    await node.setFaults([{ fault: 'subnet-bootstraps', subnet: 'mine' }]);
    await node.ticks(roundsToSettle);
    expect(await checkOf(node, 'bootstrapped')).toMatchObject({ message: [subnetId], error: 'subnets not bootstrapped' });
    expect(await checkOf(node, 'my-l1')).toMatchObject({ message: { engine: { consensus: {} } } });
    expect((await get(node.port, '/ext/health/readiness')).status).toBe(503);
  });

  test('readiness stays passed after the check bootstrapped fails again', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-fails', check: 'bootstrapped', error: 'subnets not bootstrapped' }]);
    const before = await checkOf(node, 'bootstrapped', '/ext/health/readiness');
    node.advance(30);
    await node.tick();
    expect((await get(node.port, '/ext/health')).status).toBe(503);
    expect((await get(node.port, '/ext/health/readiness')).status).toBe(200);
    expect((await checkOf(node, 'bootstrapped', '/ext/health/readiness'))?.timestamp).not.toBe(before?.timestamp);
  });

  test('a hanging check delays its own result; the other checks update in the same run', async () => {
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
    // Measured with the node's own clock.
    expect([(await checkOf(node, 'database'))?.duration, (await checkOf(node, 'my-l1'))?.duration]).toEqual([0, 45e9]);
  });

  test('time-freezes leaves the last healthy report unchanged', async () => {
    const node = await healthy();
    const before = (await get(node.port, '/ext/health')).body;
    await node.setFaults([{ fault: 'time-freezes' }]);
    node.advance(300);
    await node.tick();
    expect((await get(node.port, '/ext/health')).body).toBe(before);
  });

  test('a node whose checks never ran, because time froze before the first run, is not ready', async () => {
    const node = await startTestNode({ dialect }, `${scenario}faults: [{ fault: time-freezes, at: 0s }]`);
    const answer = await get(node.port, '/ext/health/readiness');
    expect([answer.status, reportOf(answer).checks]).toMatchObject([503, { bootstrapped: { error: 'not yet run' } }]);
  });

  test('check-vanishes removes the check; afterwards it comes back as "not yet run"', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-vanishes', check: 'my-l1' }]);
    expect(await checkOf(node, 'my-l1')).toBeUndefined();
    await node.setFaults([]);
    expect(await checkOf(node, 'my-l1')).toMatchObject({ error: 'not yet run' });
    await node.tick();
    expect(await checkOf(node, 'my-l1')).not.toHaveProperty('error');
  });

  test('a message that JSON cannot encode gives an empty body for GET and HTTP 500 for JSON-RPC', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'check-unencodable', check: 'my-l1' }]);
    await node.tick();
    const answer = await get(node.port, '/ext/health');
    expect([answer.status, answer.body]).toEqual([200, '']);
    await expect(call(node.port, 'health.health')).rejects.toThrow();
  });

  test('peers-leave fails the network check after a minute without messages', async () => {
    const node = await healthy();
    await node.setFaults([{ fault: 'peers-leave', peers: 0 }]);
    node.advance(65);
    await node.tick();
    expect((await checkOf(node, 'network'))?.error).toMatch(
      /^network layer is unhealthy reason: not connected to a minimum of 1 peer\(s\) only 0, no messages from network received in 1m5[^ ]*s > 1m0s/,
    );
    node.advance(65);
    await node.tick();
    // The embedded node sent its last message half as long ago as it received one.
    expect((await checkOf(node, 'network'))?.error).toMatch(/, no messages from network sent in 1m5[^ ]*s > 1m0s$/);
  });

  test('with apiHealthEnabled false the health paths are 404', async () => {
    const node = await startTestNode({ dialect, apiHealthEnabled: false });
    for (const path of ['/ext/health', '/ext/health/health', '/ext/health/readiness', '/ext/health/liveness']) {
      const answer = await get(node.port, path);
      expect([answer.status, answer.body]).toEqual([404, '404 page not found\n']);
    }
  });
});

test('only the dialect avalanchego has checks and fields that the documentation does not name', async () => {
  const [documented, real] = [
    await startTestNode({ dialect: 'documented' }, scenario),
    await startTestNode({ dialect: 'avalanchego' }, scenario),
  ];
  const names = async (node: TestNode) => Object.keys(reportOf(await get(node.port, '/ext/health?tag=nothing')).checks);
  expect(await names(documented)).toEqual(['bootstrapped', 'database', 'diskspace', 'network', 'router']);
  expect(await names(real)).toEqual(['bls', 'bootstrapped', 'database', 'diskspace', 'futureupgrade', 'network', 'router']);
  expect((await checkOf(documented, 'diskspace'))?.message).not.toHaveProperty('availableDiskPercentage');
});

test('timestamps have the UTC offset of the node', async () => {
  const node = await startTestNode({}, 'utcOffset: "+05:30"');
  expect((await checkOf(node, 'network'))?.timestamp).toMatch(/\+05:30$/);
});

test('without sybil protection, the network check shows ingressConnectionCount after ten minutes and does not fail', async () => {
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
