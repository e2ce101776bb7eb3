// The target status that the page and /api/v1/status share.

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Condition, Target } from '../../src/conditions/condition.ts';
import { messageFields } from '../../src/server/message.ts';
import { createStatusJson, targetStatus } from '../../src/server/status.ts';
import { unknownClock } from '../../src/snapshot/clock.ts';
import { boundedMessage } from '../../src/sources/health/bounded-message.ts';
import { checksOf } from '../../src/sources/health/check-status.ts';
import { maxChecks } from '../../src/sources/health/checks.ts';
import { unverified } from '../../src/sources/indexes/verification.ts';
import { sources } from '../../src/sources/sources.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { richInfo, richValidator } from '../support/rich.ts';
import {
  failing,
  fresh,
  judged,
  type Known,
  measuredInterval,
  noon,
  passing,
  report,
  targetKnowing,
  targetOptions,
  targetsOf,
} from '../support/snapshot.ts';

const viewOf = (known: Known, { now = noon, wallOffset = 0, options = targetOptions() } = {}) => {
  const targets = targetsOf(targetKnowing(options, known));
  const [target] = targets.values();
  if (target === undefined) throw new Error('no target');
  return targetStatus(sources, target, { now, wallOffset });
};

const healthy = report({ P: passing() });
const refused = { kind: 'refused', reason: 'connect ECONNREFUSED' } as const;
const timeout = { kind: 'timeout', afterMs: 5000 } as const;

describe('a target', () => {
  test.each([
    { when: 'that was never polled', known: {}, view: { state: 'pending', tagSets: [{ freshness: 'pending' }] } },
    {
      when: 'with a current report',
      known: { health: { all: fresh(healthy, noon - 90) } },
      view: { state: 'up', tagSets: [{ freshness: 'current', healthy: true, ageSeconds: 90 }] },
    },
    {
      when: 'without a response for more than three check intervals',
      known: { health: { all: fresh(healthy, noon - 91) } },
      view: { state: 'down', reason: 'last report is 1 min 31 s old', tagSets: [{ freshness: 'stale', healthy: true }] },
    },
    {
      when: 'without a response for more than three check intervals, whose process is gone,',
      known: {
        health: { all: fresh(healthy, noon - 91) },
        process: { state: 'gone' as const, failure: refused, since: noon - 80 },
      },
      view: { state: 'down', reason: expect.stringMatching(/^connection refused/), process: 'gone' },
    },
    {
      when: 'whose last poll failed, but whose report is current,',
      known: { health: { all: { state: 'stale' as const, value: healthy, at: noon - 35, failure: timeout, failedAt: noon } } },
      view: { state: 'up', tagSets: [{ freshness: 'current', healthy: true, lastError: 'no response within 5000 ms' }] },
    },
    {
      when: 'that never responded',
      known: { health: { all: { state: 'failed' as const, failure: timeout, failedAt: noon } } },
      view: { state: 'down', reason: 'no response within 5000 ms', tagSets: [{ freshness: 'failed' }] },
    },
  ])('$when is $view.state', ({ known, view }) => {
    expect(viewOf(known)).toMatchObject(view);
  });

  test('corrects ages by the clock skew of the node, and leaves its timestamps as they are', () => {
    const clock = { lower: 299.5, upper: 300.5, at: noon };
    const check = failing('e', { timestamp: noon + 290, timeOfFirstFailure: noon + 240 });
    expect(viewOf({ clock, health: { all: fresh(report({ P: check })) } })).toMatchObject({
      clockSkewSeconds: 300,
      checks: [{ lastRunAt: '2026-11-20T12:04:50.000Z', lastRunAgeSeconds: 10, failingForSeconds: 60 }],
    });
  });

  test('leaves out an unknown clock skew', () => {
    expect(viewOf({ clock: unknownClock })).not.toHaveProperty('clockSkewSeconds');
  });

  test('leaves out missed runs if the check interval is unknown or less than a second', () => {
    const interval = measuredInterval(15);
    expect(viewOf({ interval, missedRuns: 2, countsRuns: true })).toHaveProperty('missedRuns', 2);
    expect(viewOf({})).not.toHaveProperty('missedRuns');
    expect(viewOf({ interval: { ...interval, subsecondSigns: 2 }, missedRuns: 2, countsRuns: true })).not.toHaveProperty(
      'missedRuns',
    );
  });
});

test.each([
  { when: 'while it is open', at: noon, maintenance: { until: '2026-11-20T12:01:00.000Z', reason: 'disk', source: 'api' } },
  {
    when: 'after the clock was set back to before its start',
    at: noon - 3600,
    maintenance: { until: '2026-11-20T12:01:00.000Z', reason: 'disk', source: 'api' },
  },
  { when: 'not from its end on', at: noon + 60, maintenance: undefined },
])('a maintenance window is shown $when', ({ at, maintenance }) => {
  const window = { start: noon - 10, end: noon + 60, reason: 'disk', source: 'api' } as const;
  const target = { ...judged(targetKnowing(targetOptions())), maintenance: window };
  expect(targetStatus(sources, target, { now: at, wallOffset: 0 }).maintenance).toEqual(maintenance);
});

test('timestamps of the exporter are shown in wall clock time, with the offset of the steady clock', () => {
  const options = { wallOffset: 7200 };
  const clock = { lower: 7199.5, upper: 7200.5, at: noon };
  const last = { id: 'id', bytes: '0x', timestamp: '2026-11-20T13:59:00Z', encoding: 'hex', index: 1n };
  const view = viewOf(
    {
      clock,
      health: { all: fresh(report({ P: passing({ timestamp: noon + 7190 }) })) },
      lastPoll: { at: noon - 5, answered: false, failures: [] },
      indexes: { 'P/block': fresh({ state: 'ok', last }) },
    },
    { ...options, options: targetOptions({ indexes: ['P/block'] }) },
  );
  expect(view).toMatchObject({
    lastPollAt: '2026-11-20T13:59:55.000Z',
    lastPollAgeSeconds: 5,
    clockSkewSeconds: 0,
    tagSets: [{ answeredAt: '2026-11-20T13:59:55.000Z', ageSeconds: 5 }],
    checks: [{ lastRunAt: '2026-11-20T13:59:50.000Z', lastRunAgeSeconds: 10 }],
    indexes: [{ lastAcceptedAgeSeconds: 60 }],
  });
  expect(view.conditions[0].lastTransitionTime).toBe('2026-11-20T14:00:00.000Z');
  // If the clock of the node is unknown, the wall clock is the best guess.
  expect(viewOf({ health: { all: fresh(report({ P: passing({ timestamp: noon + 7190 }) })) } }, options)).toMatchObject({
    checks: [{ lastRunAgeSeconds: 10 }],
  });
});

test('a condition is shown as of now: Unknown ReportStale an hour after it was computed', () => {
  const known = { health: { all: fresh(healthy) }, lastPoll: { at: noon - 5, answered: false, failures: [] } };
  const options = targetOptions();
  const target = viewOf(known, { options });
  expect(target.tagSets[0]?.conditions).toMatchObject([
    { type: 'Ready', status: 'True', reason: 'ChecksPassing' },
    { type: 'Healthy', status: 'True', reason: 'ChecksPassing' },
  ]);
  expect(viewOf(known, { options, now: noon + 3600 }).tagSets[0]?.conditions).toMatchObject([
    { type: 'Ready', status: 'Unknown', reason: 'ReportStale' },
    { type: 'Healthy', status: 'Unknown', reason: 'ReportStale' },
  ]);
});

describe('checks', () => {
  test('are limited to the worst 200', () => {
    const many = Object.fromEntries(Array.from({ length: maxChecks + 7 }, (_, n) => [`c${n}`, passing()]));
    const { checks, checksLeftOut, tagSets } = viewOf({ health: { all: fresh(report({ ...many, bad: failing('e') })) } });
    expect(tagSets[0]).toMatchObject({
      checkCounts: { failing: 1, notYetRun: 0, passing: maxChecks + 7 },
      failingChecks: ['bad'],
    });
    expect(checks?.[0]?.name).toBe('bad');
    expect(checks).toHaveLength(maxChecks);
    expect(checksLeftOut).toBe(8);
  });

  test('with an empty error are failing, and may be named __proto__', () => {
    const checks = new Map([['__proto__', failing('')]]);
    expect(viewOf({ health: { all: fresh({ checks, healthy: false }) } }).checks).toMatchObject([
      { name: '__proto__', state: 'failing', error: '' },
    ]);
  });
});

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

describe('a check message', () => {
  test.each([
    { of: 'a number', message: 3, value: 3, cut: false },
    { of: 'null', message: null, value: null, cut: false },
    {
      of: 'a member named __proto__',
      message: JSON.parse('{"__proto__":{"a":1}}'),
      value: JSON.parse('{"__proto__":{"a":1}}'),
      cut: false,
    },
    { of: 'a long list', message: new Array(20).fill(1), value: [...new Array(16).fill(1), '… 4 more'], cut: true },
    { of: 'a long text', message: 'x'.repeat(1000), value: `${'x'.repeat(170)}…${'x'.repeat(85)}`, cut: true },
    { of: 'half a surrogate pair', message: 'a\ud800b', value: 'a\uFFFDb', cut: true },
  ])('with $of is cut: $cut', ({ message, value, cut }) => {
    expect(boundedMessage(message)).toEqual({ value, cut });
  });

  test.each([
    { of: 'many members', message: Object.fromEntries(Array.from({ length: 9999 }, (_, n) => [`member ${n}`, 'x'.repeat(999)])) },
    { of: 'great depth', message: nested(100_000) },
    { of: 'great width and depth', message: new Array(50).fill(new Array(50).fill(new Array(50).fill('x'.repeat(99)))) },
  ])('with $of is cut to less than 6,000 characters', ({ message }) => {
    const bounded = boundedMessage(message);
    expect(bounded.cut).toBe(true);
    expect(JSON.stringify(bounded.value).length).toBeLessThan(6000);
  });

  test('that the poll has cut is marked as cut, whatever its size', () => {
    const [check] = checksOf(report({ P: { ...passing(), message: { a: 1 }, messageCut: true } }), noon, () => []);
    expect(check).toMatchObject({ message: { a: 1 }, messageCut: true });
  });

  test('is split into field paths and values', () => {
    expect(messageFields({ a: { b: 1 }, list: [], names: ['x', 'y'] })).toEqual([
      ['a.b', '1'],
      ['list', 'none'],
      ['names', 'x, y'],
    ]);
  });
});

/** The paths of all members, arrays as their first item. */
const membersOf = (value: unknown, path = ''): readonly string[] => {
  if (typeof value !== 'object' || value === null || path.endsWith('.message')) return [path];
  if (Array.isArray(value)) return membersOf(value[0], `${path}[]`);
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${path}.${name}`));
};

test('the example in docs/api.md has exactly the members of a real response', async () => {
  const docs = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const example: unknown = JSON.parse(/```json\n(.*?)```/s.exec(docs)?.[1] ?? 'null');

  const last = { id: 'id', bytes: '0x', timestamp: '2026-11-20T11:59:58.5Z', encoding: 'hex', index: 48213n };
  const stale = { state: 'stale' as const, at: noon - 30, failure: timeout, failedAt: noon };
  const known: Known = {
    nodeId: 'NodeID-a',
    info: richInfo,
    validator: richValidator,
    lastPoll: { at: noon - 3, answered: false, failures: [] },
    clock: { lower: 0, upper: 1, at: noon },
    interval: measuredInterval(30),
    countsRuns: true,
    readiness: fresh(healthy),
    liveness: fresh(healthy),
    health: { all: { ...stale, value: report({ P: failing('e', { message: { vm: null } }) }) } },
    indexes: { 'P/block': { ...stale, value: { state: 'ok', last } } },
    growth: new Map([
      [
        'P/block',
        [
          { count: 1n, at: noon - 90 },
          { count: 29n, at: noon - 30 },
        ],
      ],
    ]),
    verifications: new Map([
      [
        'P/block',
        {
          ...unverified,
          chain: { compared: { block: { height: 48_214n, id: 'id' }, drift: 0n, agrees: true, at: noon - 30 } },
          following: { tail: { number: 48_213n, last, at: noon - 30 }, rangeSize: 64 },
        },
      ],
    ]),
  };
  const target = judged(targetKnowing(targetOptions({ indexes: ['P/block'], nodeId: 'NodeID-b' }), known));
  const unready: Condition = {
    status: 'False',
    reason: 'ChecksFailing',
    message: 'bootstrapped: subnets not bootstrapped',
    failureReasons: ['bootstrapping'],
    lastTransitionAt: noon - 60,
  };
  const conditions: Target['conditions'] = {
    ...target.conditions,
    ready: new Map([['all', unready]]),
    healthy: new Map([['all', unready]]),
    trueUntil: noon,
  };
  const configuration = { source: '/etc/snowgauge/snowgauge.yaml', loadedAt: noon, needRestart: [] };
  const { url } = await serveExporter({
    state: () => stateOf(new Map([['node', { ...target, conditions }]]), { configuration }),
  });
  const answer: unknown = await (await fetch(`${url}/api/v1/status`)).json();
  expect(membersOf(answer).toSorted()).toEqual(membersOf(example).toSorted());
});

test('a response is cached for a second while nothing changes', async () => {
  let version = 1;
  let now = noon;
  const targets = new Map(targetsOf(targetKnowing(targetOptions(), { health: { all: fresh(healthy) } })));
  const { url } = await serveExporter({ state: () => stateOf(targets, { version }), now: () => now });
  const ask = async () => (await fetch(`${url}/api/v1/status`)).json();
  const first = await ask();
  now += 0.4;
  expect(await ask()).toEqual(first);
  targets.clear();
  version += 1;
  expect(await ask()).toMatchObject({ now: '2026-11-20T12:00:00.400Z', targets: [] });
  now += 1;
  expect(await ask()).toMatchObject({ now: '2026-11-20T12:00:01.400Z' });
});

describe('the JSON of many targets', () => {
  test('renders each target at most once a second unless it changed, a few per iteration of the event loop', async () => {
    let [shown, turns, isOver] = [0, 0, false];
    const status: typeof sources.liveness.status = (state, context) => {
      shown += 1;
      return sources.liveness.status(state, context);
    };
    const json = createStatusJson({ ...sources, liveness: { ...sources.liveness, status } });
    const targets = new Map(
      targetsOf(...Array.from({ length: 100 }, (_, at) => targetKnowing(targetOptions({ name: `n${at}` })))),
    );
    const own = { version: '0', startedAt: noon };
    const at = async (now: number): Promise<{ readonly now: string; readonly targets: readonly { readonly name: string }[] }> =>
      JSON.parse(Buffer.from(await json(targets.values(), own, { now, wallOffset: 0 })).toString());
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const first = await at(noon);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(first.targets.map(({ name }) => name)).toEqual([...targets.keys()]);
    targets.set('n7', judged(targetKnowing(targetOptions({ name: 'n7' }), { health: { all: fresh(healthy) } })));
    expect((await at(noon + 0.5)).targets[7]).toMatchObject({ name: 'n7', state: 'up' });
    expect(shown).toBe(101);
    expect((await at(noon + 1)).now).toBe('2026-11-20T12:00:01.000Z');
    expect(shown).toBe(201);
  });

  test('shows its age after the clock was set back to the second of the last request', async () => {
    const json = createStatusJson(sources);
    const targets = targetsOf(targetKnowing(targetOptions(), { health: { all: fresh(healthy, noon) } }));
    const at = async (now: number, wallOffset: number): Promise<unknown> =>
      JSON.parse(Buffer.from(await json(targets.values(), { version: '0', startedAt: noon }, { now, wallOffset })).toString());
    await at(noon + 5, 0);
    expect(await at(noon + 10, -5)).toMatchObject({
      now: '2026-11-20T12:00:05.000Z',
      targets: [{ tagSets: [{ ageSeconds: 10, answeredAt: '2026-11-20T11:59:55.000Z' }] }],
    });
  });
});
