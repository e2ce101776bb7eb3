// The metric contract: CHANGELOG.md lists every changed family since the last release, and a stable family is
// deprecated for a release before it changes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { metricsContract } from '../../scripts/docs/metrics.ts';
import { helpText } from '../../src/metrics/family.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const family = z.object({
  type: z.string(),
  labels: z.array(z.string()),
  unit: z.string(),
  stability: z.string(),
  deprecated: z.optional(z.object({ since: z.string(), use: z.string() })),
});
type Families = Readonly<Record<string, Readonly<z.output<typeof family>>>>;

const last = z
  .object({ release: z.string(), families: z.record(z.string(), family) })
  .parse(JSON.parse(text('test/fixtures/metrics-of-last-release.json')));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(text('package.json')));

/** Before the first release, new families are not changes, because there is nothing to compare them with. */
const isOut = last.release !== version;

interface Change {
  readonly name: string;
  readonly what: string;
}

const plain = (families: ReturnType<typeof metricsContract>): Families =>
  Object.fromEntries(Object.entries(families).map(([name, one]) => [name, { ...one, labels: [...one.labels] }]));

const changesBetween = (before: Families, now: Families): readonly Change[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name): readonly Change[] => {
    const [old, next] = [before[name], now[name]];
    if (old === undefined) return [{ name, what: 'is new' }];
    if (next === undefined) return [{ name, what: 'is gone' }];
    const parts = (['type', 'labels', 'unit', 'stability'] as const).filter((part) => `${old[part]}` !== `${next[part]}`);
    return parts.map((part) => ({ name, what: `has another ${part}: ${old[part]} before, ${next[part]} now` }));
  });
};

/** The part of the changelog above the last release. */
const unreleased = (changelog: string): string => changelog.split(/^## \[(?!Unreleased)/m)[0] ?? '';

const untold = (changes: readonly Change[], changelog: string): readonly string[] =>
  changes
    .filter(({ name }) => !new RegExp(`\`${name}[\`{]`).test(unreleased(changelog)))
    .map(({ name, what }) => `${name} ${what}: say so in CHANGELOG.md, under Unreleased, with its name in backquotes`);

test('every change of the metrics since the last release is in the changelog', () => {
  const changes = changesBetween(last.families, plain(metricsContract()));
  const told = isOut ? changes : changes.filter(({ what }) => what !== 'is new');
  expect(untold(told, text('CHANGELOG.md'))).toEqual([]);
});

/** Changes of families that were stable and not deprecated in the last release: these need a release of overlap. */
const abrupt = (before: Families, changes: readonly Change[]): readonly string[] =>
  changes
    .filter(({ name }) => before[name]?.stability === 'stable' && before[name].deprecated === undefined)
    .map(({ name, what }) => `${name} ${what}: keep it as it was for a release, deprecated, beside the new one`);

test('a stable family of the last release is unchanged unless it was deprecated there', () => {
  expect(isOut ? abrupt(last.families, changesBetween(last.families, plain(metricsContract()))) : []).toEqual([]);
});

test('a deprecated family names an existing replacement', () => {
  const now = metricsContract();
  for (const { deprecated } of Object.values(now)) if (deprecated !== undefined) expect(now).toHaveProperty(deprecated.use);
});

describe('a stable family', () => {
  const stable = { type: 'gauge', labels: ['target'], unit: 'count', stability: 'stable' };
  const marked = { ...stable, deprecated: { since: '1.2.0', use: 'b' } };
  const other = { ...stable, labels: ['target', 'tag'] };
  test.each([
    { change: 'may be deprecated in favour of a new one', before: { a: stable }, now: { a: marked, b: other }, breaks: 0 },
    { change: 'may be removed if it was deprecated', before: { a: marked, b: other }, now: { b: other }, breaks: 0 },
    { change: 'may not be removed without deprecation', before: { a: stable }, now: { b: other }, breaks: 1 },
    { change: 'may not change without deprecation', before: { a: stable }, now: { a: other }, breaks: 1 },
    { change: 'may not become beta', before: { a: stable }, now: { a: { ...stable, stability: 'beta' } }, breaks: 1 },
    { change: 'may change if it was only beta', before: { a: { ...stable, stability: 'beta' } }, now: {}, breaks: 0 },
  ])('$change', ({ before, now, breaks }) => {
    expect(abrupt(before, changesBetween(before, now))).toHaveLength(breaks);
  });

  test('that is deprecated says so first in its HELP', () => {
    const definition = {
      name: 'snowgauge_a',
      labels: [],
      unit: 'count',
      help: 'Peers.',
      source: 'a test',
      stability: 'stable',
      deprecated: { since: '1.2.0', use: 'snowgauge_b' },
    } as const;
    expect(helpText(definition)).toBe('(Deprecated since 1.2.0, use snowgauge_b) Peers. Source: a test.');
  });
});

describe('a change is detected when', () => {
  const one = { type: 'gauge', labels: ['target'], unit: 'count', stability: 'stable' };
  test.each([
    { change: 'a family is gone', now: {}, what: 'is gone' },
    { change: 'a family is new', now: { a: one, b: one }, what: 'is new' },
    { change: 'its type changes', now: { a: { ...one, type: 'counter' } }, what: 'has another type: gauge before, counter now' },
    {
      change: 'it gets a label',
      now: { a: { ...one, labels: ['target', 'tag'] } },
      what: 'has another labels: target before, target,tag now',
    },
    { change: 'its unit changes', now: { a: { ...one, unit: 'bytes' } }, what: 'has another unit: count before, bytes now' },
    {
      change: 'it is no longer stable',
      now: { a: { ...one, stability: 'beta' } },
      what: 'has another stability: stable before, beta now',
    },
  ])('$change, and must be in the changelog above the last release', ({ now, what }) => {
    const changes = changesBetween({ a: one }, now);
    expect(changes.map((change) => change.what)).toEqual([what]);
    const name = changes[0]?.name;
    expect(untold(changes, `## [Unreleased]\n- \`${name}\` is other\n## [0.1.0]\n`)).toEqual([]);
    expect(untold(changes, `## [Unreleased]\n## [0.1.0]\n- \`${name}\` is other\n`)).toHaveLength(1);
  });

  test('without changes, there are none to report', () => {
    expect(changesBetween({ a: one }, { a: one })).toEqual([]);
  });
});
