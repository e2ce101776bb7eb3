// Embedded nodes that are validators of one network and one L1, over real sockets.

import { onTestFinished } from 'vitest';
import { roundsToSettle, startTestNode, type TestNode } from './node.ts';

export const sharedL1 = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

const scenario = (networkId: number): string => `
networkId: ${networkId}
peers: 30
validators: 20
nodes: [1, 2, 3]
validator: { stake: 2000, since: 2160h, period: 8760h, uptime: 1 }
subnets:
  - { name: mine, id: ${sharedL1}, l1: { validators: 4, weight: 100, balance: 5 }, chains: [{ alias: my-l1 }] }
`;

/** A bootstrapped mainnet validator that is always up; the seed determines its NodeID. */
export const startValidator = async (seed: number, networkId = 1): Promise<TestNode> => {
  const node = await startTestNode({ seed }, scenario(networkId));
  await node.ticks(roundsToSettle);
  return node;
};

/** Runs their checks every second until the end of the test, so that reports stay fresh. */
export const keepRunning = (nodes: readonly TestNode[]): void => {
  const running = setInterval(() => {
    for (const node of nodes) {
      node.advance(1);
      void node.tick();
    }
  }, 1000);
  onTestFinished(() => clearInterval(running));
};
