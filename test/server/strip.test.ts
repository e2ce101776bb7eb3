// The state of a check in the last hours, as SVG and as text.

import { describe, expect, test } from 'vitest';
import { checkStrip, historyOf } from '../../src/server/history.ts';
import { type ShownTransition, stretches, strip, windowOf } from '../../src/server/strip.ts';
import { noon } from '../support/snapshot.ts';

const change = (ago: number, from: string | undefined, to: string, more: Partial<ShownTransition> = {}): ShownTransition => ({
  kind: from === undefined ? 'found-failing' : 'check',
  at: noon - ago,
  check: 'network',
  ...(from !== undefined && { from }),
  to,
  ...more,
});

const hour = { from: noon - 3600, to: noon };
const drawn = (transitions: readonly ShownTransition[], now: 'failing' | 'passing' | 'unknown', since = noon - 1e6): string =>
  String(strip(transitions, now, { since, begun: since }, hour));

describe('the window', () => {
  test.each([
    { since: 10, width: 900 },
    { since: 901, width: 3600 },
    { since: 3600, width: 3600 },
    { since: 9000, width: 10_800 },
    { since: 1e6, width: 21_600 },
  ])('of a history of $since s is $width s wide', ({ since, width }) => {
    expect(windowOf(noon - since, noon)).toEqual({ from: noon - width, to: noon });
  });
});

describe('the stretches of a check', () => {
  test.each([
    { that: 'never changed', seen: [], now: 'passing', found: [[1e6, 'passing']] },
    {
      that: 'began to fail',
      seen: [change(60, 'passing', 'failing')],
      now: 'failing',
      found: [
        [1e6, 'passing'],
        [60, 'failing'],
      ],
    },
    {
      that: 'was found failing',
      seen: [change(60, undefined, 'failing')],
      now: 'failing',
      found: [
        [1e6, 'unknown'],
        [60, 'failing'],
      ],
    },
    {
      that: 'had not run yet, and then passed',
      seen: [
        change(90, undefined, 'failing', { reason: 'not-yet-run' }),
        change(60, 'failing', 'passing', { reason: 'not-yet-run' }),
      ],
      now: 'passing',
      found: [
        [1e6, 'unknown'],
        [90, 'unknown'],
        [60, 'passing'],
      ],
    },
    {
      that: 'had not run yet, and then failed',
      seen: [change(90, undefined, 'failing', { reason: 'not-yet-run' }), change(60, undefined, 'failing')],
      now: 'failing',
      found: [
        [1e6, 'unknown'],
        [90, 'unknown'],
        [60, 'failing'],
      ],
    },
    {
      that: 'disappeared from the report',
      seen: [{ kind: 'check-gone', at: noon - 60, check: 'network', from: 'passing' }],
      now: 'passing',
      found: [
        [1e6, 'passing'],
        [60, 'unknown'],
      ],
    },
    {
      that: 'recovered between two polls',
      seen: [change(60, 'failing', 'failing', { unseen: true })],
      now: 'failing',
      found: [
        [1e6, 'failing'],
        [60, 'passing'],
        [59, 'failing'],
      ],
    },
  ] as const)('that $that', ({ seen, now, found }) => {
    const known = { since: noon - 1e6, begun: noon - 1e6 };
    expect(stretches(seen, now, known).map(({ from, state }) => [noon - from, state])).toEqual(found);
  });

  const [broke, mended] = [change(900, 'passing', 'failing'), change(300, 'failing', 'passing')];
  const foundFailing = change(599, undefined, 'failing');
  test.each([
    { that: 'passed after it', seen: [broke], now: 'passing', found: [[600, 'passing']] },
    { that: 'was stale after it', seen: [broke], now: 'unknown', found: [[600, 'unknown']] },
    {
      that: 'still failed after it',
      seen: [broke, foundFailing, mended],
      now: 'passing',
      found: [
        [600, 'unknown'],
        [599, 'failing'],
        [300, 'passing'],
      ],
    },
    {
      that: 'passed after it, and failed again',
      seen: [broke, change(300, 'passing', 'failing')],
      now: 'failing',
      found: [
        [600, 'passing'],
        [300, 'failing'],
      ],
    },
  ] as const)('that failed before a restart of the exporter and $that', ({ seen, now, found }) => {
    const known = { since: noon - 1e6, begun: noon - 600 };
    const all = stretches(seen, now, known).map(({ from, state }) => [noon - from, state]);
    expect(all).toEqual([[1e6, 'passing'], [900, 'failing'], ...found]);
  });
});

test.each([
  {
    that: 'failed before and after it',
    seen: [change(900, 'passing', 'failing')],
    unobserved: [[600, 300]],
    now: 'failing',
    found: [
      [900, 'failing'],
      [600, 'unknown'],
      [300, 'failing'],
    ],
  },
  {
    that: 'began to fail before its end was recorded',
    seen: [change(301, 'passing', 'failing'), change(100, 'failing', 'passing')],
    unobserved: [[600, 300]],
    now: 'passing',
    found: [
      [600, 'unknown'],
      [301, 'failing'],
      [100, 'passing'],
    ],
  },
  {
    that: 'failed before it and passed after a second one',
    seen: [change(900, 'passing', 'failing')],
    unobserved: [
      [600, 500],
      [400, 300],
    ],
    now: 'passing',
    found: [
      [900, 'failing'],
      [600, 'unknown'],
      [500, 'unknown'],
      [400, 'unknown'],
      [300, 'passing'],
    ],
  },
  {
    that: 'was found failing in the first poll before two resets, and passed after them',
    seen: [change(901, undefined, 'failing')],
    unobserved: [
      [900, 900],
      [600, 600],
      [300, 300],
    ],
    now: 'passing',
    found: [
      [901, 'failing'],
      [600, 'unknown'],
      [300, 'passing'],
    ],
  },
] as const)('the stretches of a check that $that, without observation', ({ seen, unobserved, now, found }) => {
  const times = unobserved.map(([from, to]) => ({ from: noon - from, to: noon - to }));
  const all = stretches(seen, now, { since: noon - 1e6, begun: noon - 1e6, unobserved: times });
  expect(all.slice(1).map(({ from, state }) => [noon - from, state])).toEqual(found);
});

describe('the strip', () => {
  test('has a text that says how often and for how long the check failed', () => {
    expect(drawn([], 'passing')).toContain('<span>last 1 h: did not fail</span>');
    expect(drawn([change(600, 'passing', 'failing'), change(300, 'failing', 'passing')], 'passing')).toContain(
      'last 1 h: failed once, 5 min in all',
    );
    expect(drawn([change(7200, 'passing', 'failing')], 'failing')).toContain('last 1 h: failed once, 1 h in all');
  });

  test('draws failing tall and passing flat, so that they differ without colours', () => {
    const svg = drawn([change(1800, 'passing', 'failing')], 'failing');
    expect(svg).toContain('<path class="passing" d="M0 7h60v3h-60z"/>');
    expect(svg).toContain('<path class="failing" d="M60 0h60v10h-60z"/>');
  });

  test('shows a failure however short it was', () => {
    expect(drawn([change(1801, 'passing', 'failing'), change(1800, 'failing', 'passing')], 'passing')).toContain(
      'class="failing" d="M59 0h1v10h-1z"',
    );
  });

  test('begins at the start of the history', () => {
    expect(drawn([], 'passing', noon - 1800)).toContain('d="M60 7h60v3h-60z"');
  });

  test('stays small however often the check flaps', () => {
    const flaps = Array.from({ length: 3000 }, (_, at) =>
      at % 2 === 0 ? change(3600 - at, 'passing', 'failing') : change(3600 - at, 'failing', 'passing'),
    );
    expect(drawn(flaps, 'passing').length).toBeLessThan(3000);
  });
});

test('a failure that began before the clock was set back has lasted 0 s', () => {
  expect(drawn([], 'failing', noon + 3600)).toContain('last 1 h: failed once, 0 s in all');
  const flapped = [change(60, 'passing', 'failing'), change(90, 'failing', 'passing')];
  expect(drawn(flapped, 'passing')).toContain('last 1 h: failed once, 0 s in all');
});

const condition = (ago: number, name: string, from: string, to: string): ShownTransition => {
  const of = { kind: 'condition', condition: name, at: noon - ago, from, to };
  return name === 'Started' ? of : { ...of, tagSets: ['all'] };
};
const hours = 3600;
const broke = change(5 * hours, 'passing', 'failing');
const isBack = condition(600, 'Healthy', 'Unknown', 'True');

test.each([
  {
    that: 'failed before the node stopped responding',
    all: [broke, condition(5 * hours, 'Healthy', 'True', 'False'), condition(4 * hours, 'Healthy', 'False', 'Unknown')],
    check: { state: 'failing', lastRunAgeSeconds: 4 * hours },
    isOld: true,
    says: 'last 6 h: failed once, 1 h in all',
  },
  {
    that: 'failed before and after a time in which the node did not respond',
    all: [broke, condition(4 * hours, 'Healthy', 'False', 'Unknown'), condition(3 * hours, 'Healthy', 'Unknown', 'False')],
    check: { state: 'failing', lastRunAgeSeconds: 5 },
    isOld: false,
    says: 'last 6 h: failed once, 4 h in all',
  },
  {
    that: 'fails since soon after its target was discovered',
    all: [condition(600, 'Started', 'Unknown', 'True'), isBack, change(60, 'passing', 'failing')],
    check: { state: 'failing', lastRunAgeSeconds: 5 },
    isOld: false,
    says: 'last 15 min: failed once, 1 min in all',
  },
  {
    that: 'failed before its target was removed, and passes since it is back',
    all: [broke, { kind: 'target-removed', at: noon - 4 * hours }, isBack],
    check: { state: 'passing', lastRunAgeSeconds: 5 },
    isOld: false,
    says: 'last 6 h: failed once, 1 h in all',
  },
  {
    that: 'failed before a reload that reset its target, and passes since then',
    all: [broke, isBack],
    check: { state: 'passing', lastRunAgeSeconds: 5 },
    isOld: false,
    says: 'last 6 h: failed once, 4 h 50 min in all',
  },
] as const)('the strip of a check that $that', ({ all, check, isOld, says }) => {
  const first = all[0].at === broke.at ? [condition(6 * hours, 'Started', 'Unknown', 'True')] : [];
  const history = historyOf([...first, ...all], { startedAt: noon - 6 * hours, now: noon }, undefined, 'all');
  const drawn = String(checkStrip({ name: 'network', countsFor: [], contiguousFailures: 0, ...check }, isOld, history));
  expect(/<span>(last .*?)<\/span>/.exec(drawn)?.[1]).toBe(says);
});

test('a time without responses is not shown as failing after a reload has renamed the tag set of the whole node', () => {
  const all = [
    condition(6 * hours, 'Started', 'Unknown', 'True'),
    { ...broke, tagSets: ['all', 'mine'] },
    condition(4 * hours, 'Healthy', 'False', 'Unknown'),
    condition(3 * hours, 'Healthy', 'Unknown', 'False'),
  ];
  const check = { name: 'network', countsFor: [], contiguousFailures: 0, state: 'failing' } as const;
  const drawn = String(checkStrip(check, false, historyOf(all, { startedAt: noon - 6 * hours, now: noon }, undefined, 'node')));
  expect(drawn).toContain('failed once, 4 h in all');
});

test.each([{ skew: -3000 }, { skew: 0 }, { skew: 3000 }])(
  'the strip of a failure without a record begins by the clock of the exporter, $skew s behind the one of the node',
  ({ skew }) => {
    const history = historyOf([], { startedAt: noon - 1200, now: noon });
    const firstFailureAt = new Date((noon + skew - 600) * 1000).toISOString();
    const check = { name: 'network', state: 'failing', countsFor: [], contiguousFailures: 9, firstFailureAt } as const;
    const drawn = String(checkStrip({ ...check, failingForSeconds: 600, lastRunAgeSeconds: 5 }, false, history));
    expect(drawn).toContain('last 1 h: failed once, 10 min in all');
  },
);

test('a check that was suspected when the health checks froze has not changed', () => {
  const frozen: ShownTransition = { kind: 'health-frozen', at: noon - 300, check: 'network' };
  const began = condition(3600, 'Started', 'Unknown', 'True');
  const stripOf = (all: readonly ShownTransition[], state: 'failing' | 'passing') =>
    String(
      checkStrip(
        { name: 'network', state, countsFor: [], contiguousFailures: 0 },
        false,
        historyOf([began, ...all], { startedAt: noon - 3600, now: noon }),
      ),
    );
  expect(stripOf([frozen], 'failing')).toBe(stripOf([], 'failing'));
  expect(stripOf([frozen], 'passing')).toBe('false');
  expect(stripOf([change(600, 'passing', 'failing'), frozen], 'failing')).toContain('last 1 h: failed once, 10 min in all');
});
