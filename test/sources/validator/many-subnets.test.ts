// An L1 validator with more subnets than one poll looks up.

import { expect, test } from 'vitest';
import { idOf } from '../../../src/protocol/id.ts';
import { listeningLog } from '../../support/events.ts';
import { captured, own, type Reply, servingCapture } from './serving.ts';

const subnets = Array.from({ length: 52 }, (_, nth) => idOf(Buffer.from([nth])));
const [first] = subnets;

const tagSetsOf = (count: number) => [
  { name: 'all', tags: [] },
  { name: 'many', tags: subnets.slice(0, count) },
];

/** The node is a validator in every subnet, with a balance in some. */
const answers = (hasBalance: (subnet: string) => boolean): Readonly<Record<string, Reply>> => ({
  'platform.getCurrentValidators': (response, { subnetID }) => {
    const l1 = { validationID: 'v1', publicKey: '0x00', balance: '864000', minNonce: '0' };
    const row = { nodeID: own, weight: '7', startTime: '1', ...(subnetID === undefined && { endTime: String(captured + 1e6) }) };
    const validators = [{ ...row, ...(subnetID !== undefined && hasBalance(subnetID) && l1) }];
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { validators } }));
  },
  'platform.getValidatorFeeState': { result: { excess: '0', price: '2' } },
});

const lookedUp = (asked: readonly string[]): readonly string[] =>
  asked.flatMap((one) => (one.startsWith('platform.getCurrentValidators ') ? [one.slice(30)] : []));

test('of 52 subnets, 50 are looked up, sixteen in each poll and all in turn, and keep their series', async () => {
  const { log, said } = listeningLog();
  const all = answers(() => true);
  const { pollAfter, asked, lie, series } = await servingCapture('genesis-validator', all, { tagSets: tagSetsOf(52), log });
  // Until all are known, the node is asked in each poll.
  for (const seconds of [0, 5, 5, 5]) await pollAfter(seconds);
  expect(new Set(lookedUp(asked()))).toEqual(new Set(subnets.slice(0, 50)));
  for (let polls = 0; polls < 9; polls += 1) {
    lie(all);
    await pollAfter(60);
    const shown = (await series()).filter((one) => one.startsWith('l1_validator_balance_end_timestamp_seconds'));
    expect([lookedUp(asked()).length, shown.length]).toEqual([16, 50]);
  }
  const left = Object.fromEntries(subnets.slice(50).map((id) => [id, 'not looked up']));
  const message = 'only 50 subnets of a node are looked up on its P-Chain: remove tags that are not needed';
  expect(said.filter((one) => one.message === message)).toEqual([
    { level: 'warn', message, fields: expect.objectContaining({ tags: left }) },
  ]);
});

test('the fee is also asked for in a poll that does not look up the L1', async () => {
  const one = answers((subnet) => subnet === first);
  const { pollAfter, asked, lie } = await servingCapture('genesis-validator', one, { tagSets: tagSetsOf(46) });
  for (const seconds of [0, 5, 5]) await pollAfter(seconds);
  lie(one);
  await pollAfter(60);
  expect(lookedUp(asked())).not.toContain(first);
  expect(asked().filter((method) => method === 'platform.getValidatorFeeState')).toHaveLength(1);
});

test('a P-Chain that is no longer served is not asked in each poll, although it was not asked for all subnets', async () => {
  const all = answers(() => true);
  const { pollAfter, asked, lie } = await servingCapture('genesis-validator', all, { tagSets: tagSetsOf(20) });
  await pollAfter(0);
  lie({ ...all, 'platform.getCurrentValidators': (response) => response.writeHead(404).end() });
  for (const seconds of [5, 5, 5]) await pollAfter(seconds);
  expect(asked().filter((method) => method === 'info.uptime')).toHaveLength(1);
});
