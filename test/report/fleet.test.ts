// The output and the keys of `snowgauge top`, as text, without a terminal.

import { describe, expect, test } from 'vitest';
import { fleetText } from '../../src/report/fleet.ts';
import type { AnsweredTarget, FleetAnswer } from '../../src/report/fleet-answer.ts';
import { unpainted } from '../../src/report/paint.ts';
import { afterKey, type Key, screenText, type TopView } from '../../src/report/top-view.ts';

const now = '2026-11-20T12:00:00.000Z';

const ready = (status: string, message: string, since: string, type = 'Ready') => ({
  type,
  status,
  message,
  lastTransitionTime: `2026-11-20T${since}.000Z`,
});

const target = (name: string, given: Partial<AnsweredTarget> = {}): AnsweredTarget => ({
  name,
  health: 'healthy',
  state: 'up',
  conditions: [],
  tagSets: [{ name: 'all', conditions: [ready('True', 'all pass', '09:00:00')] }],
  ...given,
});

const fleet: FleetAnswer = {
  now,
  total: 5,
  matched: 5,
  found: 5,
  counts: { failing: 3, uncertain: 0, healthy: 2 },
  polls: { frozen: 1, notPolledYet: 0, stale: 0, longestAgoSeconds: 11.2 },
  by: 'subnet',
  groups: [
    {
      name: 'my-l1',
      targets: 4,
      ready: 1,
      failing: 3,
      unknown: 0,
      since: '2026-11-20T10:00:00.000Z',
      reasons: [{ reason: 'bootstrapping', targets: 2 }],
    },
    { name: 'all', targets: 5, ready: 5, failing: 0, unknown: 0, reasons: [] },
  ],
  targets: [
    target('ill-b', {
      health: 'failing',
      tagSets: [{ name: 'my-l1', conditions: [ready('False', 'not bootstrapped', '10:00:00')] }],
    }),
    target('ill-a', {
      health: 'failing',
      state: 'down',
      reason: 'connection refused',
      tagSets: [{ name: 'my-l1', conditions: [ready('False', 'x', '11:59:00')] }],
    }),
    target('ice', { health: 'failing', frozen: { since: '2026-11-20T11:00:00.000Z' }, maintenance: {} }),
    target('good-b'),
    target('good-a'),
  ],
};

const shown = { sort: 'worst', filter: '', offset: 0 } as const;
const namesOf = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /^(?:ill|good|ice)\S*/.exec(line)?.[0] ?? []);

const refuse = {
  reason: 'refused',
  targets: 4,
  message: 'refuse connections: start them with --http-host',
  examples: ['a', 'b'],
};
const discovery = [
  {
    source: 'file/0',
    status: 'True',
    unwatched: [refuse, { ...refuse, reason: 'invalid', targets: 1, examples: ['c \u001b[2J'] }],
  },
  { source: 'http/0', status: 'Unknown', unwatched: [] },
  { source: 'file/1', status: 'False', message: 'missing.json: no such file', unwatched: [] },
];

describe('discovery', () => {
  const nothing = { ...fleet, total: 0, matched: 0, found: 0, groups: [], targets: [], discovery };
  const told = (rows?: number) =>
    fleetText(nothing, { ...shown, rows }, unpainted).lines.filter((line) => line.startsWith('discovery'));

  test('has a line for each failing source, and for each reason why targets are not watched', () => {
    expect(told()).toEqual([
      'discovery file/0: 4 refused: refuse connections: start them with --http-host (a, b)',
      'discovery file/0: 1 invalid: refuse connections: start them with --http-host (c \ufffd[2J)',
      'discovery file/1: failing: missing.json: no such file',
    ]);
  });

  test('is cut to the first lines on a small terminal, with the number of the others', () => {
    expect(told(15)).toHaveLength(3);
    expect(told(12)).toEqual([expect.stringContaining('4 refused'), 'discovery: 2 more, see the page']);
  });
});

test('a single target is written in the singular', () => {
  const one = { ...fleet, total: 1, matched: 1, found: 1 };
  expect(fleetText(one, shown, unpainted).lines[0]).toBe('1 target: 3 failing, 0 uncertain, 2 healthy');
});

test('a fleet is shown as counts, age of the data, groups and targets', () => {
  expect(fleetText(fleet, shown, unpainted).lines).toEqual([
    '5 targets: 3 failing, 0 uncertain, 2 healthy',
    'as of 12:00:00 UTC, 1 frozen, polled within the last 12 s',
    '',
    'SUBNET  READY   FOR  WHY',
    'my-l1   1 of 4  2 h  bootstrapping (2)',
    'all     5 of 5',
    '',
    'TARGET  HEALTH                  NOT READY  FOR    WHY',
    'ill-b   failing                 my-l1      2 h    not bootstrapped',
    'ill-a   down                    my-l1      1 min  connection refused',
    'ice     frozen, in maintenance             1 h    runs no health checks',
    'good-b  healthy',
    'good-a  healthy',
  ]);
});

test.each([
  { shard: 1, totalShards: 3, head: 'shard 1 of 3: 5 targets: 3 failing, 0 uncertain, 2 healthy' },
  { shard: 1, head: 'shard 1: 5 targets: 3 failing, 0 uncertain, 2 healthy' },
])('the first line names the shard: $head', ({ head, ...shard }) => {
  expect(fleetText({ ...fleet, ...shard }, shown, unpainted).lines[0]).toBe(head);
});

test.each([
  { sort: 'worst', names: ['ill-b', 'ill-a', 'ice', 'good-b', 'good-a'] },
  { sort: 'name', names: ['good-a', 'good-b', 'ice', 'ill-a', 'ill-b'] },
  { sort: 'since', names: ['ill-a', 'ice', 'ill-b', 'good-b', 'good-a'] },
] as const)('sorts targets by $sort', ({ sort, names }) => {
  expect(namesOf(fleetText(fleet, { ...shown, sort }, unpainted).lines)).toEqual(names);
});

test('control characters in names, reasons and times are not printed', () => {
  const odd = {
    ...fleet,
    now: '2026-11-20T\u001b[2J\u001b[H',
    targets: [target('\u001b[2J', { reason: 'a\nb\u001b[1m' })],
  };
  expect(fleetText(odd, shown, unpainted).lines.join('\n')).not.toContain('\u001b');
});

test.each([
  { title: 'is still ready', all: ready('True', 'x', '09:00:00'), cells: 'failing | 5 s' },
  { title: 'has just become not ready', all: ready('False', 'x', '11:59:59'), cells: 'failing | all | 5 s' },
  { title: 'was not ready before', all: ready('False', 'x', '11:59:40'), cells: 'failing | all | 20 s' },
])('a target that stopped responding and $title has the reason, and the time since the first of both', ({ all, cells }) => {
  const silent = target('ill-c', {
    health: 'failing',
    conditions: [ready('False', 'no response within 5000 ms', '11:59:55', 'Started'), ready('True', 'x', '09:00:00', 'Live')],
    tagSets: [{ name: 'all', conditions: [all] }],
  });
  const { lines } = fleetText({ ...fleet, targets: [...fleet.targets, silent] }, { ...shown, sort: 'since' }, unpainted);
  expect(lines[8]?.replace(/ {2,}/g, ' | ')).toBe(`ill-c | ${cells} | no response within 5000 ms`);
});

test('without polled targets, no poll age is shown', () => {
  const polls = { frozen: 0, notPolledYet: 0, stale: 0, longestAgoSeconds: 0 };
  const counts = { failing: 0, uncertain: 0, healthy: 0 };
  const none = { ...fleet, matched: 0, found: 0, counts, polls, groups: [], targets: [] };
  expect(fleetText(none, shown, unpainted).lines.slice(0, 2)).toEqual([
    '0 of 5 targets: 0 failing, 0 uncertain, 0 healthy',
    'as of 12:00:00 UTC',
  ]);
  const unpolled = { ...none, matched: 5, polls: { ...polls, notPolledYet: 3, stale: 2 } };
  expect(fleetText(unpolled, shown, unpainted).lines[1]).toBe('as of 12:00:00 UTC, 2 stale, 3 not polled yet');
});

describe('keys', () => {
  const view: TopView = { ...shown, isTyping: false, onlyIll: false, by: 'subnet' };
  const typing = { ...view, isTyping: true, filter: 'il' };
  test.each<{ title: string; before?: TopView; key: Key; after: Partial<TopView> | 'quit' }>([
    { title: 'q quits', key: { sequence: 'q' }, after: 'quit' },
    { title: 'Ctrl-C quits', key: { name: 'c', ctrl: true }, after: 'quit' },
    { title: 'Ctrl-C quits while a filter is typed', before: typing, key: { name: 'c', ctrl: true }, after: 'quit' },
    { title: 's sorts by the next column', key: { sequence: 's' }, after: { sort: 'name' } },
    {
      title: 's sorts the worst first again after the last column',
      before: { ...view, sort: 'since' },
      key: { sequence: 's' },
      after: { sort: 'worst' },
    },
    { title: 'h hides healthy targets', key: { sequence: 'h' }, after: { onlyIll: true } },
    { title: 'g groups by network', key: { sequence: 'g' }, after: { by: 'network' } },
    { title: '/ starts a filter', key: { sequence: '/' }, after: { isTyping: true } },
    { title: 'q is a letter of a filter', before: typing, key: { sequence: 'q', name: 'q' }, after: { filter: 'ilq' } },
    {
      title: 'an arrow is not a letter of a filter',
      before: typing,
      key: { sequence: '\u001b[A', name: 'up' },
      after: { filter: 'il', offset: 0 },
    },
    { title: 'backspace deletes a letter', before: typing, key: { name: 'backspace' }, after: { filter: 'i' } },
    { title: 'Enter keeps the filter', before: typing, key: { name: 'return' }, after: { filter: 'il', isTyping: false } },
    { title: 'Esc clears the filter', before: typing, key: { name: 'escape' }, after: { filter: '', isTyping: false } },
    { title: 'down scrolls', key: { name: 'down' }, after: { offset: 1 } },
    { title: 'up stops at the top', key: { name: 'up' }, after: { offset: 0 } },
    { title: 'page down scrolls further', key: { name: 'pagedown' }, after: { offset: 10 } },
  ])('$title', ({ before = view, key, after }) => {
    if (after === 'quit') expect(afterKey(before, key)).toBe('quit');
    else expect(afterKey(before, key)).toMatchObject(after);
  });
});

describe('the screen', () => {
  const view: TopView = { ...shown, isTyping: false, onlyIll: false, by: 'subnet' };
  const screen = { url: 'http://127.0.0.1:9652', fleet, columns: 60, rows: 14 };

  test.each([
    { columns: 60, rows: 14 },
    { columns: 20, rows: 5 },
    { columns: 10, rows: 2 },
  ])('has no more than $rows lines, none wider than $columns', (size) => {
    const { lines } = screenText(view, { ...screen, ...size }, unpainted);
    expect(lines.length).toBeLessThanOrEqual(size.rows);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(size.columns);
  });

  test('hides healthy targets with onlyIll, and filters by name', () => {
    expect(namesOf(screenText({ ...view, onlyIll: true }, { ...screen, rows: 30 }, unpainted).lines)).toEqual([
      'ill-b',
      'ill-a',
      'ice',
    ]);
    expect(namesOf(screenText({ ...view, filter: 'A' }, { ...screen, rows: 30 }, unpainted).lines)).toEqual(['ill-a', 'good-a']);
  });

  test.each([
    { title: 'all targets', list: {}, last: ['good-b', 'good-a'], up: ['ice', 'good-b'] },
    { title: 'unhealthy targets', list: { onlyIll: true }, last: ['ill-a', 'ice'], up: ['ill-b', 'ill-a'] },
    { title: 'targets of a name', list: { filter: 'l' }, last: ['ill-b', 'ill-a'], up: ['ill-b', 'ill-a'] },
  ])('scrolling $title ends at the last page, and one up scrolls back', ({ list, last, up }) => {
    const small = { ...screen, rows: 11 };
    const bottom = { ...view, ...list, offset: 99 };
    const end = screenText(bottom, small, unpainted);
    expect(namesOf(end.lines)).toEqual(last);
    const next = afterKey({ ...bottom, offset: end.offset }, { name: 'up' });
    expect(next === 'quit' ? next : namesOf(screenText(next, small, unpainted).lines)).toEqual(up);
  });

  test('shows that it is disconnected, for how long and why, and keeps the last targets', () => {
    const failed = { seconds: 61, reason: 'no response\u001b[0m' };
    const { lines } = screenText(view, { ...screen, columns: 100, failed }, unpainted);
    expect(lines[0]).toBe('Disconnected for 1 min 1 s: no response\uFFFD[0m (http://127.0.0.1:9652)');
    expect(namesOf(lines)).toContain('ill-b');
  });
});
