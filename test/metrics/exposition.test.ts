// Rendering: both formats say the same, and reading what was rendered gives it back.

import { expect, test } from 'vitest';
import { contentTypes, createProcessMetrics, endOf } from '../../src/metrics/exposition.ts';
import type { Family } from '../../src/metrics/family.ts';
import { type Format, render } from '../../src/metrics/text.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { familiesOn } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { judged } from '../support/snapshot.ts';

const formats: readonly Format[] = ['text', 'openmetrics'];

const rich = (): readonly Family[] => familiesOn(judged(richTarget()));

const page = async (given: readonly Family[], format: Format) => parseExposition(render(given, format) + endOf[format], format);

const one = (samples: readonly (readonly [string, string])[]): Family => ({
  name: 'snowgauge_test',
  type: 'gauge',
  labels: ['a', 'b'],
  unit: 'none',
  help: 'A family.',
  source: 'a test',
  stability: 'beta',
  samples: samples.map((labels, value) => ({ labels, value })),
});

test.each(formats)('%s is read back as what was given', async (format) => {
  const given = rich();
  const read = await page(given, format);
  expect(read.map(({ name, type }) => [name, type])).toEqual(
    given.map(({ name, type }) => [format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name, type]),
  );
  for (const [at, family] of given.entries()) {
    if (family.type === 'histogram') continue;
    const wanted = family.samples.map(({ labels, value }) => [...labels, value]);
    expect(
      read[at]?.series.map(({ labels, value }) => [...family.labels.map((label) => labels.get(label) ?? ''), value]),
    ).toEqual(wanted);
  }
});

test('both formats have the same series', async () => {
  const [text, openmetrics] = await Promise.all(formats.map((format) => page(rich(), format)));
  expect(openmetrics?.flatMap(({ series }) => series)).toEqual(text?.flatMap(({ series }) => series));
});

test.each(formats)('%s keeps labels that hold quotes, newlines, backslashes and what else a name may hold', async (format) => {
  const labels = [
    ['"', '\\'],
    ['\n', '\\n'],
    ['\\"', 'a\r\tb'],
    ['}', '{'],
    ['=', ','],
    ['ünï', '❄'],
  ] as const;
  const [family] = await page([one(labels)], format);
  expect(family?.series.map((series) => [series.labels.get('a'), series.labels.get('b')])).toEqual(labels);
});

test.each(formats)('%s keeps two series whose labels look alike when they are joined', async (format) => {
  const [family] = await page(
    [
      one([
        ['1,b:2', '3'],
        ['1', '2,b:3'],
      ]),
    ],
    format,
  );
  expect(family?.series).toHaveLength(2);
});

test('HELP names the source', () => {
  const text = render([one([['x', 'y']])], 'text');
  expect(text).toContain('# HELP snowgauge_test A family. Source: a test.\n# TYPE snowgauge_test gauge\n');
});

test('the content types are those of text 0.0.4 and OpenMetrics 1.0', () => {
  expect(contentTypes).toEqual({
    text: 'text/plain; version=0.0.4; charset=utf-8',
    openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  });
});

test('the process part can be read in both formats, one after the other, and leaves out what promtool refuses', async () => {
  const own = createProcessMetrics();
  for (const format of [...formats, ...formats]) {
    const text = await own.render(format);
    const names = new Set(parseExposition(text + endOf[format], format).flatMap(({ series }) => series.map(({ name }) => name)));
    expect(names).toContain('process_cpu_seconds_total');
    expect(names).toContain('nodejs_version_info');
    expect([...names].filter((name) => /^nodejs_active_\w+_total$/.test(name))).toEqual([]);
    expect([...names].filter((name) => !/^(process|nodejs)_/.test(name))).toEqual([]);
  }
});
