// The event history of faults of a node: from the node's socket through the exporter to the records.

import { expect, test } from 'vitest';
import type { EventHistory } from '../../src/events/event-history.ts';
import type { TransitionRecord } from '../../src/events/record.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { listeningLog } from '../support/events.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../support/node.ts';
import { valuesOf, watch } from '../support/watching.ts';

const mine = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
const scenario = `subnets: [{ name: mine, id: ${mine}, chains: [{ alias: my-l1 }] }]`;
const tagSets = [
  { name: 'all', tags: [] },
  { name: 'primary', tags: [primaryNetworkId] },
  { name: 'mine', tags: [mine] },
];

interface Seen {
  readonly node: TestNode;
  readonly eventHistory: EventHistory;
  readonly said: ReturnType<typeof listeningLog>['said'];
  /** Passes five seconds and runs the node's checks. */
  readonly round: () => Promise<void>;
  /** Polls and returns the new records. An impatient poll has a short timeout, for nodes that do not respond. */
  readonly poll: (patience?: 'patient' | 'impatient') => Promise<readonly TransitionRecord[]>;
  readonly count: (check: string, to: string) => Promise<readonly number[]>;
  readonly restarts: () => Promise<readonly number[]>;
}

const begin = 1_800_000_000;

/** A healthy node that has been polled once. */
const seeing = async (): Promise<Seen> => {
  let now = begin;
  const node = await startTestNode({ dialect: 'avalanchego' }, scenario);
  await node.ticks(roundsToSettle);
  const { said, log } = listeningLog();
  const watching = watch(node.url, () => now, { tagSets, indexes: [] }, { timeoutMs: 60_000 }, { log });
  const { eventHistory } = watching;
  const poll: Seen['poll'] = async (patience) => {
    now += 0.5;
    const known = eventHistory.records().length;
    await watching.poll(patience);
    return eventHistory
      .records()
      .slice(known)
      .filter(({ kind }) => kind !== 'condition');
  };
  const pass = (): void => {
    now += 5;
    node.advance(5);
  };
  const page = watching.page;
  expect(await poll()).toEqual([]);
  return {
    node,
    eventHistory,
    said,
    poll,
    round: async () => {
      pass();
      await node.tick();
    },
    count: async (check, to) => valuesOf(await page(), 'snowgauge_check_transitions_total', { check, to }),
    restarts: async () => valuesOf(await page(), 'snowgauge_node_restarts_total'),
  };
};

type Faults = NonNullable<Parameters<TestNode['setFaults']>[0]>;

test.each<{ situation: string; faults: Faults; check: string; tagSets: readonly string[]; error: RegExp }>([
  {
    situation: 'a disk that is nearly full',
    faults: [{ fault: 'disk-fills', availablePercentage: 5 }],
    check: 'diskspace',
    tagSets: ['all', 'primary', 'mine'],
    error: /^remaining available disk space percentage \(5%\) is below warning threshold/,
  },
  {
    situation: "one subnet's chain dead",
    faults: [{ fault: 'chain-dead', chain: 'my-l1' }],
    check: 'my-l1',
    tagSets: ['all', 'mine'],
    error: /code = Unavailable/,
  },
  {
    situation: 'stake below the threshold',
    faults: [{ fault: 'stake-disconnects', chain: 'my-l1', percentConnected: 0.2 }],
    check: 'my-l1',
    tagSets: ['all', 'mine'],
    error: /^not connected to enough stake: connected to 20\.000000%/,
  },
  {
    situation: 'all peers lost',
    faults: [{ fault: 'peers-leave', peers: 0 }],
    check: 'network',
    tagSets: ['all', 'primary', 'mine'],
    error: /not connected to a minimum of 1 peer/,
  },
  {
    situation: 'a check that fails without an error text',
    faults: [{ fault: 'check-fails', check: 'C', error: '' }],
    check: 'C',
    tagSets: ['all', 'primary'],
    error: /^$/,
  },
])('$situation causes one record with its tag sets, one log line and one count, and so does its end', async (row) => {
  const { node, poll, round, count, said } = await seeing();
  await node.setFaults(row.faults);
  await round();
  const began = await poll();
  const of = { kind: 'check', target: 'node', check: row.check, tagSets: row.tagSets };
  expect(began.filter(({ check }) => check === row.check)).toEqual([
    expect.objectContaining({
      ...of,
      from: 'passing',
      to: 'failing',
      contiguousFailures: 1,
      error: expect.stringMatching(row.error),
    }),
  ]);
  await round();
  expect(await poll()).toEqual([]);

  await node.setFaults([]);
  await round();
  const [began0] = began;
  const ended = (await poll()).filter(({ check }) => check === row.check);
  expect(ended).toEqual([
    expect.objectContaining({ ...of, from: 'failing', to: 'passing', contiguousFailures: 2, error: began0?.error }),
  ]);
  expect(ended[0]?.firstFailureAt).toBe(began0?.firstFailureAt);
  const lines = said.filter(({ fields }) => fields.check === row.check);
  expect(lines.at(-1)?.fields).not.toHaveProperty('reason');
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    `warn check ${row.check} began to fail`,
    `info check ${row.check} passed again after 10 s`,
  ]);
  expect(await count(row.check, 'failing')).toEqual([1]);
  expect(await count(row.check, 'passing')).toEqual([1]);
});

test('a recovery between two polls is in the records, the counter and the log', async () => {
  const { node, poll, round, count, said } = await seeing();
  const failing: Faults = [{ fault: 'check-fails', check: 'database', error: 'closed' }];
  for (const faults of [failing, [], failing]) {
    await node.setFaults(faults);
    await round();
  }
  // Passing before and failing now: the changes in between are not visible in the report.
  expect(await poll()).toMatchObject([{ check: 'database', from: 'passing', to: 'failing' }]);
  for (const faults of [[], failing]) {
    await node.setFaults(faults);
    await round();
  }
  expect(await poll()).toMatchObject([
    { check: 'database', from: 'failing', to: 'passing', unseen: true, contiguousFailures: 1 },
    { check: 'database', from: 'passing', to: 'failing', contiguousFailures: 1 },
  ]);
  expect(await count('database', 'passing')).toEqual([1]);
  expect(await count('database', 'failing')).toEqual([2]);
  expect(said.map(({ message }) => message).filter((message) => message.startsWith('check '))).toEqual([
    'check database began to fail',
    'check database passed between two polls',
    'check database began to fail',
  ]);
});

test('a restart causes one record, and checks that fail before and after it have not recovered', async () => {
  const { node, poll, round, restarts } = await seeing();
  const failing = { fault: 'check-fails', check: 'database', error: 'closed' } as const;
  await node.setFaults([failing]);
  await round();
  expect(await poll()).toHaveLength(1);
  await node.setFaults([failing, { fault: 'node-restarts' }]);
  expect(await poll()).toEqual([]);
  await node.setFaults([failing]);
  for (let more = 0; more < roundsToSettle; more += 1) await round();
  const records = await poll();
  expect(records.filter(({ kind }) => kind === 'node-restarted')).toMatchObject([
    { target: 'node', message: 'its port was closed in between' },
  ]);
  expect(records.filter(({ check, kind }) => check === 'database' && kind === 'check')).toEqual([]);
  expect(await restarts()).toEqual([1]);
});

test('a restart between two polls is detected from the reset readiness, and recorded once', async () => {
  const { node, poll, round, restarts } = await seeing();
  await node.setFaults([{ fault: 'node-restarts' }]);
  await node.setFaults([]);
  const first = await poll();
  expect(first[0]).toMatchObject({ kind: 'node-restarted', message: 'its readiness history was reset' });
  expect(first.find(({ check }) => check === 'bootstrapped')).toMatchObject({
    from: 'passing',
    to: 'failing',
    error: 'not yet run',
  });
  const later: TransitionRecord[] = [];
  for (let more = 0; more < roundsToSettle; more += 1) {
    await round();
    later.push(...(await poll()));
  }
  expect(later.filter(({ kind }) => kind === 'node-restarted')).toEqual([]);
  expect(later.findLast(({ check }) => check === 'bootstrapped')).toMatchObject({ from: 'failing', to: 'passing' });
  expect(await restarts()).toEqual([1]);
});

test('a hanging check freezes the report, so that nothing is recorded', async () => {
  const { node, poll } = await seeing();
  await node.setFaults([
    { fault: 'check-hangs', check: 'my-l1' },
    { fault: 'check-fails', check: 'my-l1', error: 'closed' },
  ]);
  node.advance(5);
  const hanging = node.tick();
  expect(await poll()).toEqual([]);
  await node.setFaults([{ fault: 'check-fails', check: 'my-l1', error: 'closed' }]);
  await hanging;
  expect(await poll()).toMatchObject([{ check: 'my-l1', to: 'failing', error: 'closed' }]);
});

test('a bootstrapping subnet fails the check bootstrapped, whose record also names the other failing checks', async () => {
  const { node, poll, round } = await seeing();
  await node.setFaults([
    { fault: 'subnet-bootstraps', subnet: mine },
    { fault: 'disk-fills', availablePercentage: 5 },
  ]);
  await round();
  const records = await poll();
  expect(records.find(({ check }) => check === 'bootstrapped')).toMatchObject({
    to: 'failing',
    error: 'subnets not bootstrapped',
    tagSets: ['all', 'primary', 'mine'],
    alsoFailing: expect.arrayContaining(['diskspace']),
  });
});

test.each<{ situation: string; faults: Faults; patience?: 'impatient' }>([
  { situation: 'does not respond', faults: [{ fault: 'api-silent' }], patience: 'impatient' },
  { situation: 'rejects the Host header', faults: [{ fault: 'api-forbids' }] },
  { situation: 'responds with garbage', faults: [{ fault: 'api-garbage' }] },
])('an API that $situation for a while is not recorded as a restart or a transition of a check', async ({ faults, patience }) => {
  const { node, poll, round, restarts } = await seeing();
  await node.setFaults(faults);
  await round();
  expect(await poll(patience)).toEqual([]);
  await node.setFaults([]);
  await round();
  expect(await poll()).toEqual([]);
  expect(await restarts()).toEqual([0]);
});

test('a check that disappears from the report and comes back is recorded as check-gone and check-back', async () => {
  const { node, poll, round } = await seeing();
  await node.setFaults([{ fault: 'check-vanishes', check: 'my-l1' }]);
  await round();
  expect(await poll()).toMatchObject([{ kind: 'check-gone', check: 'my-l1', from: 'passing', tagSets: ['all', 'mine'] }]);
  await node.setFaults([]);
  await round();
  expect((await poll())[0]).toMatchObject({ kind: 'check-back', check: 'my-l1', tagSets: ['all', 'mine'] });
});
