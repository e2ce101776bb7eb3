// Responses of an honest mainnet node stay within all limits of the default configuration.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, never } from '../support/asking.ts';
import { containersOf, serveIndex } from '../support/index-server.ts';
import { delegated, nodeIdAt, report, serveMainnetNode } from '../support/mainnet-node.ts';
import { runCommand } from '../support/running-command.ts';
import { type Served, serveAnswer } from '../support/serve.ts';

const usual = { maxReportBytes: 512 * 1024, maxBodyBytes: 5 * 1024 * 1024 };

let served: Served;
beforeAll(async () => {
  served = await serveMainnetNode();
});
afterAll(() => served.close());

test.each([
  { method: 'platform.getCurrentValidators', value: { validators: { length: 1300, 1299: { nodeId: nodeIdAt(1299) } } } },
  { method: 'platform.getBlockchains', value: { blockchains: { length: 1500, 1499: { name: 'chain 1499' } } } },
  { method: 'info.peers', value: { peers: { length: 2000, 1999: { version: 'avalanchego/1.14.4', observedUptime: 100 } } } },
] as const)('$method is read to its last row', async ({ method, value }) => {
  const { outcome } = await clientOf(served.url, usual).rpc(method, {}, never);
  expect(outcome).toMatchObject({ kind: 'ok', value });
});

test('only requested validators are read, at most eight records each, from a node that returns all', async () => {
  const rows = Array.from({ length: 9000 }, (_, at) => ({ nodeID: nodeIdAt(at % 2), validationID: `${at}` }));
  const node = await serveMainnetNode({ 'platform.getCurrentValidators': { validators: rows } });
  const { outcome } = await clientOf(node.url, usual).rpc('platform.getCurrentValidators', { nodeIDs: [nodeIdAt(1)] }, never);
  const first = [1, 3, 5, 7, 9, 11, 13, 15].map((at) => ({ nodeId: nodeIdAt(1), validationId: `${at}` }));
  expect(outcome).toEqual({ kind: 'ok', value: { validators: first } });
  await node.close();
});

test('a validator with three thousand delegators is read', async () => {
  const node = await serveMainnetNode({ 'platform.getCurrentValidators': delegated(3000) });
  const { outcome } = await clientOf(node.url, usual).rpc('platform.getCurrentValidators', { nodeIDs: [nodeIdAt(0)] }, never);
  expect(outcome).toMatchObject({ kind: 'ok', value: { validators: [{ nodeId: nodeIdAt(0), delegatorCount: 12 }] } });
  await node.close();
});

test.each([0, 1300])('a report of 200 checks and three chains with %i disconnected validators each is read', async (count) => {
  const text = JSON.stringify(report(count));
  expect(text.length).toBeGreaterThan(100_000);
  const node = await serveAnswer(200, text);
  const { outcome } = await clientOf(node.url, usual).health([], never);
  expect(outcome).toMatchObject({ kind: 'ok', value: { checks: { size: 200 } } });
  await node.close();
});

const containers = containersOf(2100, 5000);

test.each([
  { limit: '8MiB', most: 819 },
  { limit: '1MiB', most: 103 },
])('verify of 5 KB containers requests fewer at once if a range exceeds $limit', async ({ limit, most }) => {
  const { url, asked } = await serveIndex({ containers });
  const limits = ['--max-body-size', limit, '--timeout', '5m'];
  const { code, stdout } = await runCommand(['index', 'verify', url, 'P/block', ...limits, '--output', 'json']);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, sound: true, containers: 2100 });
  const counts = asked.flatMap(({ params }) => (params.numToFetch === undefined ? [] : [Number(params.numToFetch)]));
  // It starts with the maximum and then adapts.
  expect(Math.max(...counts)).toBe(1024);
  expect(counts.filter((count) => count > most).length).toBeLessThan(counts.length / 2 + 4);
});
