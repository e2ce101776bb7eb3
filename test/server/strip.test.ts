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

test('a check that was suspected when the health checks froze has not changed', () => {
  const frozen: ShownTransition = { kind: 'health-frozen', at: noon - 300, check: 'network' };
  const stripOf = (all: readonly ShownTransition[], state: 'failing' | 'passing') =>
    String(
      checkStrip(
        { name: 'network', state, countsFor: [], contiguousFailures: 0 },
        false,
        historyOf(all, { startedAt: noon - 3600, now: noon }),
      ),
    );
  expect(stripOf([frozen], 'failing')).toBe(stripOf([], 'failing'));
  expect(stripOf([frozen], 'passing')).toBe('false');
  const broke = change(600, 'passing', 'failing');
  expect(stripOf([broke, frozen], 'failing')).toContain('last 1 h: failed once, 10 min in all');
});
