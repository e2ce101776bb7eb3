// Every error text that a real node was seen to send, or has in its source, and the reason it is mapped to.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/protocol/health.ts';
import { reasonFacts } from '../../src/protocol/reason-facts.ts';
import { type Reason, reasonOf, reasons } from '../../src/protocol/reasons.ts';
import { capturedReports } from '../support/captures.ts';
import { parseHealthReport } from '../support/reports.ts';

const failed = (error: string, given: Partial<CheckResult> = {}): CheckResult => ({
  error,
  contiguousFailures: 1,
  timestamp: 1_795_176_000,
  ...given,
});

const network = (...said: readonly string[]): string => `network layer is unhealthy reason: ${said.join(', ')}`;

const dead =
  'health check failed: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:41363: connect: connection refused"';
const stake = 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%';
const slow = 'block processing too long: 45s > 30s';
const many = 'too many processing blocks: 300 > 256';
const noPeers = 'not connected to a minimum of 1 peer(s) only 0';

const table: readonly (readonly [check: string, error: string, reason: Reason])[] = [
  ['P', 'not yet run', 'not-yet-run'],
  ['shuttingDown', 'server shutting down', 'shutting-down'],
  ['database', 'closed', 'database'],
  ['database', 'leveldb/table: corruption on data-block (pos=1)', 'database'],
  ['database', '', 'database'],
  [
    'diskspace',
    'remaining available disk space percentage (25%) is below warning threshold available space percentage (50%)',
    'disk',
  ],
  [
    'diskspace',
    'remaining available disk space percentage (2%) is below minimum required available space percentage (3%)',
    'disk',
  ],
  ['diskspace', 'no such file or directory', 'disk'],
  [
    'broken',
    'failed to create chain on subnet YrZn24TitFxt9rvXfALyfLa4Cif8We18NcPxeM5g2FKGoCFFC: error while getting vmFactory: "srEX" was not found',
    'chain-not-created',
  ],
  ['my-l1', dead, 'vm-dead'],
  ['my-l1', 'health check failed: rpc error: code = Unknown desc = database closed', 'vm-unhealthy'],
  ['my-l1', 'health check failed: not connected to enough stake', 'vm-unhealthy'],
  ['my-l1', 'missing engine Initializing state running ENGINE_TYPE_CHAIN', 'chain-starting'],
  ['bls', 'node has BLS key 0x8f, but is registered to the validator set with 0x91', 'bls-key'],
  ['validation', 'partial sync should not be configured for a validator', 'partial-sync'],
  ['futureupgrade', 'unknown network upgrade detected', 'upgrade'],
  ['futureupgrade', 'unknown network upgrade detected - update as soon as possible', 'upgrade'],
  ['futureupgrade', 'imminent network upgrade detected - update immediately', 'upgrade'],
  ['futureupgrade', 'no validators in the current validator set', 'no-validators'],
  ['bootstrapped', 'subnets not bootstrapped', 'bootstrapping'],
  ['network', network(noPeers), 'peers'],
  ['network', network('no messages received from network'), 'silence'],
  ['network', network('no messages from network received in 1m5s > 1m0s'), 'silence'],
  ['network', network('no messages sent to network'), 'silence'],
  ['network', network('no messages from network sent in 1m5s > 1m0s'), 'silence'],
  ['network', network('messages failure send rate 0.95 > 0.9'), 'send-failures'],
  ['network', network('primary network validator has no inbound connections'), 'no-inbound'],
  ['router', 'the router is not healthy reason: number of outstanding requests 2000 > 1024', 'router'],
  ['router', 'the router is not healthy reason: time for outstanding requests 6m0s > 5m0s', 'router'],
  ['C', slow, 'block-processing'],
  ['C', many, 'block-processing'],
  ['C', stake, 'stake-disconnected'],
  ['C', 'drill', 'other'],
  ['C', '', 'other'],
  ['network', network('something that no version says today'), 'other'],
  ['closed', 'closed', 'other'],
];

describe('a check with one error', () => {
  test.each(table)('%s: %s: %s', (check, error, reason) => {
    expect(reasonOf(check, failed(error))).toBe(reason);
  });

  test('that passes has no reason', () => {
    expect(reasonOf('database', { contiguousFailures: 0 })).toBeUndefined();
  });

  test('that never ran has the reason not-yet-run, whatever its error', () => {
    expect(reasonOf('diskspace', failed('', { timestamp: 'never' }))).toBe('not-yet-run');
  });

  test('that never ran has the reason shutting-down if it exists only during a shutdown', () => {
    expect(reasonOf('shuttingDown', failed('not yet run', { timestamp: 'never' }))).toBe('shutting-down');
  });
});

const joins: readonly (readonly [title: string, check: string, error: string, reason: Reason])[] = [
  ['too slow, and too many blocks', 'C', `${slow}\n${many}`, 'block-processing'],
  ['too slow, without enough stake', 'C', `engine: ${slow}; networking: ${stake}`, 'block-processing'],
  [
    'a dead VM, too slow, without stake',
    'my-l1',
    `engine: vm: ${dead} ; consensus: ${many}\n${slow}; networking: ${stake}`,
    'vm-dead',
  ],
  ['a dead VM, without stake', 'my-l1', `engine: ${dead}; networking: ${stake}`, 'vm-dead'],
  ["a VM's own text of two lines, too slow", 'my-l1', `vm: health check failed: a\nb ; consensus: ${slow}`, 'vm-unhealthy'],
  ['an unknown engine error, without stake', 'C', `engine: the moon is full; networking: ${stake}`, 'other'],
  ['without stake, and an unknown line', 'C', `${stake}\nand more`, 'other'],
  ['without stake, and an empty line', 'C', `${stake}\n`, 'stake-disconnected'],
  [
    'no peers, and so silence',
    'network',
    network(noPeers, 'no messages received from network', 'no messages sent to network'),
    'peers',
  ],
  [
    'silence, and failures to send',
    'network',
    network('no messages from network received in 2m0s > 1m0s', 'messages failure send rate 0.95 > 0.9'),
    'silence',
  ],
  [
    'all router errors',
    'router',
    'the router is not healthy reason: number of outstanding requests 2000 > 1024, time for outstanding requests 6m0s > 5m0s',
    'router',
  ],
];

describe('a check with several errors', () => {
  test.each(joins)('%s', (_title, check, error, reason) => {
    expect(reasonOf(check, failed(error))).toBe(reason);
  });

  test('has the same reason in any order of its errors, and it is one of theirs', () => {
    const lines = table.filter(([check, error]) => check !== 'network' && error !== '');
    fc.assert(
      fc.property(fc.shuffledSubarray([...lines], { minLength: 1 }), (some) => {
        const alone = some.map(([, error]) => reasonOf('my-l1', failed(error)));
        const whole = reasonOf('my-l1', failed(some.map(([, error]) => error).join('\n')));
        expect(alone).toContain(whole);
        expect(
          reasonOf(
            'my-l1',
            failed(
              [...some]
                .reverse()
                .map(([, error]) => error)
                .join('\n'),
            ),
          ),
        ).toBe(whole);
      }),
    );
  });
});

describe('any error text', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...table.map(([, error]) => error), 'engine: ', 'vm: ', '; networking: ', ' ; consensus: ', '\n', ', '),
  );

  test('has a reason of the list, and throws nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(pieces, { maxLength: 12 }), (check, texts) => {
        expect(reasons).toContain(reasonOf(check, failed(texts.join(''))));
      }),
      { numRuns: 300 },
    );
  });
});

test('every failing check of the captures has a known reason', () => {
  const seen = capturedReports().flatMap(({ report }) =>
    Array.from(parseHealthReport(report).checks, ([check, result]) => reasonOf(check, result)),
  );
  const found = new Set(seen.filter((reason) => reason !== undefined));
  expect(found).toEqual(new Set(['not-yet-run', 'bootstrapping', 'disk', 'chain-not-created']));
});

describe('the facts of a reason', () => {
  test.each(reasons)('%s: sentences that fit a line', (reason) => {
    const { meaning, remedy } = reasonFacts[reason];
    expect(meaning).toMatch(/^[A-Z][^\n]{10,110}\.$/);
    expect(remedy).toMatch(/^[A-Z][^\n]{10,150}\.$/);
  });

  test('every reason has an error text in the table', () => {
    expect(new Set(table.map(([, , reason]) => reason))).toEqual(new Set(reasons));
  });
});

describe('docs/reasons.md', () => {
  const sections = new Map(
    readFileSync(new URL('../../docs/reasons.md', import.meta.url), 'utf8')
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );

  test('has every reason, in the order of the list', () => {
    expect([...sections.keys()]).toEqual([...reasons]);
  });

  test.each(reasons)('%s: has the texts of the table of facts, and quotes error texts with that reason', (reason) => {
    const section = sections.get(reason) ?? '';
    expect(section).toContain(`\n${reasonFacts[reason].meaning}\n`);
    expect(section).toContain(`What to do: ${reasonFacts[reason].remedy}\n`);
    for (const [, text = ''] of section.matchAll(/^ {4}(.+)$/gm)) expect(reasonOf('my-l1', failed(text))).toBe(reason);
  });
});
