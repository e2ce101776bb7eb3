// `snowgauge explain`: each failing check with reason, duration and remedy, and notes about the report itself.

import { describe, expect, test } from 'vitest';
import { reasonFacts } from '../../src/protocol/reason-facts.ts';
import { capturedReports } from '../support/captures.ts';
import { fileOf, typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';

const captured = (name: string): unknown => capturedReports().find((one) => one.name.startsWith(`${name}/`))?.report;

const mine = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
const theirs = '29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL';

const explainNode = async (scenario: string, args: readonly string[] = [], { ticks = roundsToSettle, advance = 0 } = {}) => {
  const node = await startTestNode({}, scenario);
  await node.ticks(ticks);
  node.advance(advance);
  return typed(['explain', node.url, '--timeout', '50s', ...args], { now: () => 1_800_000_000 + advance });
};

test("explain prints the node's version and network, and omits the line if the info API is missing", async () => {
  const said = await explainNode('networkId: 1');
  expect(said.stdout).toMatch(/^node {5}avalanchego\/1\.14\.2, mainnet$/m);
  expect(JSON.parse((await explainNode('', ['--output', 'json'])).stdout)).toMatchObject({
    version: 'avalanchego/1.14.2',
    network: 'network-12345',
  });
  const silent = await explainNode('faults: [{ fault: api-status, at: 0s, status: 404, path: /ext/info }]');
  expect(silent.stdout).not.toMatch(/^node /m);
});

describe('snowgauge explain --tag: the notes about a validator', () => {
  const l1 = (balance: number): string => `
subnets: [{ name: mine, id: ${mine}, l1: { balance: ${balance} }, chains: [{ alias: my-l1 }] }]`;
  const notesIn = async (scenario: string): Promise<unknown> =>
    (JSON.parse((await explainNode(scenario, ['--tag', mine, '--output', 'json'])).stdout) as { readonly notes: unknown }).notes;

  test.each([
    ['without problems', l1(5), []],
    [
      'with its reward at risk',
      `faults: [{ fault: uptime-falls, at: 0s, to: 0.7 }]${l1(5)}`,
      ['the staking reward is at risk: less than half of the stake saw the node at or above the requirement; downtime left: '],
    ],
    [
      'that has lost its reward',
      `faults: [{ fault: uptime-falls, at: 0s, to: 0.01 }]\nvalidator: { since: 8000h, period: 8760h }${l1(5)}`,
      ['the staking reward is lost: most of the stake can no longer see the requirement met'],
    ],
    [
      'whose staking period ends',
      `faults: [{ fault: staking-ends, at: 0s, in: 144h }]${l1(5)}`,
      ['the staking period ends in 6 d'],
    ],
    [
      'whose staking period ends while too little stake is connected to determine its reward',
      `faults: [{ fault: staking-ends, at: 0s, in: 144h }, { fault: stake-disconnects, at: 0s, chain: P, percentConnected: 0.5 }]${l1(5)}`,
      ['the staking period ends in 6 d'],
    ],
    ['with a low L1 balance', l1(0.5), [`the balance of the L1 validator of subnet ${mine} lasts 11 d 7 h at the current fee`]],
    ['with no L1 balance', l1(0), [`the L1 validator of subnet ${mine} is inactive: it has no balance left for its fee`]],
  ])('%s', async (_who, scenario, messages) => {
    expect(await notesIn(scenario)).toEqual(
      messages.map((message) => ({ kind: expect.any(String), message: expect.stringContaining(message) })),
    );
  });

  test('are not printed by check', async () => {
    const node = await startTestNode({}, 'faults: [{ fault: uptime-falls, at: 0s, to: 0.7 }]');
    await node.ticks(roundsToSettle);
    const { stdout } = await typed(['check', node.url, '--output', 'json'], { now: () => 1_800_000_000 });
    expect(JSON.parse(stdout)).toMatchObject({ notes: [] });
  });
});

describe('snowgauge explain of a captured report', () => {
  test('lists two failing checks, longest failing first, as the help says', async () => {
    const { stdout, code } = await typed(['explain', '-f', await fileOf(captured('subnets-one-good-one-failing'))]);
    expect(code).toBe(1);
    const order = [
      'healthy: False ChecksFailing: 2 of 12 checks fail',
      'ready: False ChecksFailing: ',
      'last run',
      'failing  bootstrapped (bootstrapping)',
      'error    subnets not bootstrapped',
      'times in a row',
      'lists    YrZn24TitFxt9rvXfALyfLa4Cif8We18NcPxeM5g2FKGoCFFC',
      reasonFacts.bootstrapping.meaning,
      reasonFacts.bootstrapping.remedy,
      '(chain-not-created)',
      reasonFacts['chain-not-created'].remedy,
      'passing  ',
      'router\n',
    ].map((part) => ({ part, at: stdout.indexOf(part) }));
    expect(order.filter(({ at }) => at < 0)).toEqual([]);
    expect(order.map(({ at }) => at)).toEqual(order.map(({ at }) => at).sort((a, b) => a - b));
    expect((await typed(['explain', '--help'])).stdout.replace(/\s+/g, ' ')).toContain('failing checks, longest failing first,');
  });

  test('marks checks that have never run as not yet run', async () => {
    const { stdout } = await typed(['explain', '-f', await fileOf(captured('unhealthy-early-not-yet-run'))]);
    expect(stdout).toMatch(/^not yet run {2}P \(not-yet-run\)\n {2}means/m);
    expect(stdout).not.toContain('0001-01-01');
  });

  test('of a healthy node lists the conditions and passing checks', async () => {
    const { stdout, code } = await typed(['explain', '-f', await fileOf(captured('healthy'))]);
    expect(stdout).toMatch(
      /^healthy: True ChecksPassing: 11 checks pass\nready: True ChecksPassing: every check passes\nsource {3}.*\nlast run .*\n\npassing {2}[^\n]+\n$/,
    );
    expect(code).toBe(0);
  });

  test('prints every check as JSON, with the meaning of its reason', async () => {
    const { stdout } = await typed(['explain', '-f', await fileOf(captured('unhealthy-disk-warning')), '--output', 'json']);
    const { checks, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({
      for: 'healthy',
      conditions: [
        {
          type: 'Healthy',
          status: 'False',
          reason: 'ChecksFailing',
          message: expect.any(String),
          failureReasons: ['disk'],
          lastTransitionTime: expect.any(String),
        },
        {
          type: 'Ready',
          status: 'False',
          reason: 'ChecksFailing',
          message: expect.any(String),
          failureReasons: ['disk'],
          lastTransitionTime: expect.any(String),
        },
      ],
      source: expect.any(String),
      tags: [],
      notes: [],
    });
    expect(checks[0]).toEqual({
      check: 'diskspace',
      state: 'failing',
      reason: 'disk',
      error: expect.stringContaining('(25%)'),
      contiguousFailures: expect.any(Number),
      firstFailureAt: expect.stringMatching(/^2026-.*Z$/),
      failingForSeconds: expect.any(Number),
      lastRunAt: expect.stringMatching(/^2026-.*Z$/),
      lastRunAgeSeconds: expect.any(Number),
      durationSeconds: expect.any(Number),
      ...reasonFacts.disk,
    });
    expect(checks.length).toBe(10);
    for (const check of checks.slice(1)) expect(check).toMatchObject({ state: 'passing', contiguousFailures: 0 });
  });
});

describe('snowgauge explain prints a note', () => {
  test.each([
    {
      about: 'an unknown tag',
      scenario: '',
      args: ['--tag', 'typo'],
      says: /^note: the node has no check with tag "typo", so only/m,
    },
    {
      about: 'bootstrapping subnets that were not requested',
      scenario: `{ subnets: [{ name: mine, id: ${mine}, chains: [{ alias: a }] }, { name: theirs, id: ${theirs}, chains: [{ alias: b }] }], faults: [{ fault: subnet-bootstraps, at: 0s, subnet: theirs }] }`,
      args: ['--tag', mine],
      says: /^note: bootstrapped fails for other subnets than the requested ones/m,
    },
    {
      about: 'a skewed node clock',
      scenario: 'faults: [{ fault: clock-skewed, at: 0s, offset: -600s }]',
      args: [],
      says: /^note: the node's clock is (10 min|9 min 59 s|9 min 60 s) behind the exporter clock/m,
    },
  ])('about $about', async ({ scenario, args, says }) => {
    expect((await explainNode(scenario, args)).stdout).toMatch(says);
  });

  test('about stopped health checks, with the check that ran longest ago', async () => {
    const { stdout } = await explainNode('', [], { advance: 1200 });
    expect(stdout).toMatch(/^note: no check has run for 20 min; \S+ ran longest ago$/m);
  });

  test('only if there is a problem', async () => {
    expect((await explainNode('')).stdout).not.toContain('note:');
  });

  const check = (timestamp: string, error?: string) => ({ timestamp, duration: 1, ...(error !== undefined && { error }) });

  test.each([
    {
      about: 'a check that ran long before the others',
      report: { healthy: true, checks: { a: check('2027-01-15T08:00:00Z'), b: check('2027-01-15T07:50:00Z') } },
      says: /^note: b last ran 10 min ago, while others still run: it may hang$/m,
      code: 0,
    },
    {
      about: 'a report that is healthy although a check fails',
      report: { healthy: true, checks: { a: check('2027-01-15T08:00:00Z', '') } },
      says: /error {4}\(empty\)[\s\S]*^note: the report says healthy, though checks fail$/m,
      code: 1,
    },
    {
      about: 'a report that is unhealthy although no check fails',
      report: { healthy: false, checks: { a: check('2027-01-15T08:00:00Z') } },
      says: /^note: the report says unhealthy, though no check fails$/m,
      code: 1,
    },
    {
      about: 'a report without checks',
      report: { healthy: true, checks: {} },
      says: /^note: the report has no checks$/m,
      code: 3,
    },
  ])('about $about', async ({ report, says, code }) => {
    const explained = await typed(['explain', '-f', await fileOf(report)]);
    expect(explained.stdout).toMatch(says);
    expect(explained.code).toBe(code);
  });
});

test('explain prints fifty of ten thousand failing checks and counts the rest', async () => {
  const checks = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`check${at}`, { error: 'x'.repeat(300) }]));
  const { stdout } = await typed(['explain', '-f', await fileOf({ healthy: false, checks })]);
  expect(stdout.match(/^failing/gm)).toHaveLength(50);
  expect(stdout).toContain('\nand 9950 more: see --output json\n');
});

test('explain calls a node shutting down whose checks have not run yet', async () => {
  const never = { error: 'not yet run', timestamp: '0001-01-01T00:00:00Z', duration: 0 };
  const checks = { P: never, shuttingDown: never };
  const { stdout } = await typed(['explain', '-f', await fileOf({ healthy: false, checks })]);
  expect(stdout).toMatch(
    /^failing {2}shuttingDown \(shutting-down\)\n {2}means[\s\S]*^not yet run {2}P \(not-yet-run\)\n {2}means/m,
  );
});

test('explain does not call checks failing that have not run yet', async () => {
  const checks = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`check${at}`, { error: 'not yet run' }]));
  const { stdout } = await typed(['explain', '-f', await fileOf({ healthy: false, checks })]);
  expect(stdout).toContain('\nand 1 more: see --output json\n');
});

test('explain prints only the conditions for an invalid report', async () => {
  const { stdout, code } = await typed(['explain', '-f', await fileOf('{}')]);
  expect(stdout).toMatch(/^healthy: Unknown InvalidReport: .*it is not a health report.*\nready: Unknown InvalidReport: /);
  expect(code).toBe(3);
});
