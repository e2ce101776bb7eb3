// An embedded node with a scenario whose chains have bootstrapped, and its JSON-RPC responses.

import type { MethodName } from '../../src/protocol/methods.ts';
import { roundsToSettle, startTestNode, type TestNode } from './node.ts';
import { askRaw } from './raw-http.ts';

/** The start time in seconds since the Unix epoch. */
export const at = 1_800_000_000;

export const settled = async (scenario = '', options = {}): Promise<TestNode> => {
  const node = await startTestNode({ dialect: 'avalanchego', ...options }, scenario, at);
  await node.ticks(roundsToSettle);
  return node;
};

/** The raw response, because the client does not parse all of it. */
export const raw = async (node: TestNode, method: MethodName, params: object = {}) => {
  const path = method.startsWith('info.') ? '/ext/info' : '/ext/bc/P';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await askRaw(node.port, { method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body });
  return JSON.parse(answer.body);
};
