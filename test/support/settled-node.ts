// An embedded node of a scenario, once its chains have bootstrapped, and what it answers JSON-RPC with.

import type { MethodName } from '../../src/protocol/methods.ts';
import { roundsToSettle, startTestNode, type TestNode } from './node.ts';
import { askRaw } from './raw-http.ts';

/** When it starts: seconds since the Unix epoch. */
export const at = 1_800_000_000;

export const settled = async (scenario = '', options = {}): Promise<TestNode> => {
  const node = await startTestNode({ dialect: 'avalanchego', ...options }, scenario, at);
  await node.ticks(roundsToSettle);
  return node;
};

/** As a peer writes it: the client does not read all of it. */
export const raw = async (node: TestNode, method: MethodName, params: object = {}) => {
  const path = method.startsWith('info.') ? '/ext/info' : '/ext/bc/P';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await askRaw(node.port, { method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body });
  return JSON.parse(answer.body);
};
