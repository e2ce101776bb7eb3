// The summary of npm test shows everything that failed or did not run.

import { describe, expect, test } from 'vitest';
import { failureLines, isFailure, lastLine, type Report, skipLines, slowest, sum, tallyOf } from '../../scripts/tally.mjs';

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

  test('without any test run is a failure', () => {
    expect(isFailure(tallyOf(report([]), 0, false))).toBe(true);
    expect(isFailure(tallyOf(report([one('skipped')]), 0, false))).toBe(true);
  });
});

describe('a skip', () => {
  test.each([
    { skip: 'is allowed', status: 'skipped', name: 'suite test', all: false, failed: 0 },
    { skip: 'fails if all tests must run', status: 'skipped', name: 'suite test', all: true, failed: 1 },
    { skip: 'of a todo fails if all tests must run', status: 'todo', name: 'suite test', all: true, failed: 1 },
    {
      skip: 'is allowed if its name says that the kernel refuses',
      status: 'skipped',
      name: 'a kernel refuses this',
      all: true,
      failed: 0,
    },
  ])('$skip', ({ status, name, all, failed }) => {
    expect(tallyOf(report([one('passed'), one(status, name)]), 0, all).failed).toBe(failed);
  });

  test('is listed once per suite, with the number of tests', () => {
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

describe('the summary lists each failure with the first line of its error', () => {
  const broken = { ...one('failed'), failureMessages: ['Error: expected 1\n    at somewhere'] };
  test.each([
    {
      row: 'a test',
      given: report([broken], 'failed'),
      code: 1,
      line: 'FAILED test/a.test.ts > suite > test: Error: expected 1',
    },
    {
      row: 'a test that never ended',
      given: report([one('pending')]),
      code: 1,
      line: 'FAILED test/a.test.ts > suite > test: pending',
    },
    { row: 'a file that does not load', given: report([], 'failed'), code: 1, line: 'FAILED test/a.test.ts: did not load' },
    {
      row: 'a skip where all must run',
      given: report([one('skipped')]),
      code: 0,
      line: 'FAILED test/a.test.ts > suite > test: skipped, and every test must run',
    },
    { row: 'vitest itself', given: undefined, code: 137, line: 'FAILED vitest itself: exit code 137, its own words are above' },
  ])('$row', ({ given, code, line }) => {
    expect(failureLines(tallyOf(given, code, true))).toEqual([line]);
  });

  test('at most forty, and the number of further ones', () => {
    const lines = failureLines(
      tallyOf(
        report(
          Array.from({ length: 42 }, () => broken),
          'failed',
        ),
        1,
        true,
      ),
    );
    expect([lines.length, lines[40]]).toEqual([41, 'FAILED and 2 more, above']);
  });
});

test('lists the slowest files first', () => {
  const file = (name: string, endTime: number) => ({ name, status: 'passed', startTime: 1000, endTime, assertionResults: [] });
  const given = {
    testResults: [file('/x/test/a.test.ts', 2000), file('/x/test/b.test.ts', 13_300), file('/x/test/c.test.ts', 1500)],
  };
  expect(slowest(given, 2)).toEqual(['   12.3 s  test/b.test.ts', '    1.0 s  test/a.test.ts']);
});
