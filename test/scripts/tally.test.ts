// How npm test sums up: nothing that failed, and nothing that did not run, goes unseen.

import { describe, expect, test } from 'vitest';
import { isFailure, lastLine, type Report, skipLines, sum, tallyOf } from '../../scripts/tally.mjs';

const one = (status: string, fullName = 'suite test') => ({ status, fullName, title: 'test', ancestorTitles: ['suite'] });

const report = (assertionResults: ReturnType<typeof one>[], status = 'passed'): Report => ({
  testResults: [{ name: '/somewhere/test/a.test.ts', status, assertionResults }],
});

describe('a run of vitest', () => {
  test.each([
    { run: 'with every test passed', report: report([one('passed'), one('passed')]), code: 0, line: '2 passed, 0 failed' },
    {
      run: 'with one test failed',
      report: report([one('passed'), one('failed')], 'failed'),
      code: 1,
      line: '1 passed, 1 failed',
    },
    { run: 'with a file that does not load', report: report([], 'failed'), code: 1, line: '0 passed, 1 failed' },
    { run: 'whose set-up failed', report: report([one('skipped')], 'failed'), code: 1, line: '0 passed, 1 failed' },
    { run: 'with an unhandled error', report: report([one('passed')]), code: 1, line: '1 passed, 1 failed' },
    { run: 'with a test that never ended', report: report([one('passed'), one('pending')]), code: 1, line: '1 passed, 1 failed' },
    { run: 'that crashed before its report', report: undefined, code: 137, line: '0 passed, 1 failed' },
    { run: 'with a skip', report: report([one('passed'), one('skipped')]), code: 0, line: '1 passed, 0 failed' },
  ])('$run counts as $line', ({ report: given, code, line }) => {
    const tally = tallyOf(given, code, false);
    expect(lastLine(tally)).toBe(line);
    expect(isFailure(tally)).toBe(!line.endsWith(' 0 failed'));
  });

  test('that ran nothing is a failure', () => {
    expect(isFailure(tallyOf(report([]), 0, false))).toBe(true);
    expect(isFailure(tallyOf(report([one('skipped')]), 0, false))).toBe(true);
  });
});

describe('a skip', () => {
  test.each([
    { skip: 'is let through', status: 'skipped', name: 'suite test', all: false, failed: 0 },
    { skip: 'fails where all must run', status: 'skipped', name: 'suite test', all: true, failed: 1 },
    { skip: 'of something still to do fails where all must run', status: 'todo', name: 'suite test', all: true, failed: 1 },
    { skip: 'is let through where the kernel refuses', status: 'skipped', name: 'a kernel refuses this', all: true, failed: 0 },
  ])('$skip', ({ status, name, all, failed }) => {
    expect(tallyOf(report([one('passed'), one(status, name)]), 0, all).failed).toBe(failed);
  });

  test('is named by its suite, once for all of its tests', () => {
    expect(skipLines(tallyOf(report([one('skipped'), one('skipped')]), 0, false))).toEqual([
      'SKIPPED test/a.test.ts > suite (2)',
    ]);
  });
});

test('runs on several Nodes are summed', () => {
  const total = sum([
    tallyOf(report([one('passed')]), 0, false),
    tallyOf(report([one('passed'), one('failed')], 'failed'), 1, false),
  ]);
  expect(lastLine(total)).toBe('2 passed, 1 failed');
});
