// How reloads affect conditions, and the transition times of conditions after a poll.

import { expect, test } from 'vitest';
import { conditionsAt } from '../src/conditions/true-until.ts';
import { noLines } from '../src/events/lines.ts';
import { applyPoll } from '../src/poller/apply.ts';
import type { TargetOptions } from '../src/snapshot/options.ts';
import { sources } from '../src/sources/sources.ts';
import { maxAgeOf, newTarget } from '../src/sources/target-state.ts';
import { adjusted, updateTarget, withOptions } from '../src/target-update.ts';
import { type Brought, fails, ok, outcomeOf, timedOut } from './support/rounds.ts';
import {
  failing,
  fresh,
  judged,
  measuredInterval,
  noon,
  passing,
  report,
  stopped,
  targetKnowing,
  targetOptions,
} from './support/snapshot.ts';

test('a lower staleAfter shortens the validity of conditions, and changed labels keep them', () => {
  const options = targetOptions();
  const target = judged(targetKnowing(options, { health: { all: fresh(report({ network: passing() })) } }));
  const stricter = withOptions(target, { ...options, staleAfter: 1 }, noon);
  expect(stricter.conditions.trueUntil).toBeLessThan(target.conditions.trueUntil);
  const relabelled = withOptions(target, { ...options, labels: { site: 'there' } }, noon);
  expect(relabelled.conditions).toBe(target.conditions);
  expect(relabelled.state.options.labels).toEqual({ site: 'there' });
  const both = withOptions(target, { ...options, staleAfter: 1, labels: { site: 'there' } }, noon);
  expect(both.conditions).toEqual(stricter.conditions);
});

test('a condition that became Unknown without polls keeps its transition time after a failed poll', () => {
  const options = targetOptions({ info: false });
  const before = judged(
    targetKnowing(options, { health: { all: fresh(report({ network: passing() })) }, readiness: fresh(report({})) }),
  );
  const late = noon + 200;
  const shown = conditionsAt(before.conditions, before.state, late).healthy.get('all');
  const answer = { outcome: timedOut, sentAt: late, endedAt: late + 5 };
  const asked = { readiness: answer, health: { reports: new Map([['all', answer]]), tags: new Map() }, liveness: answer };
  const { state } = applyPoll(sources, before.state, asked, { startedAt: late, endedAt: late + 5, afterClose: false });
  const memory = { ...noLines, hasAnswered: true };
  const { target, lines } = updateTarget(sources, { target: before, memory }, state, late + 5);
  // The poll ends a readiness that expired before it.
  expect(lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^poll failed: .*no response/));
  expect(shown).toMatchObject({ status: 'Unknown', lastTransitionAt: before.conditions.trueUntil });
  expect(target.conditions.healthy.get('all')).toMatchObject({ status: 'Unknown', lastTransitionAt: shown?.lastTransitionAt });
  // Only the last poll makes Started false: it was Unknown before.
  expect(target.conditions.started).toMatchObject({ status: 'False', lastTransitionAt: late + 5 });
});

test.each([
  { configured: 30, interval: 1, staleAfter: 3, seconds: 32 },
  { configured: 3600, interval: 1, staleAfter: 3, seconds: 62 },
  { configured: 30, interval: 30, staleAfter: 1, seconds: 61 },
  { configured: 1, interval: 1, staleAfter: 3, seconds: 3 },
  { configured: 1, interval: 30, staleAfter: 3, seconds: 90 },
])('with $interval s between checks, $configured s configured, conditions hold $seconds s: the next poll ends before', (row) => {
  const options = targetOptions({ healthCheckFrequency: row.configured, staleAfter: row.staleAfter });
  const health = { all: fresh(report({ P: passing() }), noon) };
  const { state, conditions } = judged(targetKnowing(options, { health, interval: measuredInterval(row.interval) }));
  expect(conditions.trueUntil).toBe(noon + row.seconds);
  expect(conditionsAt(conditions, state, noon + row.seconds + 1).ready.get('all')).toMatchObject({ reason: 'ReportStale' });
});

test.each([
  { every: 600, staleAfter: 1, seconds: 661 },
  { every: 60, staleAfter: 1, seconds: 121 },
  { every: 60, staleAfter: 3, seconds: 180 },
  { every: 600, staleAfter: 3, seconds: 1800 },
])('what is requested every $every s is shown for $seconds s with staleAfter $staleAfter: the poll after ends before', (row) => {
  const target = newTarget(targetOptions({ healthCheckFrequency: 30, staleAfter: row.staleAfter }));
  expect(maxAgeOf(row, target)).toBe(row.seconds);
});

test('a condition expires at its own limit, whatever expired before', () => {
  const stale = { state: 'stale', value: report({}), at: noon - 35, failure: timedOut, failedAt: noon - 5 } as const;
  const known = { readiness: stale, lastPoll: { at: noon - 4, answered: true, failures: [timedOut] } };
  const passes = judged(targetKnowing(targetOptions(), { ...known, health: { all: fresh(report({ P: passing() })) } }));
  const fails = judged(
    targetKnowing(targetOptions(), {
      ...known,
      ...stopped(noon - 80, 3),
      health: { all: fresh(report({ P: failing('closed') })) },
    }),
  );
  const [first, second] = [passes, fails].map(({ conditions, state }) => conditionsAt(conditions, state, noon + 200));
  expect([passes, fails].map(({ conditions }) => conditions.trueUntil)).toEqual([noon + 55, noon + 10]);
  expect(first?.ready.get('all')).toMatchObject({ status: 'Unknown', lastTransitionAt: noon + 85 });
  expect(first?.live).toMatchObject({ status: 'Unknown', lastTransitionAt: noon + 86 });
  expect(second?.healthy.get('all')).toMatchObject({ status: 'Unknown', lastTransitionAt: noon + 85 });
});

test('conditions that expire between two polls have one record at that time, one of their return, and a log line for each', () => {
  const options = targetOptions({ info: false });
  const health = { all: fresh(report({ P: passing() })) };
  const lastPoll = { at: noon - 5, answered: true, failures: [] };
  const before = judged(targetKnowing(options, { health, readiness: fresh(report({})), lastPoll, ...stopped(noon - 80, 3) }));
  const at = noon + 25;
  const times = { sentAt: at, endedAt: at };
  const all = { ...times, outcome: { kind: 'ok', value: report({ P: passing({ timestamp: at }) }) } } as const;
  const readiness = { ...times, outcome: { kind: 'ok', value: report({}) } } as const;
  const asked = { readiness, health: { reports: new Map([['all', all]]), tags: new Map() } };
  const { state } = applyPoll(sources, before.state, asked, { startedAt: at, endedAt: at, afterClose: false });
  // A reload in between changes nothing.
  for (const last of [before, adjusted(sources, before, options, noon + 20)]) {
    const memory = { ...noLines, hasAnswered: true };
    const { target, records, lines } = updateTarget(sources, { target: last, memory }, state, at, 1000);
    expect(
      records.flatMap(({ kind, ...one }) => (kind === 'condition' ? [[one.condition, one.from, one.to, one.at]] : [])),
    ).toEqual([
      ['Ready', 'True', 'Unknown', noon + 1010],
      ['Healthy', 'True', 'Unknown', noon + 1010],
      ['Ready', 'Unknown', 'True', at + 1000],
      ['Healthy', 'Unknown', 'True', at + 1000],
    ]);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn condition Ready changed to Unknown: no check has run for 1 min 45 s: the node's health worker hangs, perhaps at P",
      'info condition Ready changed to True: every check passes',
    ]);
    expect(target.conditions.ready.get('all')).toMatchObject({ status: 'True', lastTransitionAt: at });
  }
});

test('a stale report does not make a target ready after a poll of readiness alone, caused by a closed connection', () => {
  const options = targetOptions({ info: false });
  const health = { all: fresh(report({ network: passing() })) };
  const before = judged(targetKnowing(options, { health, readiness: fresh(report({})) }));
  expect(before.conditions.ready.get('all')).toMatchObject({ status: 'True' });
  const late = noon + 200;
  const readiness = { outcome: { kind: 'ok', value: report({}) }, sentAt: late, endedAt: late } as const;
  const { state } = applyPoll(sources, before.state, { readiness }, { startedAt: late, endedAt: late, afterClose: true });
  const { target } = updateTarget(sources, { target: before, memory: noLines }, state, late);
  const { ready, healthy, started } = target.conditions;
  expect(started).toMatchObject({ status: 'True' });
  expect(healthy.get('all')).toMatchObject({ status: 'Unknown', reason: 'ReportStale' });
  expect(ready.get('all')).toMatchObject({ status: 'Unknown', reason: 'ReportStale' });
});

test('with a new address, the last poll of the previous address does not count for Live', () => {
  const options = targetOptions({ info: false });
  const before = judged(
    targetKnowing(options, {
      health: { all: fresh(report({ network: passing() })) },
      interval: measuredInterval(30),
      lastPoll: { at: noon - 5, answered: true, failures: [] },
    }),
  );
  expect(before.conditions.live).toMatchObject({ status: 'True' });
  let target = before;
  // The second address is found before the first was polled.
  for (const url of ['http://10.0.0.1:9650', 'http://10.0.0.2:9650']) {
    target = adjusted(sources, target, { ...options, url }, noon);
    expect(target.conditions.live).toMatchObject({ status: 'Unknown', reason: 'NotPolled' });
  }
  // A new process that hangs when it starts has never responded.
  for (let at = noon + 30; at < noon + 1500; at += 30) {
    const answer = { outcome: timedOut, sentAt: at - 5, endedAt: at };
    const asked = { readiness: answer, health: { reports: new Map([['all', answer]]), tags: new Map() }, liveness: answer };
    const { state } = applyPoll(sources, target.state, asked, { startedAt: at - 5, endedAt: at, afterClose: false });
    target = updateTarget(sources, { target, memory: noLines }, state, at).target;
    expect(target.conditions.live).toMatchObject({ status: 'Unknown', reason: 'NoResponse' });
  }
});

/** A target with what its polls bring. Times are seconds after noon. */
const polledTarget = (options: TargetOptions) => {
  let target = judged(targetKnowing(options), noon);
  return {
    poll: (at: number, brought: Brought, readiness = brought) => {
      const answer = (one: Brought) => ({ outcome: outcomeOf(one), sentAt: noon + at, endedAt: noon + at });
      const asked = { readiness: answer(readiness), health: { reports: new Map([['all', answer(brought)]]), tags: new Map() } };
      const times = { startedAt: noon + at, endedAt: noon + at, afterClose: false };
      const update = updateTarget(
        sources,
        { target, memory: noLines },
        applyPoll(sources, target.state, asked, times).state,
        noon + at,
      );
      target = update.target;
      return update;
    },
    adjust: (next: TargetOptions, at: number) => {
      target = adjusted(sources, target, next, noon + at);
      return target;
    },
  };
};

/** A node that has moved to another address. */
const movedNode = () => {
  const options = targetOptions({ info: false });
  const { poll, adjust } = polledTarget(options);
  for (let at = 0; at <= 180; at += 30) poll(at, report({ P: ok(at), X: fails(-90, 3) }), report({}));
  return { poll, moved: adjust({ ...options, url: 'http://10.0.0.2:9650' }, 200) };
};

test('with a new address, no condition is known before the first poll, and a poll without a response is no report', () => {
  const { poll, moved } = movedNode();
  const { started, live, ready, healthy } = moved.conditions;
  for (const one of [started, live, ready.get('all'), healthy.get('all')]) expect(one).toMatchObject({ reason: 'NotPolled' });
  const { conditions } = poll(205, timedOut).target;
  expect(conditions.ready.get('all')).toMatchObject({ status: 'False', reason: 'NoResponse' });
  expect(conditions.healthy.get('all')).toMatchObject({ status: 'Unknown', reason: 'NoResponse' });
});

test('the first report of a new address proves no recovery and no missed runs since the last one of the previous address', () => {
  const { poll, moved } = movedNode();
  expect(moved.state.interval.inferred).toBe(30);
  const { records, target } = poll(360, report({ P: ok(360), X: fails(300, 3) }), report({}));
  expect(records.map(({ kind }) => kind)).not.toContain('check');
  expect(target.state.missedRuns).toBe(0);
  expect(target.state.sources.health.transitions.get('X')).toMatchObject({ passing: 0, failing: 0 });
});

test('a reload that adds a tag set and a stricter rule changes no condition: the next poll applies the rule and records it', () => {
  const options = targetOptions({ info: false });
  const lenient = { ...options, readiness: { ...options.readiness, failAfter: 5 } };
  const { poll, adjust } = polledTarget(lenient);
  poll(0, report({ P: ok() }));
  const changesAt = (at: number) =>
    poll(at, report({ P: fails(at) }), report({}))
      .records.filter(({ condition }) => condition === 'Ready')
      .map(({ from, to }) => `${from} ${to}`);
  expect([30, 60, 90].flatMap(changesAt)).toEqual([]);
  const tagSets = [...options.tagSets, { name: 'mine', tags: ['x'] }];
  const { state, conditions } = adjust({ ...lenient, tagSets, readiness: options.readiness }, 100);
  expect(state.options.readiness.failAfter).toBe(2);
  expect(conditions.ready.get('all')).toMatchObject({ status: 'True' });
  expect(changesAt(120)).toEqual(['True False']);
});
