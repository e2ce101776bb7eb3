// No message, name or tag can break the page, produce duplicate series, or throw.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Contribution, contributionOf } from '../../src/metrics/contribution.ts';
import { endOf } from '../../src/metrics/exposition.ts';
import type { Family } from '../../src/metrics/family.ts';
import { labelsText, labelValue } from '../../src/metrics/labels.ts';
import { type Format, render } from '../../src/metrics/text.ts';
import { cases } from '../support/cases.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { familiesOn, layout } from '../support/metrics.ts';
import { parseHealthReport } from '../support/reports.ts';
import { fresh, judged, noon, targetKnowing, targetOptions } from '../support/snapshot.ts';

const numRuns = Number(process.env.SNOWGAUGE_FUZZ_RUNS ?? cases(30));

/** Any code units, also lone surrogates, and the special characters of both formats. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))).map((units) => units.join('')),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\r',
    '\0',
    '}',
    '{',
    ',',
    '=',
    ' ',
    '#',
    '__proto__',
    'le',
    'a.b',
    'a',
    '\ud800',
    '\udfff',
  ),
  fc.string().map((text) => text.repeat(40)),
);

const names = fc.oneof(nasty, fc.constantFrom('P', 'network', 'diskspace', 'router', 'bootstrapped', 'futureupgrade'));
const durations = fc.constantFrom('0s', '1m5s', '-3s', '146.068µs', '1h', `${'9'.repeat(400)}s`, '1e3s', '0');

/** Any JSON value, also with keys and texts that the tables use. */
const json = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    durations,
    nasty,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(fc.oneof(nasty, fc.constantFrom('connectedPeers', 'availableDiskBytes', 'timeSinceLastMsgSent')), tie('value')),
        { maxLength: 6 },
      )
      .map((entries) => Object.fromEntries(entries)),
    fc.record({
      engine: fc.record({ consensus: fc.dictionary(nasty, tie('value')), vm: tie('value') }),
      networking: fc.dictionary(nasty, tie('value')),
    }),
  ),
})).value;

const check = fc.record(
  {
    message: json,
    error: fc.oneof(nasty, json),
    timestamp: fc.oneof(
      fc.constantFrom('0001-01-01T00:00:00Z', '2026-11-20T12:00:00.123456789+05:30', '2026-11-20T12:00:00Z'),
      json,
    ),
    duration: fc.oneof(fc.integer(), fc.double(), json),
    contiguousFailures: fc.oneof(fc.integer(), json),
    timeOfFirstFailure: fc.oneof(fc.constant('2026-11-20T12:00:00Z'), json),
  },
  { requiredKeys: [] },
);

const reports = fc
  .tuple(fc.array(fc.tuple(names, check), { maxLength: 12 }), fc.boolean())
  .map(([checks, healthy]) => parseHealthReport({ checks: Object.fromEntries(checks), healthy }));

/** The first one has no tags: it stands for the whole node. */
const tagSets = fc
  .uniqueArray(fc.record({ name: nasty, tags: fc.array(nasty) }), { minLength: 1, maxLength: 3, selector: ({ name }) => name })
  .map((sets) => sets.map((set, at) => (at === 0 ? { ...set, tags: [] } : set)));

const expectedSeries = (given: readonly Family[]): readonly (readonly [string, number])[] =>
  given.flatMap(({ definition: { name, type }, samples }) =>
    type === 'histogram' ? [] : linesOf(samples).map((line) => [name, Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  );

const linesOf = (samples: string): readonly string[] => samples.split('\n').slice(0, -1);

test('parsing rendered labels returns their values', () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 4 }), (values) => {
      const names = values.map((_, at) => `l${at}`);
      const text = `# HELP a b\n# TYPE a gauge\na{${labelsText(names, values).slice(1)}} 1\n`;
      const [read] = parseExposition(text, 'text').flatMap(({ series }) => series);
      expect(names.map((name) => read?.labels.get(name) ?? '')).toEqual(values.map(labelValue));
    }),
    { numRuns: 10 * numRuns },
  );
});

test('a contribution that reuses parts of the previous one equals a new one', () => {
  const known = fc.tuple(reports, reports);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1), fc.integer({ min: 0, max: 200 })), { minLength: 2 }), known, (polls, all) => {
      const options = targetOptions({ labels: { region: 'eu' } });
      const moved = targetOptions({ labels: { region: 'us' } });
      let before: Contribution | undefined;
      for (const [nth, after] of polls) {
        const health = { all: fresh(all[nth] ?? all[0], noon + after) };
        const target = judged(targetKnowing(after % 5 === 0 ? moved : options, { health }), noon + after);
        // Some polls are later than staleAfter, so that their families disappear and come back.
        const now = noon + after + (after % 7 === 0 ? 3600 : 5);
        const [made, alone] = [contributionOf(layout, target, now, nth, before), contributionOf(layout, target, now, nth)];
        expect(made.bytes.toString()).toBe(alone.bytes.toString());
        expect(made.ends).toEqual(alone.ends);
        before = made;
      }
    }),
    { numRuns: 5 * numRuns },
  );
});

test.each<Format>(['text', 'openmetrics'])(
  '%s: whatever a node reports, the page is valid and has the given values',
  { timeout: 300_000 },
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(reports, { minLength: 3, maxLength: 3 }), tagSets, nasty, async (known, sets, target) => {
        const options = targetOptions({ name: target, tagSets: sets });
        const health = Object.fromEntries(
          sets.map(({ name }, at) => [name, fresh(known[at] ?? parseHealthReport({ checks: {}, healthy: true }))]),
        );
        const checks = known.flatMap((one) => [...one.checks.keys()]);
        const transitions = new Map(checks.map((one) => [one, { passing: 1, failing: 0, last: 'passing' as const }]));
        const given = familiesOn(judged(targetKnowing(options, { health, transitions })));
        const read = parseExposition(render(given, format) + endOf[format], format).flatMap(({ series }) => series);
        const histogram = (name: string): boolean =>
          given.some(({ definition: of }) => of.type === 'histogram' && name.startsWith(of.name));
        const [others, label] = [read.filter(({ name }) => !histogram(name)), labelValue(target)];
        expect(others.map(({ name, value }) => [name, value])).toEqual(expectedSeries(given));
        for (const { name, labels } of others)
          if (given.some(({ definition: of }) => of.name === name && of.labels[0] === 'target'))
            expect(labels.get('target') ?? '').toBe(label);
      }),
      { numRuns },
    );
  },
);
