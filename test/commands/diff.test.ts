// `snowgauge diff`: the differences between two reports, with the exit codes of diff.

import { describe, expect, test } from 'vitest';
import { capturedReports } from '../support/captures.ts';
import { fileOf, typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { closedPort } from '../support/serve.ts';

const captured = (name: string): unknown => capturedReports().find((one) => one.name.startsWith(`${name}/`))?.report;

const passing = { timestamp: '2027-01-15T08:00:00Z', duration: 1 };
const failing = (error: string, since = '2027-01-15T07:00:00Z') => ({
  ...passing,
  error,
  contiguousFailures: 3,
  timeOfFirstFailure: since,
});
const stake = (percent: number): string =>
  `not connected to enough stake: connected to ${percent}.000000%; required at least 80.000000%`;

const reportOf = (checks: Readonly<Record<string, object>>) => ({
  healthy: Object.values(checks).every((check) => !('error' in check)),
  checks,
});

const diffOf = async (a: unknown, b: unknown, ...args: readonly string[]) =>
  typed(['diff', await fileOf(a), await fileOf(b), ...args]);

describe('snowgauge diff of two saved reports', () => {
  test('prints the failed check, the vanished check and changed numbers of captured reports', async () => {
    const { stdout, stderr, code } = await diffOf(captured('healthy'), captured('unhealthy-disk-warning'));
    expect(stdout).toMatch(/^a {2}healthy, 0 of 11 checks fail {2}\S+\nb {2}unhealthy, 1 of 10 checks fail/);
    expect(stdout).toMatch(/^failed {6}diskspace {2}disk: remaining available disk space/m);
    expect(stdout).toMatch(/^vanished {4}273SP9KKPNxfRUD9wtaBxDcR3cuGrtWjvYjV5D38u2mtGsw8jQ {2}passes$/m);
    expect(stdout).toMatch(/^number {6}P engine\.consensus\.lastAcceptedHeight {2}5 -> 0 \(-5\)$/m);
    expect(stdout).toMatch(/^number {6}diskspace availableDiskBytes {2}68841676800 -> 68178239488 \(-663437312\)$/m);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });

  test('exits with 0 for identical reports', async () => {
    expect(await diffOf(captured('healthy'), captured('healthy'))).toMatchObject({
      stdout: expect.stringMatching(/\nno difference\n$/),
      code: 0,
    });
  });

  test.each([
    { kind: 'failed', a: passing, b: failing('closed'), says: 'database: closed', code: 1 },
    { kind: 'recovered', a: failing('closed'), b: passing, says: 'was database: closed', code: 1 },
    {
      kind: 'failed-again',
      a: failing('closed'),
      b: failing('closed', '2027-01-15T07:30:00Z'),
      says: 'passed in between or the node was restarted, then database: closed',
      code: 1,
    },
    {
      kind: 'reason',
      a: failing(stake(20)),
      b: failing('block processing too long: 45s > 30s'),
      says: `stake-disconnected: ${stake(20)} -> block-processing: block processing too long: 45s > 30s`,
      code: 1,
    },
    {
      kind: 'reworded',
      a: failing(stake(20)),
      b: failing(stake(30)),
      says: `stake-disconnected: ${stake(20)} -> stake-disconnected: ${stake(30)}`,
      code: 0,
    },
    { kind: 'appeared', a: undefined, b: passing, says: 'passes', code: 1 },
    { kind: 'vanished', a: failing(''), b: undefined, says: 'database', code: 1 },
  ])('prints a check of kind $kind', async ({ kind, a, b, says, code }) => {
    const sides = [a, b].map((check) => reportOf(check === undefined ? { other: passing } : { database: check, other: passing }));
    const difference = await diffOf(sides[0], sides[1]);
    expect(difference.stdout).toContain(`${kind.padEnd(11)} database  ${says}\n`);
    expect(difference.code).toBe(code);
  });

  test('exits with 0 when only numbers differ, and prints them', async () => {
    const network = (connectedPeers: number, timeSinceLastMsgSent: string) =>
      reportOf({ network: { ...passing, ...{ message: { connectedPeers, timeSinceLastMsgSent, extra: 1 } } } });
    const { stdout, code } = await diffOf(network(24, '1s'), network(3, '1m5s'));
    expect(stdout).toMatch(/no difference\nnumber {6}network connectedPeers {2}24 -> 3 \(-21\)\n/);
    expect(stdout).toMatch(/number {6}network timeSinceLastMsgSent {2}1 s -> 1 min 5 s\n$/);
    expect(code).toBe(0);
  });

  test('prints the one number that changed when a message has grown to more fields than metrics may have', async () => {
    const wide = (fields: number, load: number) => {
      const others = Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, at]));
      return reportOf({ vm: { ...passing, ...{ message: { ...others, load } } } });
    };
    const { stdout } = await diffOf(wide(49, 1), wide(50, 2));
    expect(stdout.match(/^number .*$/gm)).toEqual(['number      vm load  1 -> 2 (+1)', expect.stringContaining('vm f49')]);
  });

  test('prints JSON with a stable shape', async () => {
    const a = reportOf({ database: passing });
    const b = reportOf({ database: failing('closed'), bootstrapped: { ...passing } });
    const { stdout } = await diffOf(a, b, '--output', 'json');
    const sides = { source: expect.any(String), checks: expect.any(Number) };
    expect(JSON.parse(stdout)).toEqual({
      differs: true,
      a: { ...sides, healthy: true, failing: 0 },
      b: { ...sides, healthy: false, failing: 1 },
      changes: [
        {
          kind: 'failed',
          check: 'database',
          before: { state: 'passing' },
          after: { state: 'failing', reason: 'database', error: 'closed' },
        },
        { kind: 'appeared', check: 'bootstrapped', after: { state: 'passing' } },
      ],
      numbers: [{ check: 'database', field: 'contiguousFailures', unit: 'none', after: 3 }],
    });
  });
});

test('snowgauge diff of a saved report and a node prints the check that failed since', async () => {
  const node = await startTestNode({}, 'faults: [{ fault: check-fails, at: 60s, check: database, error: closed }]');
  await node.ticks(roundsToSettle);
  const before = await fileOf(await (await fetch(`${node.url}/ext/health`)).text());
  node.advance(61);
  await node.ticks(1);
  const { stdout, code } = await typed(['diff', before, node.url, '--timeout', '50s']);
  expect(stdout).toMatch(/^failed {6}database {2}database: closed$/m);
  expect(code).toBe(1);
});

describe('snowgauge diff without a usable report', () => {
  test('exits with 3 for an unreachable node and names its URL', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    expect(await typed(['diff', url, await fileOf(captured('healthy'))])).toEqual({
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^snowgauge diff: ${url}: connection refused`)),
      code: 3,
    });
  });

  test.each([
    { args: ['-', '-'], says: /stdin can be read only once/ },
    { args: ['/nowhere/a', '/nowhere/b'], says: /\/nowhere\/a: cannot be read: there is no such file\n.*\/nowhere\/b/ },
    { args: ['/a', '/b', '--tag', 'x'], says: /--tag: requires a node/ },
    { args: ['localhost:9650', '/b'], says: /localhost:9650: .* no such file; of a node, write http:\/\/localhost:9650\n/ },
    { args: ['ftp://h', '/b'], says: /URL: must begin with http:\/\/ or https:\/\// },
    { args: ['http://h/ext', 'ftp://h'], says: /URL 1: contains \/ext.*\n.*URL 2: must begin with http/ },
    { args: ['/a'], says: /missing required argument 'b'/ },
  ])('exits with 2 for invalid arguments: $args', async ({ args, says }) => {
    const { stderr, code } = await typed(['diff', ...args]);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
