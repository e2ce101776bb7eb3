// Rendering: both formats have the same series, and parsing a rendered page returns the input.

import fs, { type FileHandle, open, readdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { expect, test } from 'vitest';
import { contentTypes, createProcessMetrics, endOf } from '../../src/metrics/exposition.ts';
import { collect, type Family, type Row } from '../../src/metrics/family.ts';
import { labelsText } from '../../src/metrics/labels.ts';
import { type Format, render } from '../../src/metrics/text.ts';
import { parseExposition, type Series } from '../support/exposition-parser.ts';
import { failBuiltin } from '../support/failing-builtin.ts';
import { familiesOn } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { judged } from '../support/snapshot.ts';

const formats: readonly Format[] = ['text', 'openmetrics'];

const rich = (): readonly Family[] => familiesOn(judged(richTarget()));

const page = async (given: readonly Family[], format: Format) => parseExposition(render(given, format) + endOf[format], format);

const textOf = (names: readonly string[], values: readonly string[]): string => labelsText(names, values).slice(1);

/** The value of each sample is its position. */
const row: Row<readonly [labels: readonly [string, string], at: number]> = {
  name: 'snowgauge_test',
  type: 'gauge',
  labels: ['a', 'b'],
  unit: 'none',
  help: 'A family.',
  source: 'a test',
  stability: 'beta',
  value: ([, at]) => at,
};

const of = (samples: readonly (readonly [string, string])[]): readonly Family[] =>
  collect(
    [row],
    samples.map((labels, at) => [labels, at] as const),
    ([labels]) => labels,
  );

test.each(formats)('%s: parsing a rendered page returns the rendered families', async (format) => {
  const given = rich();
  const read = await page(given, format);
  expect(read.map(({ name, type }) => [name, type])).toEqual(
    given.map(({ definition: { name, type } }) => [
      format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name,
      type,
    ]),
  );
  for (const [at, { definition, samples }] of given.entries()) {
    if (definition.type === 'histogram') continue;
    const lineOf = ({ name, labels, value }: Series): string => {
      const values = definition.labels.map((label) => labels.get(label) ?? '');
      return `${name}${values.length === 0 ? '' : `{${textOf(definition.labels, values)}}`} ${value}\n`;
    };
    expect(read[at]?.series.map(lineOf).join('')).toBe(samples);
  }
});

test('both formats have the same series', async () => {
  const [text, openmetrics] = await Promise.all(formats.map((format) => page(rich(), format)));
  expect(openmetrics?.flatMap(({ series }) => series)).toEqual(text?.flatMap(({ series }) => series));
});

test.each(formats)('%s: parsing returns label values with quotes, newlines, backslashes and Unicode', async (format) => {
  const labels = [
    ['"', '\\'],
    ['\n', '\\n'],
    ['\\"', 'a\r\tb'],
    ['}', '{'],
    ['=', ','],
    ['ünï', '❄'],
  ] as const;
  const [family] = await page(of(labels), format);
  expect(family?.series.map((series) => [series.labels.get('a'), series.labels.get('b')])).toEqual(labels);
});

test.each(formats)('%s: two series whose label values look alike when joined stay distinct', async (format) => {
  const [family] = await page(
    of([
      ['1,b:2', '3'],
      ['1', '2,b:3'],
    ]),
    format,
  );
  expect(family?.series).toHaveLength(2);
});

test('HELP names the source', () => {
  const text = render(of([['x', 'y']]), 'text');
  expect(text).toContain('# HELP snowgauge_test A family. Source: a test.\n# TYPE snowgauge_test gauge\n');
});

test('contentTypes are those of text 0.0.4 and OpenMetrics 1.0', () => {
  expect(contentTypes).toEqual({
    text: 'text/plain; version=0.0.4; charset=utf-8',
    openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  });
});

const own = createProcessMetrics();

test('process_open_fds is the current number of open files', async () => {
  // Compared with the kernel's count, read right after ours. They differ a little, because other threads open and close files.
  const missed = async (): Promise<number> => {
    const ours = Number(/^process_open_fds (\d+)$/m.exec(await own.render('text'))?.[1]);
    return Math.abs(ours - (await readdir('/proc/self/fd')).length);
  };
  const few = 50;
  await expect.poll(missed).toBeLessThan(few);
  const files: FileHandle[] = [];
  for (let at = 0; at < 400; at += 1) files.push(await open(devNull));
  await expect.poll(missed).toBeLessThan(few);
  for (const file of files) await file.close();
});

test('without a free descriptor to count the open files, only their number is missing', async () => {
  failBuiltin(fs, 'stat', async () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  const text = await own.render('text');
  expect(text).toContain('\nprocess_resident_memory_bytes ');
  expect(text).not.toContain('process_open_fds');
});

test('process metrics are valid in both formats, and leave out the families that promtool rejects', async () => {
  for (const format of [...formats, ...formats]) {
    const text = await own.render(format);
    const names = new Set(parseExposition(text + endOf[format], format).flatMap(({ series }) => series.map(({ name }) => name)));
    expect(names).toContain('process_cpu_seconds_total');
    expect(names).toContain('nodejs_version_info');
    expect([...names].filter((name) => /^nodejs_active_\w+_total$/.test(name))).toEqual([]);
    expect([...names].filter((name) => !/^(process|nodejs)_/.test(name))).toEqual([]);
  }
});
