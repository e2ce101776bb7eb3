// The rules of the conditions, one by one: what is remembered between polls, and what is forgotten.

import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/client/outcome.ts';
import type { Conditions } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { deadFor } from '../../src/conditions/live.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import type { IndexHead } from '../../src/sources/indexes/head.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { failing, fresh, type Known, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const passes = (round: number): HealthReport => report({ P: passing({ timestamp: noon + round * 30 }) });
const fails = (round: number, error = 'closed', check = 'database'): HealthReport =>
  report({ [check]: failing(error, { timestamp: noon + round * 30 }) });

const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };
const reset: Failure = { kind: 'reset', reason: 'ECONNRESET' };
const otherScheme: Failure = { ...reset, maySpeak: 'https' };
const timeout: Failure = { kind: 'timeout', afterMs: 5000 };

const lost = (failure: Failure, at = noon) => ({ state: 'failed', failure, failedAt: at }) as const;

/** After a poll at that moment that requested everything. */
const given = (options: Partial<TargetOptions>, health: HealthReport | Failure, known: Known = {}, at = noon): TargetState => {
  const source = 'kind' in health ? lost(health, at) : fresh(health, at);
  const other = 'kind' in health ? lost(health, at) : fresh(report({}), at);
  const all = { health: { all: source }, readiness: other, liveness: other, ...known };
  return targetKnowing(targetOptions(options), { ...all, ...polled(all, at), ...known });
};

/** What the poll adds to the answers. */
const polled = ({ health = {}, readiness, liveness, indexes = {} }: Known, at: number): Known => {
  const answers = [...Object.values(health), readiness, liveness, ...Object.values(indexes)];
  const failures = answers.flatMap((one) => (one?.state === 'failed' ? [one.failure] : []));
  const answered = answers.filter((one) => one?.state === 'fresh').length;
  const gone = failures.find(({ kind }) => kind === 'refused');
  const lastPoll = { at, failures, answered: answered > 0 };
  return { lastPoll, ...(gone !== undefined && { process: { state: 'gone', failure: gone, since: at } as const }) };
};

/** The conditions after each of the polls, 30 s apart. */
const judged = (
  polls: readonly (HealthReport | Failure)[],
  options: Partial<TargetOptions> = {},
  known: Known = {},
): readonly Conditions[] => {
  const all: Conditions[] = [];
  polls.forEach((poll, step) => {
    const at = noon + step * 30;
    all.push(judge(all.at(-1), given(options, poll, known, at), at));
  });
  return all;
};

/** No timestamp has advanced for `seconds` before noon, over `polls` polls. */
const still = (seconds: number, polls: number): Known => ({
  progress: { basis: 'advance', since: noon - seconds, quietPolls: polls },
  interval: measured,
});

/** The same distance twice: 30 s are proven. */
const measured = {
  ...targetKnowing(targetOptions()).interval,
  inferred: 30,
  apart: 30,
  measured: [30, 30],
  learning: false,
};

const readyOf = (conditions: readonly Conditions[]): readonly (string | undefined)[] =>
  conditions.map(({ ready }) => ready.get('all')?.status);
const liveOf = (conditions: readonly Conditions[]): readonly string[] => conditions.map(({ live }) => live.status);

describe('readiness', () => {
  test.each([
    { rule: 'is Unknown until the first poll', polls: [], expected: [] },
    { rule: 'is True after the first passing run', polls: [passes(0)], expected: ['True'] },
    { rule: 'is False at once if the first run fails', polls: [fails(0)], expected: ['False'] },
    { rule: 'survives one failing run', polls: [passes(0), fails(1), passes(2)], expected: ['True', 'True', 'True'] },
    { rule: 'is False after two failing runs', polls: [passes(0), fails(1), fails(2)], expected: ['True', 'True', 'False'] },
    {
      rule: 'counts a run seen in three polls once',
      polls: [passes(0), fails(1), fails(1), fails(1)],
      expected: ['True', 'True', 'True', 'True'],
    },
    {
      rule: 'uses the last poll of a run',
      polls: [passes(0), passes(1), fails(1), fails(2)],
      expected: ['True', 'True', 'True', 'False'],
    },
    { rule: 'survives one failed poll', polls: [passes(0), timeout, passes(1)], expected: ['True', 'True', 'True'] },
    { rule: 'is False after the second failed poll', polls: [passes(0), timeout, timeout], expected: ['True', 'True', 'False'] },
    {
      rule: 'counts failed polls and failing runs together',
      polls: [passes(0), timeout, fails(1)],
      expected: ['True', 'True', 'False'],
    },
    {
      rule: 'recovers only with a new run of the node',
      polls: [passes(0), timeout, timeout, passes(0), passes(0), passes(1)],
      expected: ['True', 'True', 'False', 'False', 'False', 'True'],
    },
    {
      rule: 'is False after a reset, Unknown at once after a refused connection',
      polls: [reset, refused],
      expected: ['False', 'Unknown'],
    },
    {
      rule: 'is Unknown if the port has only ever reset connections: it may need the other scheme',
      polls: [otherScheme, otherScheme],
      expected: ['Unknown', 'Unknown'],
    },
    {
      rule: 'is Unknown, not False, if our configuration may be the cause',
      polls: [{ kind: 'tls' as const, reason: 'x' }, { kind: 'host-forbidden' as const }],
      expected: ['Unknown', 'Unknown'],
    },
    {
      rule: 'follows a node clock that was set back',
      polls: [passes(100), fails(0), fails(1)],
      expected: ['True', 'True', 'False'],
    },
  ])('$rule', ({ polls, expected }) => {
    expect(readyOf(judged(polls))).toEqual(expected);
  });

  test('starts as Unknown, with every configured tag set', () => {
    const conditions = judge(undefined, targetKnowing(targetOptions()), noon);
    expect(conditions.ready.get('all')).toMatchObject({ status: 'Unknown', failureReasons: [] });
    expect(conditions).toMatchObject({ started: { status: 'Unknown' }, live: { status: 'Unknown' } });
  });

  test('waits for passAfter runs', () => {
    const readiness = { ...targetOptions().readiness, passAfter: 3 };
    expect(readyOf(judged([passes(0), passes(1), passes(1), passes(2)], { readiness }))).toEqual([
      'False',
      'False',
      'False',
      'True',
    ]);
  });

  test('lists the reasons of failing checks, the oldest failure first', () => {
    const old = failing('remaining available disk space percentage (8%)', { timeOfFirstFailure: noon - 900 });
    const peers = failing('network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0');
    const all = report({ network: peers, diskspace: old });
    const [first] = judged([all]);
    expect(first?.ready.get('all')).toMatchObject({ status: 'False', failureReasons: ['disk', 'peers'] });
    expect(first?.ready.get('all')?.message).toMatch(/^diskspace: disk \(remaining .*, network: peers$/);
  });

  test('names three failing checks and the number of others', () => {
    const many = report(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, failing('closed')])));
    const [first] = judged([many]);
    expect(first?.ready.get('all')?.message).toBe('a: other (closed), b: other, c: other, and 2 more');
  });

  test('ignores the configured checks and reasons, and says so', () => {
    const readiness = { ...targetOptions().readiness, ignoreChecks: ['database'] };
    const [first] = judged([fails(0)], { readiness });
    expect(first?.ready.get('all')).toMatchObject({ status: 'True' });
    expect(first?.ready.get('all')?.message).toContain('ignored: database');
    const strict = { ...targetOptions().readiness, ignoreReasons: [] };
    const stake = fails(0, 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%', 'P');
    expect(readyOf(judged([stake]))).toEqual(['True']);
    expect(readyOf(judged([stake], { readiness: strict }))).toEqual(['False']);
  });

  test('counts a run once even if its results arrive one after the other', () => {
    const looks = [0, 0.2, 0.4].map((seconds) => fails(1 + seconds / 30));
    expect(readyOf(judged([passes(0), ...looks]))).toEqual(['True', 'True', 'True', 'True']);
  });

  test('does not trust a first run that ended long ago, and counts every later one', () => {
    const late = noon + 600;
    const known: Known = { progress: { basis: 'date', since: noon, quietPolls: 0 } };
    const first = judge(undefined, given({}, passes(0), known, late), late);
    expect(first.ready.get('all')).toMatchObject({
      status: 'Unknown',
      message: 'the checks last ran 10 min ago: waiting for the next run',
    });
    const second = judge(first, given({}, passes(1), {}, late), late);
    expect(second.ready.get('all')?.status).toBe('True');
    const third = judge(second, given({}, fails(2), {}, late), late);
    expect(judge(third, given({}, fails(3), {}, late), late).ready.get('all')?.status).toBe('False');
  });

  test('is not kept by a report that cannot be trusted', () => {
    const [before] = judged([passes(0)]);
    const frozen = still(900, 30);
    expect(judge(before, given({}, fails(1), {}, noon + 30), noon + 30).ready.get('all')?.status).toBe('True');
    expect(judge(before, given({}, fails(1), frozen, noon + 30), noon + 30).ready.get('all')?.status).toBe('Unknown');
  });

  test('is False if the node is unhealthy without a failing check', () => {
    expect(readyOf(judged([{ checks: new Map(), healthy: false }]))).toEqual(['False']);
  });

  test('quotes the node in one bounded line without control characters', () => {
    const [first] = judged([fails(0, `a\n\u001b[31m${'x'.repeat(5000)}`)]);
    const message = first?.ready.get('all')?.message ?? '';
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(400);
  });
});

describe('a failing `bootstrapped`', () => {
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'mine', tags: ['subnet-a', 'subnet-b'] },
    { name: 'asked', tags: ['all'] },
  ];
  const tags = {
    adds: new Map([
      ['subnet-a', true],
      ['subnet-b', true],
    ]),
    toAsk: 0,
    open: [],
  };
  const statuses = (message: unknown): readonly (string | undefined)[] => {
    const check: CheckResult = { ...failing('subnets not bootstrapped'), ...(message !== undefined && { message }) };
    const health = fresh(report({ bootstrapped: check }), noon);
    const target = targetKnowing(targetOptions({ tagSets }), { health: { all: health, mine: health, asked: health }, tags });
    return ['all', 'asked', 'mine'].map((name) => judge(undefined, target, noon).ready.get(name)?.status);
  };

  test.each([
    { lists: 'another subnet', message: ['subnet-c'], expected: ['False', 'False', 'True'] },
    { lists: 'one of its subnets', message: ['subnet-c', 'subnet-b'], expected: ['False', 'False', 'False'] },
    { lists: 'the primary network', message: [primaryNetworkId], expected: ['False', 'False', 'False'] },
    { lists: 'nothing', message: [], expected: ['False', 'False', 'False'] },
    { lists: 'something unreadable', message: 'soon', expected: ['False', 'False', 'False'] },
  ])('that lists $lists', ({ message, expected }) => {
    expect(statuses(message)).toEqual(expected);
  });
});

describe('liveness', () => {
  const known: Known = { interval: measured };
  const silence = (polls: number): readonly Failure[] => Array.from({ length: polls }, () => timeout);

  test('is False after 20 intervals of timeouts only, for a node that answered before', () => {
    const states = liveOf(judged([passes(0), ...silence(30)], {}, known));
    expect(states.indexOf('False')).toBe(21);
    expect(states.slice(1, 21)).toEqual(Array.from({ length: 20 }, () => 'Unknown'));
  });

  test.each([
    { of: 'a node that never answered', polls: silence(100), with: known },
    { of: 'a node whose interval was never measured', polls: [passes(0), ...silence(100)], with: {} },
    { of: 'a node that refused a connection in between', polls: [passes(0), refused, ...silence(100)], with: known },
    { of: 'a node that reset a connection in between', polls: [passes(0), reset, ...silence(100)], with: known },
    { of: 'a port that may need the other scheme', polls: [passes(0), otherScheme, ...silence(100)], with: known },
  ])('is never False for timeouts of $of', ({ polls, with: interval }) => {
    expect(liveOf(judged(polls, {}, interval))).not.toContain('False');
  });

  test('says since when all polls time out, and whether the node ever responded', () => {
    const [first, second] = judged([timeout, timeout], {}, known);
    expect(first?.live.message).toBe('no response within 5000 ms; no response from this node yet');
    expect(second?.live.message).toMatch(
      /^no response within 5000 ms; all polls timed out for \d+ s; no response from this node yet$/,
    );
    const frozen = judge(undefined, given({}, timeout, { process: { state: 'reported' } }), noon);
    expect(frozen.live.message).toMatch(/; this counts only after a response with running checks$/);
  });

  test.each<Failure>([
    refused,
    reset,
    otherScheme,
    { kind: 'dns', reason: 'x' },
    { kind: 'tls', reason: 'x' },
    { kind: 'network', reason: 'x' },
    { kind: 'host-forbidden' },
    { kind: 'http-status', status: 404 },
    { kind: 'not-json', reason: 'x' },
    { kind: 'malformed', reason: 'x' },
  ])('is never False for $kind: a restart would not help', (failure) => {
    const conditions = judged([passes(0), ...Array.from({ length: 100 }, () => failure)], {}, known);
    expect(liveOf(conditions)).not.toContain('False');
    expect(conditions.at(-1)?.live.message).toMatch(/^a restart would not help: ./);
  });

  test('restarts counting after any other answer', () => {
    const states = liveOf(judged([passes(0), ...silence(15), { kind: 'http-status', status: 502 }, ...silence(15)], {}, known));
    expect(states).not.toContain('False');
  });

  test('ends a False after ten minutes, or at once after a refused connection', () => {
    const states = liveOf(judged([passes(0), ...silence(100)], {}, known));
    expect(states.filter((state) => state === 'False')).toHaveLength(deadFor / 30 + 1);
    expect(states.at(-1)).toBe('Unknown');
    expect(liveOf(judged([passes(0), ...silence(21), refused, ...silence(60)], {}, known)).slice(22)).not.toContain('False');
  });

  test.each([
    { after: 'an answer', first: {}, is: true },
    { after: 'an answer during which one request was reset', first: { readiness: lost(reset) }, is: false },
    {
      after: 'checks that had stopped running',
      first: still(900, 30),
      is: false,
    },
  ])('becomes False by timeouts after $after: $is', ({ first, is }) => {
    let [last] = judged([passes(0)], {}, { ...known, ...first });
    const states = silence(30).map((poll, at) => {
      last = judge(last, given({}, poll, known, noon + 30 * (at + 1)), noon + 30 * (at + 1));
      return last.live.status;
    });
    expect(states.includes('False')).toBe(is);
  });

  test('is never False while an index answers, even if everything else times out', () => {
    const indexes = { 'P/block': fresh<IndexHead>({ state: 'empty' }, noon) };
    const options: Partial<TargetOptions> = { indexes: ['P/block'] };
    expect(liveOf(judged([passes(0), ...silence(30)], options, { ...known, indexes }))).not.toContain('False');
    expect(liveOf(judged([passes(0), ...silence(30)], options, known))).toContain('False');
  });

  test('names the failure that a restart would not fix', () => {
    const both = given({}, timeout, { ...known, liveness: lost({ kind: 'http-status', status: 404 }) });
    expect(judge(undefined, both, noon).live.message).toContain('404');
  });

  test('does not stay False for hours after our clock was set back', () => {
    const dead = judged([passes(0), ...silence(21)], {}, known).at(-1);
    expect(dead?.live.status).toBe('False');
    expect(judge(dead, given({}, timeout, known, noon - 7200), noon - 7200).live.status).toBe('Unknown');
  });

  test.each([
    { that: 'for more than 20 intervals, over as many polls', intervals: 20.1, polls: 20, state: 'False' },
    { that: 'for 20 intervals, however often it was polled', intervals: 20, polls: 100, state: 'True' },
    { that: 'only because our clock was set forward', intervals: 1000, polls: 19, state: 'True' },
  ])('is $state if no check has run $that', ({ intervals, polls, state }) => {
    expect(liveOf(judged([passes(0)], {}, still(intervals * 30, polls)))).toEqual([state]);
  });

  test('is not False while the check interval is still being measured', () => {
    const learning = { ...still(3000, 100), interval: { ...measured, learning: true } };
    expect(liveOf(judged([passes(0)], {}, learning))).toEqual(['True']);
  });

  test('is not False because our clock was set forward', () => {
    const [answered] = judged([passes(0)], {}, known);
    const once = judge(answered, given({}, timeout, known, noon + 30), noon + 30);
    const leapt = judge(once, given({}, timeout, known, noon + 100_000), noon + 100_000);
    expect(leapt.live.status).toBe('Unknown');
  });
});

describe('the memory of the conditions', () => {
  test('survives a reload: a state without a poll changes no condition', () => {
    const [before] = judged([passes(0)]);
    const reloaded = judge(before, targetKnowing(targetOptions()), noon + 60);
    expect(reloaded.ready).toEqual(before?.ready);
    expect(reloaded).toMatchObject({
      started: { status: 'True', lastTransitionAt: noon },
      live: { status: 'True', lastTransitionAt: noon },
    });
    expect(readyOf([judge(reloaded, given({}, timeout, {}, noon + 90), noon + 90)])).toEqual(['True']);
  });

  test('does not apply to another node or other tags', () => {
    const [before] = judged([passes(0)]);
    const moved = judge(before, targetKnowing(targetOptions({ url: 'http://elsewhere:9650' })), noon + 60);
    expect(moved.ready.get('all')?.status).toBe('Unknown');
    const tagged = targetKnowing(targetOptions({ tagSets: [{ name: 'all', tags: ['other'] }] }));
    expect(judge(before, tagged, noon + 60).ready.get('all')?.status).toBe('Unknown');
  });

  test('is cleared when the node restarts', () => {
    const readiness = { ...targetOptions().readiness, passAfter: 2 };
    const conditions = judged([passes(0), passes(1)], { readiness });
    expect(readyOf(conditions)).toEqual(['False', 'True']);
    const restarts = { count: 1, answered: true, refused: false, passed: true };
    const anew = judge(conditions.at(-1), given({ readiness }, passes(2), { restarts }), noon + 60);
    expect(anew.ready.get('all')?.status).toBe('False');
    // A reload resets the restart counter to 0, which is not a restart.
    const ready = judge(anew, given({ readiness }, passes(3), { restarts }, noon + 90), noon + 90);
    const reloaded = judge(
      ready,
      given({ readiness }, passes(4), { restarts: { ...restarts, count: 0 } }, noon + 120),
      noon + 120,
    );
    expect(readyOf([ready, reloaded])).toEqual(['True', 'True']);
  });

  test('keeps lastTransitionAt while the status stays the same, whatever the reason', () => {
    const conditions = judged([fails(0), fails(1, 'other'), passes(2)]);
    expect(conditions.map(({ ready }) => ready.get('all')?.lastTransitionAt)).toEqual([noon, noon, noon + 60]);
  });
});
