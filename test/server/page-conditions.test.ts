// Conditions and the event history on the status page, fetched over a real socket.

import { describe, expect, test } from 'vitest';
import type { Condition } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { createEventHistory } from '../../src/events/event-history.ts';
import { createRing } from '../../src/events/ring.ts';
import { draft } from '../support/events.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { pageOf, textOf } from '../support/page.ts';
import {
  failing,
  fresh,
  judged,
  noon,
  passing,
  report,
  stopped,
  targetKnowing,
  targetOptions,
  targetsOf,
} from '../support/snapshot.ts';
import { troubledTargets, troubledTransitions } from '../support/troubled.ts';

const options = targetOptions();

describe('conditions and the event history', () => {
  const failure = { kind: 'timeout', afterMs: 5000 } as const;

  test('a target that is ready but unhealthy needs attention, and shows both reasons', async () => {
    const target = judged(targetKnowing(options, { health: { all: fresh(report({ disk: failing('full') })) } }));
    const ready: Condition = { status: 'True', reason: 'FailuresIgnored', message: 'disk is ignored', failureReasons: [] };
    const conditions = { ...target.conditions, ready: new Map([['all', ready]]) };
    const { page, text } = await pageOf(new Map([['node', { ...target, conditions }]]));
    expect(page).toContain('node needs attention.');
    expect(text).toMatch(/all ✓ ready ✕ unhealthy disk is ignored ?unhealthy: 1 of 1 check fails: disk/);
    expect(page).toContain('data-key="all" class="warn ');
  });

  test('the fleet page shows since when a ready target does not respond, not since when it is healthy', async () => {
    const value = report({ disk: passing() });
    const answered = (at: number) => targetKnowing(options, { health: { all: fresh(value, at) } });
    const silent = targetKnowing(options, {
      process: { state: 'reported' },
      health: { all: { state: 'stale', value, at: noon - 65, failure, failedAt: noon } },
      lastPoll: { at: noon, answered: false, failures: [failure] },
    });
    const before = judge(judge(undefined, answered(noon - 3600), noon - 3600), answered(noon - 65), noon - 65);
    const others = ['a', 'b', 'c'].map((name) => targetKnowing(targetOptions({ name }), { health: { all: fresh(value) } }));
    const conditions = judge(before, silent, noon);
    const unready: Condition = { status: 'False', reason: 'NoResponse', message: 'silent', failureReasons: [] };
    const unreadySince = (at: number) => new Map([['all', { ...unready, lastTransitionAt: at }]]);
    for (const { ready, shown } of [
      { ready: conditions.ready, shown: 'no response within 5000 ms 12:00:00' },
      { ready: unreadySince(noon + 5), shown: '✕ all no response within 5000 ms 12:00:00' },
      { ready: unreadySince(noon - 60), shown: '✕ all no response within 5000 ms 11:59:00' },
    ]) {
      const node = { state: silent, conditions: { ...conditions, ready } };
      const { text } = await pageOf(new Map([...targetsOf(...others), ['node', node]]));
      expect(text).toContain(`node ✕ failing ${shown}`);
    }
  });

  test('a failed poll below the failure threshold is explained once, with the age of the data', async () => {
    const state = { state: 'stale', value: report({ disk: passing() }), at: noon - 35, failure, failedAt: noon } as const;
    const target = judged(targetKnowing(options, { health: { all: state } }));
    const of = { failureReasons: [] };
    const error = 'no response within 5000 ms';
    const ready: Condition = {
      ...of,
      status: 'True',
      reason: 'WithinThreshold',
      message: `${error}; not ready after 2, so far 1`,
    };
    const healthy: Condition = { ...of, status: 'Unknown', reason: 'NoResponse', message: error };
    const conditions = { ...target.conditions, ready: new Map([['all', ready]]), healthy: new Map([['all', healthy]]) };
    const { text } = await pageOf(new Map([['node', { ...target, conditions }]]));
    expect(text).toContain(`all ✓ ready ! unknown ${error}; not ready after 2, so far 1The data is from 35 s ago.`);
  });

  test.each([
    { safeToRestart: { result: 'safe' }, says: 'Safe to restart✓ yes' },
    {
      safeToRestart: { result: 'unsafe', message: 'it <is> bootstrapping' },
      says: 'Safe to restart! no it &lt;is&gt; bootstrapping',
    },
    { safeToRestart: { result: 'unknown', message: 'who is left?' }, says: 'Safe to restart· unknown who is left?' },
  ] as const)('shows whether the target is safe to restart, and why: $safeToRestart.result', async ({ safeToRestart, says }) => {
    const target = judged(targetKnowing(options, {}));
    const { text } = await pageOf(new Map([['node', { ...target, safeToRestart }]]));
    expect(text).toContain(says);
    expect((await pageOf(new Map([['node', target]]))).text).not.toContain('Safe to restart');
  });

  const troubled = async () => {
    const { url } = await serveExporter({
      state: () => stateOf(troubledTargets(), { startedAt: noon - 7400 }),
      transitions: troubledTransitions,
    });
    const page = await (await fetch(url)).text();
    return { page, text: textOf(page) };
  };

  test('a row for each tag set shows ready, healthy, the reason and its duration, worst first', async () => {
    const { text } = await troubled();
    const all = 'all ✕ not ready ✕ unhealthy bootstrapped: bootstrapping (subnets not bootstrapped), and one more';
    expect(text).toContain(`${all} 2 h`);
    expect(text).toContain('alpha ✕ not ready ✕ unhealthy bootstrapped: bootstrapping 2 h');
    expect(text).toContain('beta ! unknown ! unknown no response within 5000 ms');
    expect(text.indexOf('beta ! unknown')).toBeGreaterThan(text.indexOf('alpha ✕ not ready'));
    expect(text).toContain('Started✓ yes');
  });

  const still = report({ P: passing({ timestamp: noon - 310 }), 'beta-game': passing({ timestamp: noon - 340 }) });
  test.each([
    { poll: 'succeeded', all: fresh(still) },
    { poll: 'failed', all: { state: 'stale', value: still, at: noon - 31, failure, failedAt: noon - 1 } as const },
  ])('a frozen health worker is shown first, with its suspect, if the last poll $poll', async ({ all }) => {
    const process = { state: 'reported' } as const;
    const { page, text } = await pageOf(
      targetsOf(targetKnowing(options, { health: { all }, ...stopped(noon - 300, 10), process })),
    );
    expect(text).toContain('node is failing: its checks have stopped running.');
    expect(text).toContain('Frozen: the node has run no check for 5 min.');
    expect(text).toContain('It probably hangs in beta-game.');
    expect(text).toContain('All 2 passed in the last report');
    expect(page).toMatch(/<tr role="row" data-key="all" class="(?:warn|bad) old">/);
  });

  test('a tag that no check has is named', async () => {
    const sets = [
      { name: 'all', tags: [] },
      { name: 'typo', tags: ['2bRCx'] },
    ];
    const known = { all: fresh(report({ P: passing() })), typo: fresh(report({ P: passing() })) };
    const { text } = await pageOf(
      targetsOf(
        targetKnowing(targetOptions({ tagSets: sets }), {
          health: known,
          tags: { adds: new Map([['2bRCx', false]]), toAsk: 0, open: [] },
        }),
      ),
    );
    expect(text).toContain('the node has no check with tag &quot;2bRCx&quot;');
    expect(text).not.toContain('No check of the node has the tag');
  });

  test('lists the last changes, newest first, and escapes their markup', async () => {
    const { text, page } = await troubled();
    expect(text).toMatch(/Last 12 changes within 3 h 1 min 31 s ago alpha-dex passing → failing block processing too long/);
    expect(page).not.toMatch(/<img|<svg onload/);
  });

  test('lists changes of conditions, of the NodeID and of maintenance windows', async () => {
    const { url } = await serveExporter({
      transitions: () => [
        { kind: 'node-id-changed', at: noon - 60, from: 'NodeID-a', to: 'NodeID-b' },
        { kind: 'condition', at: noon - 30, condition: 'Ready', tagSets: ['alpha'], from: 'True', to: 'False', message: 'disk' },
        { kind: 'condition', at: noon - 20, condition: 'Live', from: 'True', to: 'Unknown', message: 'no response' },
        { kind: 'maintenance', at: noon - 10, message: 'until 2026-11-20T13:00:00.000Z (api): upgrade' },
        { kind: 'maintenance-ended', at: noon - 5 },
      ],
    });
    const text = textOf(await (await fetch(url)).text());
    expect(text).toContain('5 s ago maintenance ended 10 s ago maintenance until 2026-11-20T13:00:00.000Z (api): upgrade');
    expect(text).toContain('20 s ago Live: True → Unknown no response');
    expect(text).toContain('30 s ago Ready for alpha: True → False disk');
    expect(text).toContain('1 min ago NodeID changed: NodeID-a → NodeID-b');
  });

  test('a check that had not run yet is shown as not yet run, and not as failing', async () => {
    const P = { check: 'P', error: 'not yet run', reason: 'not-yet-run' } as const;
    const { url } = await serveExporter({
      transitions: () => [
        { ...P, kind: 'found-failing', at: noon - 60, to: 'failing' },
        { ...P, kind: 'check', at: noon - 30, from: 'failing', to: 'passing' },
      ],
    });
    const page = await (await fetch(url)).text();
    expect(textOf(page)).toMatch(/30 s ago P not yet run → passing 1 min ago P not yet run(?! not)/);
    expect(page).not.toContain('class="ill"');
  });

  test('the check of a node that shuts down is shown as failing before its first run', async () => {
    const begun = { check: 'shuttingDown', error: 'not yet run', reason: 'shutting-down' } as const;
    const { url } = await serveExporter({
      transitions: () => [{ ...begun, kind: 'found-failing', at: noon - 60, to: 'failing' }],
    });
    expect(textOf(await (await fetch(url)).text())).toMatch(/1 min ago shuttingDown found failing(?! not)/);
  });

  test('Ready and Healthy of a tag set that changed in one poll share a line, and changes in other polls do not', async () => {
    const change = { kind: 'condition', from: 'True', to: 'False', message: 'disk' } as const;
    const { url } = await serveExporter({
      transitions: () => [
        { ...change, at: noon - 50, condition: 'Healthy', tagSets: ['alpha'] },
        { ...change, at: noon - 40, condition: 'Ready', tagSets: ['alpha'] },
        { ...change, at: noon - 30, condition: 'Ready', tagSets: ['beta'] },
        { ...change, at: noon - 30, condition: 'Healthy', tagSets: ['beta'], to: 'Unknown' },
        { ...change, at: noon - 30, condition: 'Healthy', tagSets: ['gamma'] },
        { ...change, at: noon - 30, condition: 'Healthy', tagSets: ['delta'] },
      ],
    });
    const text = textOf(await (await fetch(url)).text());
    expect(text).toContain(
      [
        'Last 4 changes within 15 min',
        '30 s ago Healthy for gamma, delta: True → False disk',
        '30 s ago Ready for beta: True → False, Healthy: True → Unknown disk',
        '40 s ago Ready for alpha: True → False disk',
        '50 s ago Healthy for alpha: True → False disk',
      ].join(' '),
    );
  });

  test('a check that failed lately has a strip, and one that never changed has none', async () => {
    const { page } = await troubled();
    expect(page).toMatch(/data-key="bootstrapped".*?<div class="strip">.*?<span>last 3 h: failed once, 2 h in all</s);
    expect(page).toMatch(/data-key="network".*?<span>last 3 h: failed 20 times, 5 min in all</s);
    expect(/data-key="router"(.*?)<\/tr>/s.exec(page)?.[1]).not.toContain('<svg');
  });

  test('a strip begins at the oldest kept change if older ones were evicted', async () => {
    const eventHistory = createEventHistory({ run: 'test', ring: createRing({ perTarget: 2, bytes: 1e6 }) });
    const mended = { from: 'failing', to: 'passing' };
    eventHistory.add([draft(-5000, mended), draft(-1200), draft(-600, mended)]);
    const targets = targetsOf(targetKnowing(targetOptions(), { health: { all: fresh(report({ database: passing() })) } }));
    const { url } = await serveExporter({ eventHistory, state: () => stateOf(targets, { startedAt: noon - 20_000 }) });
    expect(await (await fetch(url)).text()).toContain('<span>last 1 h: failed once, 10 min in all</span>');
  });

  test('the page is smaller than 50 KB when everything fails at once', async () => {
    expect(Buffer.byteLength((await troubled()).page)).toBeLessThan(50_000);
  });
});
