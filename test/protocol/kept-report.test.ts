import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { concerns } from '../../src/conditions/failing.ts';
import { fieldOf } from '../../src/metrics/message.ts';
import { type CheckResult, type HealthReport, healthReport } from '../../src/protocol/health.ts';
import { reportOutline, wholeReport } from '../../src/protocol/kept-report.ts';
import { report as mainnetReport } from '../support/mainnet-node.ts';
import { failing, passing, report } from '../support/snapshot.ts';

/** UTF-16 units of all errors and messages. */
const textsOf = ({ checks }: HealthReport): number =>
  Array.from(checks.values()).reduce(
    (sum, { error = '', message }) => sum + error.length + JSON.stringify(message ?? '').length,
    0,
  );

const checksOf = (count: number, check: CheckResult): HealthReport =>
  report(Object.fromEntries(Array.from({ length: count }, (_, at) => [`check-${at}`, check])));

const subnets = ['11111111111111111111111111111111LpoYY', '2LMWxqc4bKQyTdJPsmcBQjWzSFxhEsm7GQHqf8RZFMXRNUqKmr'];

test('a report of the whole node is kept unchanged up to more than a mainnet node sends', () => {
  const message = {
    engine: { consensus: { processingBlocks: 2 } },
    networking: { disconnectedValidators: Array(50).fill('NodeID-7Xhw2') },
  };
  const whole = checksOf(100, { ...passing(), message });
  expect(wholeReport(whole)).toBe(whole);
});

test.each([
  ['errors', failing('e'.repeat(4096))],
  ['texts', { ...passing(), message: { note: 'Ж'.repeat(4096) } }],
  ['texts in lists', { ...passing(), message: [['Ж'.repeat(2048)], 'Ж'.repeat(2048)] }],
  [
    'member names',
    { ...passing(), message: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}${'n'.repeat(100)}`, 1])) },
  ],
])('too many %s are truncated, and all checks are kept', (_, check) => {
  const kept = wholeReport(checksOf(400, check));
  expect(kept.checks.size).toBe(400);
  expect(kept.healthy).toBe(check.error === undefined);
  expect(textsOf(kept)).toBeLessThan(131_072 + 4096 + 400 * 300);
  const [first, last] = [[...kept.checks.values()][0], [...kept.checks.values()][399]];
  expect(first).toEqual(check);
  // The page shows that it was truncated.
  expect(last?.messageCut).toBe(check.message === undefined ? undefined : true);
  expect(last?.error === undefined).toBe(check.error === undefined);
});

test('a chain without any connected mainnet validator keeps their number and its other fields', () => {
  const { checks } = wholeReport(z.parse(healthReport, mainnetReport(1300)));
  for (const chain of ['P', 'X', 'C']) {
    const { message, messageCut } = checks.get(chain) ?? {};
    expect(fieldOf(message, 'networking.disconnectedValidators')).toHaveLength(1300);
    expect(fieldOf(message, 'networking.percentConnected')).toBe(1);
    expect(messageCut).toBeUndefined();
  }
});

test('a tag set report keeps only the bootstrapping subnets of its messages, and truncates hundreds of errors', () => {
  const checks = {
    P: { ...failing('x'.repeat(4096)), message: { engine: {} } },
    bootstrapped: { ...failing('no'), message: subnets },
  };
  const kept = reportOutline(report(checks));
  expect(kept.checks.get('P')).toEqual(failing('x'.repeat(4096)));
  expect(kept.checks.get('bootstrapped')).toEqual({ ...failing('no'), message: subnets });
  expect(textsOf(reportOutline(checksOf(400, failing('e'.repeat(4096)))))).toBeLessThan(16_384 + 4096 + 400 * 300);
  const keptOf = (message: unknown): unknown =>
    reportOutline(report({ bootstrapped: { ...failing('no'), message } })).checks.get('bootstrapped')?.message;
  expect(keptOf([...Array(998).fill('subnet'), 'x'.repeat(5000), 7])).toEqual(Array(998).fill('subnet'));
});

test('a list of bootstrapping subnets that is too long is dropped, and then applies to every tag set', () => {
  const message = [...Array(1000).fill('subnet'), 'own'];
  const kept = reportOutline(report({ bootstrapped: { ...failing('no'), message } })).checks.get('bootstrapped');
  expect(concerns({ tags: ['own'] }, 'bootstrapped', kept ?? {})).toBe(true);
  expect(kept?.message).toBeUndefined();
});
