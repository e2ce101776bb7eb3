// The documentation of the chart (README, values.yaml, docs) and its helm-unittest tests.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { at, chart, execute, objectsOf, root } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

/** The paths of all leaf values in values.yaml; an empty map or list is a leaf. */
const leaves = (value: unknown, path: string): readonly string[] => {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  return entries.length === 0 ? [path] : entries.flatMap(([key, child]) => leaves(child, path === '' ? key : `${path}.${key}`));
};

const schema: unknown = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));

/** The leaf paths of the properties in the schema. */
const listed = (shape: unknown, path: string): readonly string[] => {
  const properties = Object.entries(at(shape, 'properties') ?? {});
  return properties.length === 0
    ? [path]
    : properties.flatMap(([key, child]) => listed(child, path === '' ? key : `${path}.${key}`));
};

describe('values.yaml and the schema', () => {
  const values = leaves(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')), '');
  const strict = listed(schema, '');
  const within = (path: string, paths: readonly string[]): boolean =>
    paths.some((other) => other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`));

  test('every value is in the schema', () => {
    expect(values.length).toBeGreaterThan(100);
    expect(values.filter((path) => !within(path, strict))).toEqual([]);
  });

  test('every property of the schema is in values.yaml, except empty values and rarely set fields of Kubernetes', () => {
    const rare = /^(?:global|enabled|stateVolume\.\w+|probes\.\w+\.(?:initialDelaySeconds|successThreshold))$/;
    expect(strict.filter((path) => !within(path, values) && !rare.test(path))).toEqual([]);
  });
});

describe('the documents', () => {
  const texts = readdirSync(join(root, 'docs')).flatMap((name) =>
    name.endsWith('.md') ? [readFileSync(join(root, 'docs', name), 'utf8')] : [],
  );

  test('start a container of avalanchego with a command if it has arguments, because the image has no entrypoint', () => {
    const containers = texts
      .flatMap((text) => Array.from(text.matchAll(/^```yaml\n(.*?)^```/gms), ([, block = '']) => parseAllDocuments(block)))
      .flatMap((all) => all.map((one): unknown => at(one.toJS(), 'spec.containers')))
      .flatMap((found) => (Array.isArray(found) ? found : []))
      .filter((one) => `${at(one, 'image')}`.startsWith('avaplatform/avalanchego:'));
    expect(containers.map((one) => [at(one, 'command'), at(one, 'args')])).toEqual([
      [['./avalanchego', '--data-dir=/data'], undefined],
    ]);
  });

  test('do not run a program snowgauge in a container, which the image does not have', () => {
    expect(texts.filter((text) => /command: \[snowgauge\b/.test(text))).toEqual([]);
  });
});

describe('the policy table of docs/probes.md', () => {
  const text = readFileSync(join(root, 'docs/probes.md'), 'utf8');
  const table = text.slice(text.indexOf('| situation | who acts | what happens | tested by |'));
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  const folder = join(root, 'test/e2e/kubernetes');
  const suites = [...readdirSync(folder).map((name) => join(folder, name)), join(root, 'test/charts/refusals-probes.test.ts')];
  const code = suites.map((file) => readFileSync(file, 'utf8')).join('\n');

  test('has more than twelve rows', () => expect(rows.length).toBeGreaterThan(12));

  test.each(
    rows.map((row) => ({
      row,
      by:
        row
          .split('|')
          .at(-2)
          ?.trim()
          .replace(/^charts: /, '') ?? '',
    })),
  )('has a test for the row $row', ({ by }) => {
    expect(by.length).toBeGreaterThan(10);
    expect(code).toContain(by);
  });
});

describeWith(['helm'], 'the memory table for fleets in docs/kubernetes.md', (helm = '') => {
  const text = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
  const rows = Array.from(text.matchAll(/^\| ([\d,]+) \| (\d+Mi) \|$/gm), ([, count = '', memory]) => ({
    count: Number(count.replace(',', '')),
    memory,
  }));

  test('has four rows', () => expect(rows).toHaveLength(4));

  test.each(rows)('$count targets get a limit of $memory in the chart too', async ({ count, memory }) => {
    const targets = Array.from({ length: count }, (_, at) => ({ name: `n${at}`, url: 'http://n' }));
    const objects = await objectsOf(helm, { values: { mode: 'fleet', config: { targets } } });
    const set = objects.find(({ kind }) => kind === 'StatefulSet');
    expect(at(set, 'spec.template.spec.containers.0.resources.limits.memory')).toBe(memory);
  });
});

test('Chart.yaml names the source repository and an existing icon', () => {
  const { home, sources, maintainers, icon } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  expect(sources).toEqual([home]);
  expect(maintainers).toEqual([expect.objectContaining({ name: expect.any(String) })]);
  const place = /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/[^/]+\/main\/(.+\.svg)$/.exec(icon)?.[1] ?? '';
  expect(readFileSync(join(root, place), 'utf8')).toMatch(/^<svg /);
});

describeWith(['helm-docs'], 'the README of the chart', (helmDocs = '') => {
  test('is up to date (else: helm-docs --chart-search-root charts/snowgauge --chart-to-generate charts/snowgauge)', async () => {
    const { code, stdout } = await execute(helmDocs, ['--chart-search-root', chart, '--chart-to-generate', chart, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('# snowgauge');
    expect(readFileSync(join(chart, 'README.md'), 'utf8').trim()).toBe(stdout.trim());
    // Every value has a description.
    expect(stdout.split('\n').filter((line) => /^\|.*\| {2}\|$/.test(line))).toEqual([]);
  });
});

describeWith(['helm-unittest'], 'the helm-unittest tests of the chart', (unittest = '') => {
  test('pass', async () => {
    const { code, stdout } = await execute(unittest, ['--color=false', chart]);
    expect(stdout).toMatch(/^Tests:\s+\d{2,} passed, \d+ total$/m);
    expect(code).toBe(0);
  });
});
