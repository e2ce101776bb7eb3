// The rules of the verdicts, one by one: what is remembered from poll to poll, and what is forgotten.

import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/client/outcome.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { IndexHead } from '../../src/snapshot/index-head.ts';
import { usualRules } from '../../src/snapshot/rules.ts';
import type { TargetOptions, TargetSnapshot } from '../../src/snapshot/snapshot.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { TargetVerdicts } from '../../src/verdict/judgement.ts';
import { deadFor } from '../../src/verdict/live.ts';
import {
  failing,
  fresh,
  type Known,
  measuredInterval,
  noon,
  passing,
  report,
  stillSince,
  targetKnowing,
  targetOptions,
} from '../support/snapshot.ts';

const passes = (round: number): HealthReport => report({ P: passing({ timestamp: noon + round * 30 }) });
const fails = (round: number, error = 'closed', check = 'database'): HealthReport =>
  report({ [check]: failing(error, { timestamp: noon + round * 30 }) });

const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };
const reset: Failure = { kind: 'reset', reason: 'ECONNRESET' };
const timeout: Failure = { kind: 'timeout', afterMs: 5000 };

const lost = (failure: Failure) => ({ state: 'failed', failure, failedAt: noon }) as const;

const given = (options: Partial<TargetOptions>, health: HealthReport | Failure, known: Known = {}): TargetSnapshot => {
  const source = 'kind' in health ? lost(health) : fresh(health, noon);
  const other = 'kind' in health ? lost(health) : fresh(report({}), noon);
  return targetKnowing(targetOptions(options), { health: { all: source }, readiness: other, liveness: other, ...known });
};

/** The verdicts after each of the polls, 30 s apart. */
const judged = (
  polls: readonly (HealthReport | Failure)[],
  options: Partial<TargetOptions> = {},
  known: Known = {},
): readonly TargetVerdicts[] => {
  const all: TargetVerdicts[] = [];
  polls.forEach((poll, at) => {
    all.push(judge(all.at(-1), given(options, poll, known), noon + at * 30));
  });
  return all;
};

const readyOf = (verdicts: readonly TargetVerdicts[]): readonly (string | undefined)[] =>
  verdicts.map(({ ready }) => ready.get('all')?.state);
const liveOf = (verdicts: readonly TargetVerdicts[]): readonly string[] => verdicts.map(({ live }) => live.state);

describe('readiness', () => {
  test.each([
    { rule: 'is unknown until the node was asked', polls: [], expected: [] },
    { rule: 'passes with the first passed round', polls: [passes(0)], expected: ['yes'] },
    { rule: 'is no at once where the first round fails', polls: [fails(0)], expected: ['no'] },
    { rule: 'outlives one failed round', polls: [passes(0), fails(1), passes(2)], expected: ['yes', 'yes', 'yes'] },
    { rule: 'ends with the second', polls: [passes(0), fails(1), fails(2)], expected: ['yes', 'yes', 'no'] },
    {
      rule: 'counts a round that is looked at three times once',
      polls: [passes(0), fails(1), fails(1), fails(1)],
      expected: ['yes', 'yes', 'yes', 'yes'],
    },
    {
      rule: 'takes of a round what its last look says',
      polls: [passes(0), passes(1), fails(1), fails(2)],
      expected: ['yes', 'yes', 'yes', 'no'],
    },
    { rule: 'outlives one failed poll', polls: [passes(0), timeout, passes(1)], expected: ['yes', 'yes', 'yes'] },
    { rule: 'ends with the second failed poll', polls: [passes(0), timeout, timeout], expected: ['yes', 'yes', 'no'] },
    {
      rule: 'counts failed polls and failed rounds together',
      polls: [passes(0), timeout, fails(1)],
      expected: ['yes', 'yes', 'no'],
    },
    {
      rule: 'comes back only with a round of the node that is new',
      polls: [passes(0), timeout, timeout, passes(0), passes(0), passes(1)],
      expected: ['yes', 'yes', 'no', 'no', 'no', 'yes'],
    },
    { rule: 'is no where a connection is cut off or refused', polls: [reset, refused], expected: ['no', 'no'] },
    {
      rule: 'is unknown, not no, where the answer cannot be had for a fault that may be ours',
      polls: [{ kind: 'tls' as const, reason: 'x' }, { kind: 'host-forbidden' as const }],
      expected: ['unknown', 'unknown'],
    },
    {
      rule: 'follows a clock of the node that was set back',
      polls: [passes(100), fails(0), fails(1)],
      expected: ['yes', 'yes', 'no'],
    },
  ])('$rule', ({ polls, expected }) => {
    expect(readyOf(judged(polls))).toEqual(expected);
  });

  test('begins unknown, and every configured tag set is there', () => {
    const verdicts = judge(undefined, targetKnowing(targetOptions()), noon);
    expect(verdicts.ready.get('all')).toMatchObject({ state: 'unknown', reasons: [] });
    expect(verdicts).toMatchObject({ started: { state: 'unknown' }, live: { state: 'unknown' } });
  });

  test('waits for passAfter rounds where it says more than one', () => {
    const readiness = { ...usualRules.readiness, passAfter: 3 };
    expect(readyOf(judged([passes(0), passes(1), passes(1), passes(2)], { readiness }))).toEqual(['no', 'no', 'no', 'yes']);
  });

  test('gives the reasons of what fails, the oldest failure first', () => {
    const old = failing('remaining available disk space percentage (8%)', { timeOfFirstFailure: noon - 900 });
    const peers = failing('network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0');
    const all = report({ network: peers, diskspace: old });
    const [verdicts] = judged([all]);
    expect(verdicts?.ready.get('all')).toMatchObject({ state: 'no', reasons: ['disk', 'peers'] });
    expect(verdicts?.ready.get('all')?.because).toMatch(/^diskspace: disk \(remaining .*, network: peers$/);
  });

  test('names three that fail, and how many more', () => {
    const many = report(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, failing('closed')])));
    const [verdicts] = judged([many]);
    expect(verdicts?.ready.get('all')?.because).toBe('a: other (closed), b: other, c: other, and 2 more');
  });

  test('ignores what the configuration ignores, and says so', () => {
    const readiness = { ...usualRules.readiness, ignoreChecks: ['database'] };
    const [verdicts] = judged([fails(0)], { readiness });
    expect(verdicts?.ready.get('all')).toMatchObject({ state: 'yes' });
    expect(verdicts?.ready.get('all')?.because).toContain('ignored: database');
    const strict = { ...usualRules.readiness, ignoreReasons: [] };
    const stake = fails(0, 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%', 'P');
    expect(readyOf(judged([stake]))).toEqual(['yes']);
    expect(readyOf(judged([stake], { readiness: strict }))).toEqual(['no']);
  });

  test('counts a round once whose results came in one after the other', () => {
    const looks = [0, 0.2, 0.4].map((seconds) => fails(1 + seconds / 30));
    expect(readyOf(judged([passes(0), ...looks]))).toEqual(['yes', 'yes', 'yes', 'yes']);
  });

  test('does not believe a first round that ended long ago, and counts every one that follows', () => {
    const clock = { lower: 0, upper: 0, at: noon };
    const late = noon + 1000;
    const first = judge(undefined, given({}, passes(0), { clock }), late);
    expect(first.ready.get('all')).toMatchObject({ state: 'unknown', because: expect.stringContaining('long ago') });
    const second = judge(first, given({}, passes(1), { clock }), late);
    expect(second.ready.get('all')?.state).toBe('yes');
    const third = judge(second, given({}, fails(2), { clock }), late);
    expect(judge(third, given({}, fails(3), { clock }), late).ready.get('all')?.state).toBe('no');
  });

  test('is not held by a report that cannot be believed', () => {
    const [before] = judged([passes(0)]);
    const frozen = { movement: stillSince(noon - 900, 30), cadence: measuredInterval(30) };
    expect(judge(before, given({}, fails(1)), noon + 30).ready.get('all')?.state).toBe('yes');
    expect(judge(before, given({}, fails(1), frozen), noon + 30).ready.get('all')?.state).toBe('unknown');
  });

  test('is no where the node is unhealthy and names nothing', () => {
    expect(readyOf(judged([{ checks: new Map(), healthy: false }]))).toEqual(['no']);
  });

  test('quotes the node in one line, bounded, without control characters', () => {
    const [verdicts] = judged([fails(0, `a\n\u001b[31m${'x'.repeat(5000)}`)]);
    const because = verdicts?.ready.get('all')?.because ?? '';
    expect(because).not.toMatch(/\p{Cc}/u);
    expect(because.length).toBeLessThan(400);
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
  const verdict = (message: unknown): readonly (string | undefined)[] => {
    const check: CheckResult = { ...failing('subnets not bootstrapped'), ...(message !== undefined && { message }) };
    const health = fresh(report({ bootstrapped: check }), noon);
    const target = targetKnowing(targetOptions({ tagSets }), { health: { all: health, mine: health, asked: health }, tags });
    return ['all', 'asked', 'mine'].map((name) => judge(undefined, target, noon).ready.get(name)?.state);
  };

  test.each([
    { lists: 'another subnet', message: ['subnet-c'], expected: ['no', 'no', 'yes'] },
    { lists: 'one of its subnets', message: ['subnet-c', 'subnet-b'], expected: ['no', 'no', 'no'] },
    { lists: 'the primary network', message: [primaryNetworkId], expected: ['no', 'no', 'no'] },
    { lists: 'nothing', message: [], expected: ['no', 'no', 'no'] },
    { lists: 'nothing that can be read', message: 'soon', expected: ['no', 'no', 'no'] },
  ])('that lists $lists', ({ message, expected }) => {
    expect(verdict(message)).toEqual(expected);
  });
});

describe('liveness', () => {
  const known: Known = { cadence: measuredInterval(30) };
  const silence = (polls: number): readonly Failure[] => Array.from({ length: polls }, () => timeout);

  test('is no after 20 cadences of nothing but timeouts, of a node that answered once', () => {
    const states = liveOf(judged([passes(0), ...silence(30)], {}, known));
    expect(states.indexOf('no')).toBe(21);
    expect(states.slice(1, 21)).toEqual(Array.from({ length: 20 }, () => 'unknown'));
  });

  test.each([
    { of: 'a node that never answered', polls: silence(100), with: known },
    { of: 'a node whose cadence was never measured', polls: [passes(0), ...silence(100)], with: {} },
    { of: 'a node that was refused in between', polls: [passes(0), refused, ...silence(100)], with: known },
    { of: 'a node that reset a connection in between', polls: [passes(0), reset, ...silence(100)], with: known },
  ])('is never no for the silence of $of', ({ polls, with: cadence }) => {
    expect(liveOf(judged(polls, {}, cadence))).not.toContain('no');
  });

  test.each<Failure>([
    refused,
    { kind: 'dns', reason: 'x' },
    { kind: 'tls', reason: 'x' },
    { kind: 'network', reason: 'x' },
    { kind: 'host-forbidden' },
    { kind: 'http-status', status: 404 },
    { kind: 'not-json', reason: 'x' },
    { kind: 'malformed', reason: 'x' },
  ])('is never no for $kind', (failure) => {
    expect(liveOf(judged([passes(0), ...Array.from({ length: 100 }, () => failure)], {}, known))).not.toContain('no');
  });

  test('begins to count anew after any other answer', () => {
    const states = liveOf(judged([passes(0), ...silence(15), { kind: 'http-status', status: 502 }, ...silence(15)], {}, known));
    expect(states).not.toContain('no');
  });

  test('forgets a failed verdict after ten minutes, and a refusal ends it at once', () => {
    const states = liveOf(judged([passes(0), ...silence(100)], {}, known));
    expect(states.filter((state) => state === 'no')).toHaveLength(deadFor / 30 + 1);
    expect(states.at(-1)).toBe('unknown');
    expect(liveOf(judged([passes(0), ...silence(21), refused, ...silence(60)], {}, known)).slice(22)).not.toContain('no');
  });

  test.each([
    { after: 'an answer', first: {}, is: true },
    { after: 'an answer beside which one call was cut off', first: { readiness: lost(reset) }, is: false },
    {
      after: 'checks that had stopped running',
      first: { movement: stillSince(noon - 900, 30) },
      is: false,
    },
  ])('may be no for the silence after $after: $is', ({ first, is }) => {
    let [last] = judged([passes(0)], {}, { ...known, ...first });
    const states = silence(30).map((poll, at) => {
      last = judge(last, given({}, poll, known), noon + 30 * (at + 1));
      return last.live.state;
    });
    expect(states.includes('no')).toBe(is);
  });

  test('is yes while an index answers, whatever times out beside it', () => {
    const indexes = { 'P/block': fresh<IndexHead>({ state: 'empty' }, noon) };
    const options: Partial<TargetOptions> = { indexes: ['P/block'] };
    expect(liveOf(judged([passes(0), ...silence(30)], options, { ...known, indexes }))).not.toContain('no');
    expect(liveOf(judged([passes(0), ...silence(30)], options, known))).toContain('no');
  });

  test('names of several failures the one that a restart would not mend', () => {
    const both = given({}, timeout, { ...known, liveness: lost({ kind: 'http-status', status: 404 }) });
    expect(judge(undefined, both, noon).live.because).toContain('404');
  });

  test('a failed verdict does not last for the hours by which our clock was set back', () => {
    const dead = judged([passes(0), ...silence(21)], {}, known).at(-1);
    expect(dead?.live.state).toBe('no');
    expect(judge(dead, given({}, timeout, known), noon - 7200).live.state).toBe('unknown');
  });

  test.each([
    { that: 'for more than 20 cadences, by as many looks', cadences: 20.1, looks: 20, state: 'no' },
    { that: 'for 20 cadences, however often it was looked', cadences: 20, looks: 100, state: 'yes' },
    { that: 'by a clock of ours that was set forward', cadences: 1000, looks: 19, state: 'yes' },
  ])('is $state where no check has run $that', ({ cadences, looks, state }) => {
    const movement = stillSince(noon - cadences * 30, looks);
    expect(liveOf(judged([passes(0)], {}, { ...known, movement }))).toEqual([state]);
  });

  test('is not no for a cadence that is still being learnt', () => {
    const movement = stillSince(noon - 3000, 100);
    const learning: Known = { cadence: measuredInterval(30, { learning: true }) };
    expect(liveOf(judged([passes(0)], {}, { ...learning, movement }))).toEqual(['yes']);
  });

  test('is not no because our clock was set forward', () => {
    const [answered] = judged([passes(0)], {}, known);
    const once = judge(answered, given({}, timeout, known), noon + 30);
    const leapt = judge(once, given({}, timeout, known), noon + 100_000);
    expect(leapt.live.state).toBe('unknown');
  });
});

describe('what is remembered', () => {
  test('survives a reload: a snapshot in which nothing was asked yet changes no verdict', () => {
    const [before] = judged([passes(0)]);
    const reloaded = judge(before, targetKnowing(targetOptions()), noon + 60);
    expect(reloaded.ready).toEqual(before?.ready);
    expect(reloaded).toMatchObject({ started: { state: 'yes', since: noon }, live: { state: 'yes', since: noon } });
    expect(readyOf([judge(reloaded, given({}, timeout), noon + 90)])).toEqual(['yes']);
  });

  test('counts for no other node and for no other tags', () => {
    const [before] = judged([passes(0)]);
    const moved = judge(before, targetKnowing(targetOptions({ url: 'http://elsewhere:9650' })), noon + 60);
    expect(moved.ready.get('all')?.state).toBe('unknown');
    const tagged = targetKnowing(targetOptions({ tagSets: [{ name: 'all', tags: ['other'] }] }));
    expect(judge(before, tagged, noon + 60).ready.get('all')?.state).toBe('unknown');
  });

  test('is forgotten when the node was restarted', () => {
    const readiness = { ...usualRules.readiness, passAfter: 2 };
    const verdicts = judged([passes(0), passes(1)], { readiness });
    expect(readyOf(verdicts)).toEqual(['no', 'yes']);
    const restarts = { count: 1, answered: true, refused: false, passed: true };
    const anew = judge(verdicts.at(-1), given({ readiness }, passes(2), { restarts }), noon + 60);
    expect(anew.ready.get('all')?.state).toBe('no');
    // A reload counts restarts from 0 again: that is none.
    const ready = judge(anew, given({ readiness }, passes(3), { restarts }), noon + 90);
    const reloaded = judge(ready, given({ readiness }, passes(4), { restarts: { ...restarts, count: 0 } }), noon + 120);
    expect(readyOf([ready, reloaded])).toEqual(['yes', 'yes']);
  });

  test('`since` stays while the state does, whatever the reason', () => {
    const verdicts = judged([fails(0), fails(1, 'other'), passes(2)]);
    expect(verdicts.map(({ ready }) => ready.get('all')?.since)).toEqual([noon, noon, noon + 60]);
  });
});
