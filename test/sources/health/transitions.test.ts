// Polls become records of what happened, and counters that must agree with them.

import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../src/events/record.ts';
import { maxCountedChecks } from '../../../src/sources/health/transitions.ts';
import { fails, notYetRun, ok, type Round, refused, timedOut, watchedOver } from '../../support/rounds.ts';
import { noon, report } from '../../support/snapshot.ts';

const db = (result: ReturnType<typeof ok>) => ({ all: report({ database: result }) });

/** What distinguishes one record from the next. */
const brief = ({ kind, check, from, to, unseen }: Draft): string =>
  [kind, check, from, to, unseen === true ? 'unseen' : undefined].filter((part) => part !== undefined).join(' ');

const rows: readonly { readonly situation: string; readonly rounds: readonly Round[]; readonly records: readonly string[] }[] = [
  {
    situation: 'a check that passes all the time leaves no record',
    rounds: [
      { at: 0, health: db(ok()) },
      { at: 30, health: db(ok(30)) },
    ],
    records: [],
  },
  {
    situation: 'a check that begins to fail, and passes again',
    rounds: [
      { at: 0, health: db(ok()) },
      { at: 30, health: db(fails(30)) },
      { at: 60, health: db(fails(30, 2)) },
      { at: 90, health: db(ok(90)) },
    ],
    records: ['check database passing failing', 'check database failing passing'],
  },
  {
    situation: 'a check that was failing when it was first seen',
    rounds: [
      { at: 0, health: db(fails(-60, 3)) },
      { at: 30, health: db(fails(-60, 4)) },
    ],
    records: ['found-failing database failing'],
  },
  {
    situation: 'a check that had not run, and fails in its first run',
    rounds: [
      { at: 0, health: db(notYetRun) },
      { at: 30, health: db(fails(30)) },
      { at: 60, health: db(fails(30, 2)) },
    ],
    records: ['found-failing database failing', 'found-failing database failing'],
  },
  {
    situation: 'an error that is empty is a failure',
    rounds: [
      { at: 0, health: db(ok()) },
      { at: 30, health: db(fails(30, 1, '')) },
    ],
    records: ['check database passing failing'],
  },
  {
    situation: 'a recovery that no report showed is proven by another timeOfFirstFailure',
    rounds: [
      { at: 0, health: db(fails(-60, 3)) },
      { at: 30, health: db(fails(20)) },
    ],
    records: ['found-failing database failing', 'check database failing passing unseen', 'check database passing failing'],
  },
  {
    situation: 'another timeOfFirstFailure after a poll that failed proves nothing',
    rounds: [
      { at: 0, health: db(fails(-60)) },
      { at: 30, health: { all: timedOut } },
      { at: 60, health: db(fails(50)) },
    ],
    records: ['found-failing database failing'],
  },
  {
    situation: 'a port that was closed in between is a restart, and another timeOfFirstFailure then proves no recovery',
    rounds: [
      { at: 0, health: db(fails(-60)) },
      { at: 30, health: { all: refused } },
      { at: 60, health: db(fails(50)) },
    ],
    records: ['found-failing database failing', 'node-restarted'],
  },
  {
    situation: 'refused, then timed out, then answered is one restart',
    rounds: [
      { at: 0, health: db(ok()) },
      { at: 30, health: { all: refused }, readiness: refused },
      { at: 60, health: { all: timedOut }, readiness: timedOut },
      { at: 90, health: db(ok(80)), readiness: report({ bootstrapped: notYetRun }) },
      { at: 120, health: db(ok(110)), readiness: report({ bootstrapped: fails(110) }) },
      { at: 150, health: db(ok(140)) },
    ],
    records: ['node-restarted'],
  },
  {
    situation: 'readiness that passed and starts over is a restart, even if every poll was answered',
    rounds: [
      { at: 0, health: db(fails(-60)) },
      { at: 30, health: db(fails(25)), readiness: report({ bootstrapped: notYetRun }) },
      { at: 60, health: db(fails(25, 2)), readiness: report({ bootstrapped: fails(55) }) },
      { at: 90, health: db(fails(25, 3)) },
    ],
    records: ['found-failing database failing', 'node-restarted'],
  },
  {
    situation: 'readiness that fails since another time is a restart, because a process never forgets that time',
    rounds: [
      { at: 0, health: db(ok()), readiness: report({ bootstrapped: fails(-60) }) },
      { at: 30, health: db(ok()), readiness: report({ bootstrapped: fails(20) }) },
    ],
    records: ['node-restarted'],
  },
  {
    situation: 'readiness that had not run, then fails, then passes is one process',
    rounds: [
      { at: 0, health: db(ok()), readiness: report({ bootstrapped: notYetRun }) },
      { at: 30, health: db(ok()), readiness: report({ bootstrapped: fails(30) }) },
      { at: 60, health: db(ok()) },
    ],
    records: [],
  },
  {
    situation: 'readiness of several checks, one of which passed in between, is one process',
    rounds: [
      { at: 0, health: db(ok()), readiness: report({ a: fails(-60), b: fails(-60) }) },
      { at: 30, health: db(ok()), readiness: report({ a: fails(20), b: fails(-60) }) },
    ],
    records: [],
  },
  {
    situation: 'a node that was refused before it ever answered has not been restarted',
    rounds: [
      { at: 0, health: { all: refused }, readiness: refused },
      { at: 30, health: db(ok()) },
    ],
    records: [],
  },
  {
    situation: 'a check that disappears and comes back failing',
    rounds: [
      { at: 0, health: { all: report({ P: ok(), C: ok() }) } },
      { at: 30, health: { all: report({ P: ok() }) } },
      { at: 60, health: { all: report({ P: ok() }) } },
      { at: 90, health: { all: report({ P: ok(), C: fails(80) }) } },
    ],
    records: ['check-gone C passing', 'check-back C failing', 'check C passing failing'],
  },
  {
    situation: 'checks named like object members are handled like any other',
    rounds: [
      { at: 0, health: { all: report({ constructor: ok() }) } },
      { at: 30, health: { all: report({ constructor: fails(30) }) } },
    ],
    records: ['check constructor passing failing'],
  },
];

const counted = (records: readonly Draft[], check: string, to: string): number =>
  records.filter((one) => one.kind === 'check' && one.check === check && one.to === to).length;

describe('what happened between two polls', () => {
  test.each(rows)('$situation', ({ rounds, records }) => {
    const watched = watchedOver(rounds);
    const found = watched.records.flat();
    expect(found.map(brief)).toEqual(records);
    for (const [check, counts] of watched.target.sources.health.transitions) {
      expect(counts.passing).toBe(counted(found, check, 'passing'));
      expect(counts.failing).toBe(counted(found, check, 'failing'));
    }
    expect(watched.target.restarts.count).toBe(found.filter(({ kind }) => kind === 'node-restarted').length);
  });
});

describe('a record', () => {
  test('of a failure has the result, the first failure and the other failing checks', () => {
    const { records } = watchedOver([
      { at: 0, health: { all: report({ database: ok(), P: fails(-9), network: ok() }) } },
      { at: 30, health: { all: report({ database: fails(30, 1, 'closed'), P: fails(-9, 2), network: ok() }) } },
    ]);
    expect(records[1]).toEqual([
      {
        kind: 'check',
        at: noon + 30,
        target: 'node',
        tagSets: ['all'],
        check: 'database',
        from: 'passing',
        to: 'failing',
        error: 'closed',
        reason: 'database',
        contiguousFailures: 1,
        firstFailureAt: noon + 30,
        lastRunAt: noon + 30,
        durationSeconds: 0.25,
        alsoFailing: ['P'],
        alsoFailingCount: 1,
      },
    ]);
  });

  test('of a recovery has the failure as it was last seen', () => {
    const { records } = watchedOver([
      { at: 0, health: db(fails(-60, 3)) },
      { at: 30, health: db(ok(29)) },
    ]);
    expect(records[1]).toMatchObject([
      { from: 'failing', to: 'passing', error: 'closed', contiguousFailures: 3, firstFailureAt: noon - 60, lastRunAt: noon + 29 },
    ]);
  });

  test('of one check result in several tag sets is written once and lists them', () => {
    const { records } = watchedOver([
      { at: 0, health: { all: report({ database: ok(), P: ok(), L: ok() }), primary: report({ database: ok(), P: ok() }) } },
      {
        at: 30,
        health: {
          all: report({ database: fails(30), P: fails(30), L: fails(30) }),
          primary: report({ database: fails(30), P: fails(30) }),
        },
      },
    ]);
    expect(records[1]?.map(({ check, tagSets }) => ({ check, tagSets }))).toEqual([
      { check: 'database', tagSets: ['all', 'primary'] },
      { check: 'P', tagSets: ['all', 'primary'] },
      { check: 'L', tagSets: ['all'] },
    ]);
  });

  test('has the number of health check runs missed just before it', () => {
    const node = (at: number, result = ok(at)): Round => ({ at: at + 0.1, health: db(result) });
    // Two polls within one run show the check interval first.
    const learning = [node(0), { ...node(0), at: 20 }, node(30), { ...node(30), at: 50 }, node(60)];
    const { records, target } = watchedOver([...learning, node(180, fails(180))]);
    expect(target.interval.inferred).toBeCloseTo(30, 1);
    expect(target.missedRuns).toBe(3);
    expect(records.at(-1)).toMatchObject([{ check: 'database', to: 'failing', missedRuns: 3 }]);
  });

  test('is limited in every part, whatever the node sends', () => {
    const others = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}${'n'.repeat(500)}`, fails(-9)]));
    const long = `${'x'.repeat(100_000)}\u0000\ud800`;
    const { records } = watchedOver([
      { at: 0, health: { all: report({ ...others, [long]: ok() }) } },
      { at: 30, health: { all: report({ ...others, [long]: fails(30, 1, long) }) } },
    ]);
    expect(records[1]).toHaveLength(1);
    expect(records[1]?.[0]).toMatchObject({ alsoFailingCount: 500 });
    expect(records[1]?.[0]?.alsoFailing).toHaveLength(20);
    expect(JSON.stringify(records[1]).length).toBeLessThan(5000);
    expect(records[1]?.[0]?.error).toMatch(/^x+…x+\uFFFD\uFFFD$/);
  });

  test('is written for at most 200 checks per poll', () => {
    const checks = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`check-${at}`, fails(-9)]));
    const { records } = watchedOver([
      { at: 0, health: { all: report(checks) } },
      { at: 30, health: { all: report({}) } },
    ]);
    expect(records.map((round) => round.length)).toEqual([200, 200]);
  });
});

test('after endless new check names the checks of the node are still counted', () => {
  const foreign = (round: number) =>
    report(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`foreign-${round}-${at}`, ok(round)])));
  const rounds: Round[] = Array.from({ length: 10 }, (_, at) => ({ at: at + 1, health: { all: foreign(at) } }));
  const { target } = watchedOver([
    { at: 0, health: { all: report({ P: ok(0), always: ok(0) }) } },
    ...rounds,
    { at: 20, health: { all: report({ P: ok(20) }) } },
    { at: 50, health: { all: report({ P: fails(50) }) } },
  ]);
  const { transitions } = target.sources.health;
  expect(transitions.size).toBe(maxCountedChecks);
  expect(transitions.get('P')).toEqual({ passing: 0, failing: 1, last: 'failing' });
});
