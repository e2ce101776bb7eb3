// The health that the node reports, as far as it can be trusted; and no report of a process that no longer runs.

import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/client/outcome.ts';
import type { Conditions } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { conditionsAt } from '../../src/conditions/true-until.ts';
import type { HealthReport } from '../../src/protocol/health.ts';
import type { Observed } from '../../src/snapshot/observed.ts';
import type { NodeProcess } from '../../src/snapshot/process.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { failing, fresh, type Known, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const well = report({ P: passing(), C: passing() });
const stake = 'not connected to enough stake: connected to 60.000000%; required at least 80.000000%';
const lowStake = report({ P: passing(), C: failing(stake) });
const subnet = 'subnet-a';
const tagSets = [
  { name: 'all', tags: [] },
  { name: 'mine', tags: [subnet] },
];
const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };
const timeout: Failure = { kind: 'timeout', afterMs: 5000 };

const stateOf = (health: Observed<HealthReport>, known: Known = {}): TargetState => {
  const lastPoll = { at: noon, answered: true, failures: [] };
  const adds = new Map([[subnet, true]]);
  const tags = { adds, toAsk: 0, open: [] };
  return targetKnowing(targetOptions({ tagSets }), { health: { all: health, mine: health }, tags, lastPoll, ...known });
};

const said = ({ healthy, ready }: Conditions, tagSet = 'all') => {
  const [h, r] = [healthy.get(tagSet), ready.get(tagSet)];
  return [`${h?.status} ${h?.reason}`, `${r?.status} ${r?.reason}`];
};

const at = (value: HealthReport): Observed<HealthReport> => fresh(value, noon);
const frozen: Known = { progress: { basis: 'advance', since: noon - 7200, quietPolls: 240 } };

describe('Healthy and Ready', () => {
  test.each([
    { of: 'checks that pass', state: stateOf(at(well)), expected: ['True ChecksPassing', 'True ChecksPassing'] },
    { of: 'no checks', state: stateOf(at(report({}))), expected: ['Unknown NoChecks', 'Unknown NoChecks'] },
    {
      of: 'too little connected stake: the node is unhealthy but stays in service',
      state: stateOf(at(lowStake)),
      expected: ['False ChecksFailing', 'True FailuresIgnored'],
    },
    {
      of: 'an unhealthy report without failing checks',
      state: stateOf(at({ checks: new Map(), healthy: false })),
      expected: ['False NodeUnhealthy', 'False NodeUnhealthy'],
    },
    {
      of: 'a healthy report with a failing check',
      state: stateOf(at({ ...report({ database: failing('closed') }), healthy: true })),
      expected: ['False ChecksFailing', 'False ChecksFailing'],
    },
    {
      of: 'frozen checks that pass',
      state: stateOf(at(well), frozen),
      expected: ['Unknown HealthFrozen', 'Unknown HealthFrozen'],
    },
    {
      of: 'frozen checks with a failing one, which is believed',
      state: stateOf(at(report({ database: failing('closed') })), frozen),
      expected: ['False ChecksFailing', 'False ChecksFailing'],
    },
    {
      of: 'a failed request after a report that is still current',
      state: stateOf({ state: 'stale', value: well, at: noon - 60, failure: timeout, failedAt: noon }),
      expected: ['True ChecksPassing', 'False NoResponse'],
    },
    {
      of: 'a failed request after a report that is three intervals old',
      state: stateOf({ state: 'stale', value: well, at: noon - 91, failure: timeout, failedAt: noon }),
      expected: ['Unknown NoResponse', 'False NoResponse'],
    },
    {
      of: 'a failed request after frozen checks that passed',
      state: stateOf({ state: 'stale', value: well, at: noon - 60, failure: timeout, failedAt: noon }, frozen),
      expected: ['Unknown HealthFrozen', 'False NoResponse'],
    },
    {
      of: 'a request that the node forbids',
      state: stateOf({ state: 'failed', failure: { kind: 'host-forbidden' }, failedAt: noon }),
      expected: ['Unknown RequestFailed', 'Unknown RequestFailed'],
    },
    { of: 'nothing polled yet', state: targetKnowing(targetOptions()), expected: ['Unknown NotPolled', 'Unknown NotPolled'] },
  ])('for $of', ({ state, expected }) => {
    expect(said(judge(undefined, state, noon))).toEqual(expected);
  });

  test.each([
    { tag: 'that adds no check', adds: new Map([[subnet, false]]), reason: 'UnknownTag' },
    { tag: 'that is not verified yet', adds: new Map<string, boolean>(), reason: 'TagNotVerified' },
  ])('a tag $tag is Unknown if all checks pass, and False if one fails', ({ adds, reason }) => {
    const tags = { adds, toAsk: 2, open: [] };
    expect(said(judge(undefined, stateOf(at(well), { tags }), noon), 'mine')).toEqual([`Unknown ${reason}`, `Unknown ${reason}`]);
    const broken = stateOf(at(report({ database: failing('closed') })), { tags });
    expect(said(judge(undefined, broken, noon), 'mine')).toEqual(['False ChecksFailing', 'False ChecksFailing']);
  });

  test.each([
    { doubt: 'frozen checks', known: frozen, status: 'Unknown HealthFrozen' },
    {
      doubt: 'an unknown tag',
      known: { tags: { adds: new Map([[subnet, false]]), toAsk: 0, open: [] } },
      status: 'Unknown UnknownTag',
    },
    {
      doubt: 'a readiness that fails',
      known: { readiness: at(report({ bootstrapped: failing('x') })) },
      status: 'False NotInitialized',
    },
  ])('a failed poll after $doubt does not make Ready True, and failAfter of them make it False', ({ known, status }) => {
    const ready = judge(undefined, stateOf(at(well)), noon);
    const doubted = judge(ready, stateOf(at(well), known), noon + 30);
    const failed = (before: Conditions, after: number): Conditions => {
      const stale = { state: 'stale', value: well, at: noon + 30, failure: timeout, failedAt: noon + after } as const;
      const readiness =
        known.readiness === undefined
          ? undefined
          : { readiness: { ...stale, ...known.readiness, state: 'stale' as const, at: stale.at } };
      return judge(before, stateOf(stale, { ...known, ...readiness }), noon + after);
    };
    const once = failed(doubted, 60);
    expect([ready, doubted, once, failed(once, 90)].map((one) => said(one, 'mine')[1])).toEqual([
      'True ChecksPassing',
      status,
      status,
      'False NoResponse',
    ]);
  });

  test('a readiness from before the last report does not make Ready False when a poll fails', () => {
    const known = report({ bootstrapped: failing('x') });
    const readiness = (after: number) =>
      ({ state: 'stale', value: known, at: noon - 60, failure: timeout, failedAt: noon + after }) as const;
    const reported = judge(undefined, stateOf(at(well), { readiness: readiness(0) }), noon);
    const stale = { state: 'stale', value: well, at: noon, failure: timeout, failedAt: noon + 30 } as const;
    const failed = judge(reported, stateOf(stale, { readiness: readiness(30) }), noon + 30);
    expect([reported, failed].map((one) => said(one)[1])).toEqual(['True ChecksPassing', 'True WithinThreshold']);
  });

  test.each([
    { when: 'the exporter was stopped for minutes', at: [300, 330], is: ['Unknown ReportStale', 'False NoResponse'] },
    { when: 'the exporter was stopped for 3.5 intervals', at: [105, 135], is: ['Unknown ReportStale', 'False NoResponse'] },
    { when: 'the exporter polled all the time', at: [30, 60], is: ['True WithinThreshold', 'False NoResponse'] },
    {
      when: 'the node was frozen between the last report and the failed poll',
      at: [25, 55],
      since: noon - 890,
      is: ['Unknown HealthFrozen', 'False NoResponse'],
    },
  ])('Ready after failed polls if $when is $is', ({ at: times, is, since }) => {
    const known: Known = since === undefined ? {} : { progress: { basis: 'advance', since, quietPolls: 20 } };
    let conditions = judge(undefined, stateOf(at(well)), noon);
    const found = times.map((after) => {
      const stale = { state: 'stale', value: well, at: noon, failure: timeout, failedAt: noon + after } as const;
      conditions = judge(
        conditions,
        stateOf(stale, { ...known, lastPoll: { at: noon + after, answered: false, failures: [timeout] } }),
        noon + after,
      );
      return said(conditions)[1];
    });
    expect(found).toEqual(is);
  });

  test.each([
    { when: 'each took two check intervals', at: [60, 120, 180, 240], is: [true, true, true, false] },
    { when: 'the exporter was delayed after the first', at: [30, 150, 151, 152], is: [true, false, false, false] },
  ])('with failAfter 4, failed polls keep a node ready if $when: $is', ({ at: times, is }) => {
    const options = targetOptions({ readiness: { ...targetOptions().readiness, failAfter: 4 } });
    let conditions = judge(undefined, targetKnowing(options, { health: { all: at(well) } }), noon);
    const found = times.map((after) => {
      const stale = { state: 'stale', value: well, at: noon, failure: timeout, failedAt: noon + after } as const;
      conditions = judge(conditions, targetKnowing(options, { health: { all: stale } }), noon + after);
      return said(conditions)[1];
    });
    const reason = (nth: number) => (nth === 3 ? 'False NoResponse' : 'Unknown ReportStale');
    expect(found).toEqual(is.map((one, nth) => (one ? 'True WithinThreshold' : reason(nth))));
  });

  test('the message counts failing checks, the worst first, as Ready does', () => {
    const both = report({
      vm: failing('not yet run', { timestamp: 'never', timeOfFirstFailure: noon - 3600 }),
      network: failing('network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0'),
      diskspace: failing('remaining available disk space percentage (8%)', { timeOfFirstFailure: noon - 900 }),
    });
    const { healthy, ready } = judge(undefined, stateOf(at(both)), noon);
    expect(healthy.get('all')?.message).toBe(
      '3 of 3 checks fail: diskspace: disk (remaining available disk space percentage (8%)), network: peers, vm: not-yet-run',
    );
    expect(healthy.get('all')?.message).toContain(ready.get('all')?.message ?? 'nothing');
    expect(healthy.get('all')?.failureReasons).toEqual(['disk', 'peers', 'not-yet-run']);
  });
});

describe("the node's own readiness", () => {
  const bootstrapping = (message: unknown): Observed<HealthReport> =>
    at(report({ bootstrapped: failing('subnets not bootstrapped', { message }) }));

  test.each([
    { lists: 'another subnet only', message: ['subnet-b'], all: 'False NotInitialized', mine: 'True ChecksPassing' },
    { lists: 'its subnet', message: [subnet], all: 'False NotInitialized', mine: 'False NotInitialized' },
    { lists: 'no subnet', message: undefined, all: 'False NotInitialized', mine: 'False NotInitialized' },
  ])('that fails for $lists', ({ message, all, mine }) => {
    const conditions = judge(undefined, stateOf(at(well), { readiness: bootstrapping(message) }), noon);
    expect([said(conditions)[1], said(conditions, 'mine')[1]]).toEqual([all, mine]);
    expect(said(conditions)[0]).toBe('True ChecksPassing');
  });

  test('that is not available is ignored', () => {
    const readiness = { state: 'failed', failure: { kind: 'http-status', status: 404 }, failedAt: noon } as const;
    expect(said(judge(undefined, stateOf(at(well), { readiness }), noon))[1]).toBe('True ChecksPassing');
  });
});

describe('a process', () => {
  const before = judge(undefined, stateOf(at(well)), noon);
  const now = noon + 5;
  const polled: Known = { lastPoll: { at: now, answered: false, failures: [refused] } };
  const processes: readonly { readonly process: NodeProcess; readonly reason: string; readonly started: string }[] = [
    {
      process: { state: 'gone', failure: refused, since: noon },
      reason: 'ConnectionRefused',
      started: 'False ConnectionRefused',
    },
    { process: { state: 'gone', failure: timeout, since: noon }, reason: 'NoResponse', started: 'False NoResponse' },
    { process: { state: 'starting', since: noon }, reason: 'NodeRestarted', started: 'True NodeResponding' },
  ];

  test.each(processes)('that is $process.state is Unknown at once for $reason, whatever was reported', (row) => {
    const conditions = judge(before, stateOf(at(well), { ...polled, process: row.process }), now);
    expect(said(conditions)).toEqual([`Unknown ${row.reason}`, `Unknown ${row.reason}`]);
    expect(`${conditions.started.status} ${conditions.started.reason}`).toBe(row.started);
    expect(conditions.live.status).not.toBe('False');
  });

  test('that starts counts its own runs only', () => {
    const rules = { ignoreChecks: [], ignoreReasons: [], failAfter: 2, passAfter: 2 };
    const options = targetOptions({ readiness: rules });
    const runs = (run: number, known: Known = {}): TargetState =>
      targetKnowing(options, { health: { all: fresh(report({ P: passing({ timestamp: noon + run }) }), noon + run) }, ...known });
    const settled = judge(judge(undefined, runs(0), noon), runs(30), noon + 30);
    expect(said(settled)[1]).toBe('True ChecksPassing');
    const gone = judge(settled, runs(30, { process: { state: 'gone', failure: refused, since: noon } }), noon + 35);
    const restarts = { count: 1, answered: true, refused: false, passed: true };
    expect(said(judge(gone, runs(60, { restarts }), noon + 60))[1]).toBe('False AwaitingRuns');
    // Likewise if another NodeID answers at once.
    expect(said(judge(settled, runs(60, { nodeIdChanges: 1 }), noon + 60))[1]).toBe('False AwaitingRuns');
  });

  test('without a report for a tag set yet does not use the report of the previous process', () => {
    const mine = { state: 'stale', value: well, at: noon - 5, failure: timeout, failedAt: noon } as const;
    const restarts = { count: 1, answered: true, refused: false, passed: true, last: { at: noon, sign: 'refused' } } as const;
    const state = stateOf(at(well), { health: { all: at(well), mine }, restarts });
    const conditions = judge(undefined, state, noon);
    expect(said(conditions)[0]).toBe('True ChecksPassing');
    expect(said(conditions, 'mine')[0]).toBe('Unknown NoResponse');
  });

  test('that answers readiness after closed connections keeps its conditions', () => {
    const rules = { ignoreChecks: [], ignoreReasons: [], failAfter: 3, passAfter: 1 };
    const options = targetOptions({ readiness: rules });
    const known = { health: { all: { state: 'stale', value: well, at: noon, failure: timeout, failedAt: noon + 30 } } } as const;
    const first = judge(undefined, targetKnowing(options, { health: { all: at(well) } }), noon);
    let last = judge(first, targetKnowing(options, known), noon + 30);
    const held = last.ready.get('all');
    expect(held?.message).toContain('so far 1');
    for (let time = 31; time < 60; time += 5) {
      const contact = { at: noon + time, answered: true, failures: [] };
      const readiness = fresh(report({}), noon + time);
      last = judge(last, targetKnowing(options, { ...known, readiness, lastPoll: contact }), noon + time);
    }
    expect(last.ready.get('all')).toEqual(held);
  });
});

describe('conditions without a poll for three intervals', () => {
  const state = stateOf(at(well));
  const conditions = judge(undefined, state, noon);

  test('stay the same value until then', () => {
    expect(conditions.trueUntil).toBe(noon + 90);
    expect(conditionsAt(conditions, state, noon + 90)).toBe(conditions);
  });

  test('are Unknown from that moment on, and the memory is kept', () => {
    const later = conditionsAt(conditions, state, noon + 100);
    expect(said(later)).toEqual(['Unknown ReportStale', 'Unknown ReportStale']);
    expect(later.ready.get('all')?.lastTransitionAt).toBe(noon + 90);
    expect([later.started.status, later.live.status]).toEqual(['Unknown', 'Unknown']);
    expect(later.memory).toBe(conditions.memory);
    expect(said(judge(conditions, stateOf(fresh(well, noon + 100)), noon + 100))[1]).toBe('True ChecksPassing');
  });

  test('turn a False Live into Unknown', () => {
    const dead = stateOf(at(well), {
      ...frozen,
      interval: { ...state.interval, inferred: 30, apart: 30, measured: [30, 30], learning: false },
    });
    const judged = judge(undefined, dead, noon);
    expect(judged.live.status).toBe('False');
    expect(conditionsAt(judged, dead, noon + 91).live).toMatchObject({ status: 'Unknown', reason: 'ReportStale' });
  });

  test('stay False if a check fails', () => {
    const broken = stateOf(at(report({ database: failing('closed') })));
    expect(said(conditionsAt(judge(undefined, broken, noon), broken, noon + 91))[1]).toBe('False ChecksFailing');
  });

  test('are frozen as soon as that limit passes', () => {
    const moved = stateOf(at(well), { progress: { basis: 'advance', since: noon - 80, quietPolls: 3 }, interval: interval30 });
    const judged = judge(undefined, moved, noon);
    expect(judged.trueUntil).toBe(noon + 10);
    const later = conditionsAt(judged, moved, noon + 11);
    expect(said(later)).toEqual(['Unknown HealthFrozen', 'Unknown HealthFrozen']);
    expect([later.started.status, later.live.status]).toEqual(['True', 'True']);
    expect(later.trueUntil).toBe(noon + 90);
  });

  test('expire no later after a reload of the configuration', () => {
    const reloaded = targetKnowing(targetOptions({ tagSets }));
    const kept = judge(conditions, reloaded, noon + 10);
    expect(kept.ready).toEqual(conditions.ready);
    expect(said(conditionsAt(kept, reloaded, noon + 90))).toEqual(['True ChecksPassing', 'True ChecksPassing']);
    expect(said(conditionsAt(kept, reloaded, noon + 91))).toEqual(['Unknown ReportStale', 'Unknown ReportStale']);
  });

  test('the message of a node that begins to shut down does not call its check not yet run', () => {
    const never = failing('not yet run', { timestamp: 'never' });
    const messageOf = (checks: HealthReport) => judge(undefined, stateOf(at(checks)), noon).ready.get('all')?.message;
    expect(messageOf(report({ shuttingDown: never }))).toMatch(/shuttingDown: shutting-down$/);
    expect(messageOf(report({ C: never, P: never, X: never, shuttingDown: never }))).toMatch(
      /^shuttingDown: shutting-down, C: not-yet-run, P: not-yet-run, and 1 more$/,
    );
  });
});

const interval30 = { ...targetKnowing(targetOptions()).interval, inferred: 30, apart: 30, measured: [30, 30], learning: false };
