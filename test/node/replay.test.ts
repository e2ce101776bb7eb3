// Replays every captured request against the embedded node in the same state, and compares the responses with those of the real node.

import { afterAll, expect, test } from 'vitest';
import { roundsToSettle, startTestNode, type TestNode } from '../support/node.ts';
import { askRaw, type RawRequest } from '../support/raw-http.ts';
import { capturesOf, disagreements } from '../support/replay.ts';

interface State {
  /** The folder of its captures. */
  readonly name: string;
  readonly scenario: string;
  /** Brings a freshly started node into the state. */
  readonly reach: (node: TestNode) => Promise<void>;
}

// The captured node ran alone, without sybil protection, and received no blocks during the requests.
const alone = `
peers: 0
sybilProtection: false
validators: 0
`;

/** Total blocks; the last `lately` of each come after the start, because X's history has vertices that this network never had. */
const chains = (p: number, x: number, c: number): string => `
chains:
  P: { history: ${p - lately}, blockInterval: 1m }
  X: { history: ${x - lately}, blockInterval: 1m }
  C: { history: ${c - lately}, blockInterval: 1m }
`;
const lately = 2;

const empty = `
chains:
  P: { history: 0, blockInterval: 1000h }
  X: { history: 0, blockInterval: 1000h }
  C: { history: 0, blockInterval: 1000h }
`;

/** Bootstraps the chains, while checks have run only once. */
const bootstrap = async (node: TestNode): Promise<void> => {
  await node.setFaults([{ fault: 'time-freezes' }]);
  node.advance(lately * 60);
  await node.ticks(roundsToSettle);
};

/** The disk of the captured node, regardless of this machine's. */
const diskAtQuarter = { fault: 'disk-fills', availablePercentage: 25 } as const;

/** The network of two nodes whose /ext/info and P-Chain were captured: a plugin is installed in addition to the node's own VMs. */
const genesis = `${chains(3, 3, 3)}
seed: 7 # of which the first validator is the fourth to end
l1Fee: 1
validators: 4
validator: { stake: 2000000, delegated: 0, delegators: 0, delegationFee: 1, since: 2500h, uptime: 1 }
subnets:
  - name: lab
    id: WuTqUTLUQFSir4qiCTCYBnG5tg7TaTu3yXBqzxZXjV2GruveQ
    chains: [{ alias: lab chain, vm: v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH, history: 0, blockInterval: 1000h }]
`;

const states: readonly State[] = [
  {
    name: 'healthy',
    scenario: `${alone}${chains(5, 3, 3)}
subnets:
  - name: good
    id: DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ
    chains: [{ id: 273SP9KKPNxfRUD9wtaBxDcR3cuGrtWjvYjV5D38u2mtGsw8jQ, history: 0, blockInterval: 1000h }]
`,
    reach: async (node) => {
      await bootstrap(node);
      await node.setFaults([diskAtQuarter]);
      await node.tick();
    },
  },
  {
    name: 'unhealthy-early-not-yet-run',
    scenario: `${alone}${empty}`,
    reach: bootstrap,
  },
  {
    name: 'unhealthy-disk-warning',
    scenario: `${alone}${empty}\ndisk: { warningPercentage: 50 }\nfaults: [{ fault: disk-fills, at: 0s, availablePercentage: 25 }]`,
    reach: async (node) => {
      await bootstrap(node);
      await node.setFaults(undefined);
      await node.ticks(4);
    },
  },
  {
    name: 'subnets-one-good-one-failing',
    scenario: `${alone}${chains(8, 3, 3)}
subnets:
  - name: good
    id: CCVCvGqXU6HjBXyW9brTUd2Dq94iq9Voutujkp3D676NbRSCz
    chains: [{ id: 2UJg37fxar6Z3x1SjNTqq6nGJ2jzXqxJ3kHZxEgV5EV1L6iQs7, history: 0, blockInterval: 1000h }]
  - name: bad
    id: YrZn24TitFxt9rvXfALyfLa4Cif8We18NcPxeM5g2FKGoCFFC
    chains:
      - id: 2PPiKsKjbbgsZGSXXopm9fKiwN7S1wDFMTFEtCFNYL4xkwURMH
        vm: srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy
        vmMissing: true
`,
    reach: async (node) => {
      await bootstrap(node);
      await node.setFaults([diskAtQuarter]);
      await node.ticks(39);
    },
  },
  { name: 'genesis-validator', scenario: `peers: 0\nsybilProtection: false\n${genesis}`, reach: bootstrap },
  { name: 'two-validators-first', scenario: `peers: 1\nsybilProtection: false\n${genesis}`, reach: bootstrap },
];

/** Puts our node's id in place of the captured node's. */
const asOurs = (request: RawRequest, nodeId: string): RawRequest => ({
  ...request,
  ...(typeof request.body === 'string' && { body: request.body.replace('NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', nodeId) }),
});

let agreed = 0;
let asked = 0;
afterAll(() => console.log(`replay: ${agreed} of ${asked} agree`));

test.each(states)(
  'a node in the state $name responds to every request as the real node did',
  async ({ name, scenario, reach }) => {
    const node = await startTestNode({ dialect: 'avalanchego', indexEnabled: true }, scenario);
    await reach(node);
    const mismatches: string[] = [];
    for (const capture of capturesOf(name)) {
      const ours = await askRaw(node.port, asOurs(capture.request, node.nodeId));
      const different = disagreements(capture, ours);
      asked += 1;
      if (different.length === 0) agreed += 1;
      else
        mismatches.push(
          [
            `${capture.name}: ${different.join('\n  ')}`,
            `request: ${JSON.stringify(capture.request)}`,
            `real: ${JSON.stringify(capture.answer)}`,
            `ours: ${JSON.stringify(ours)}`,
          ].join('\n'),
        );
    }
    expect(mismatches).toEqual([]);
  },
);
