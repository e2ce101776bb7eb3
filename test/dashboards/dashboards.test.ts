// The dashboards as Grafana gets them: what they are made of, and that they speak of nothing that there is not.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Board } from '../../dashboards/board.ts';
import { boards } from '../../dashboards/boards.ts';
import { containerIndex } from '../../dashboards/container-index.ts';
import { boardJson } from '../../dashboards/render.ts';
import { definitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { dashboards as linked } from '../../src/rules/rule.ts';
import { complaints } from '../rules/run-promtool.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWith } from '../support/tools.ts';

const folder = new URL('../../deploy/grafana/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');

/** Panels that every Grafana brings. */
const builtIn = ['row', 'stat', 'table', 'state-timeline', 'timeseries'];

const position = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
const panel = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  gridPos: position,
  description: z.optional(z.string()),
  datasource: z.optional(z.object({ type: z.literal('prometheus'), uid: z.literal('$' + '{datasource}') })),
  targets: z.optional(z.array(z.object({ refId: z.string(), expr: z.string() }))),
});
const file = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  panels: z.array(panel),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
});
type Position = z.output<typeof position>;

const overlap = (a: Position, b: Position): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const exprsOf = ({ sections, marks, variables }: Board): readonly string[] => [
  ...sections.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
  ...marks.map(({ expr }) => expr),
  ...variables.flatMap(({ from, worst }) => [from, worst ?? '']),
];

/** Names of series in an expression, without the endings that a histogram adds. */
const namesIn = (expr: string): readonly string[] =>
  (
    expr.match(
      /\b(?:snowgauge[_:]\w+|(?:process|nodejs|scrape|avalanche|container|kube|kubelet)_\w+(?=[{[])|up(?=\{)|ALERTS)/g,
    ) ?? []
  ).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));

// Prometheus' own, and prom-client's of the exporter's own process.
const others = [
  'up',
  'ALERTS',
  'scrape_samples_scraped',
  'scrape_duration_seconds',
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
  'nodejs_heap_size_used_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  // cAdvisor and kube-state-metrics.
  'container_memory_working_set_bytes',
  'container_cpu_usage_seconds_total',
  'kube_pod_container_status_restarts_total',
];
const contract = new Set<string>([...definitions.map(({ name }) => name), ...recordings.map(({ record }) => record), ...others]);

test('there is a file for each dashboard, and no other', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(files.sort()).toEqual(
    Object.keys(boards)
      .map((name) => `${name}.json`)
      .sort(),
  );
});

test('every dashboard that an alert leads to is there, under its uid, with the variables that the link sets', () => {
  const uids = Object.values(linked).map(({ uid }) => uid);
  expect(
    Object.values(boards)
      .map(({ uid }) => uid)
      .sort(),
  ).toEqual([...uids].sort());
  for (const { name, dashboard } of alerts) {
    const board = Object.values(boards).find(({ uid }) => uid === dashboard.uid);
    const has = board?.variables.map((variable) => variable.name) ?? [];
    expect({ name, lacks: dashboard.variables.filter((variable) => !has.includes(variable)) }).toEqual({ name, lacks: [] });
  }
});

describe.each(Object.entries(boards).map(([name, board]) => ({ name, board })))('$name', ({ name, board }) => {
  const made = file.parse(JSON.parse(read(name)));
  const panels = made.panels;

  test('is what its tables say (else: npm run docs)', () => {
    expect(read(name)).toBe(boardJson(board));
  });

  test('keeps its uid, and begins with the variable for the data source', () => {
    expect(made.uid).toBe(board.uid);
    expect(made.templating.list.map((variable) => variable.name)).toEqual([
      'datasource',
      ...board.variables.map((variable) => variable.name),
      'runbooks',
    ]);
  });

  test('needs no plugin, and asks no data source but the one that is chosen', () => {
    expect(panels.filter(({ type }) => !builtIn.includes(type))).toEqual([]);
    expect(panels.filter(({ type, datasource }) => type !== 'row' && datasource === undefined)).toEqual([]);
  });

  test('has panels with an id, a title and a sentence each, side by side', () => {
    const ids = panels.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { type, title, description, targets } of panels) {
      expect(title).not.toBe('');
      if (type !== 'row') expect(description).toMatch(/^[A-Z0-9].{8,}\.$/s);
      const letters = targets?.map(({ refId }) => refId) ?? [];
      expect(letters).toEqual([...new Set(letters)]);
    }
    const clashes = panels.flatMap((one, at) =>
      panels.slice(at + 1).flatMap((other) => (overlap(one.gridPos, other.gridPos) ? [`${one.title} / ${other.title}`] : [])),
    );
    expect(clashes).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });

  test('reads families of the contract, recording rules that there are, and no others', () => {
    const names = exprsOf(board).flatMap(namesIn);
    expect(names.length).toBeGreaterThan(5);
    expect([...new Set(names)].filter((one) => !contract.has(one))).toEqual([]);
  });

  test('uses the variables that it has', () => {
    const has = ['__range', '__rate_interval', ...board.variables.map((variable) => variable.name)];
    const used = exprsOf(board).flatMap((expr) => Array.from(expr.matchAll(/\$(\w+)/g), ([, variable]) => variable ?? ''));
    expect([...new Set(used)].filter((variable) => !has.includes(variable))).toEqual([]);
  });
});

test('of many nodes a graph shows the worst: a line for each of 300 could not be read', () => {
  // That of a node is about one at a time.
  const many = Object.values(boards).filter(({ variables }) => variables.every(({ worst }) => worst === undefined));
  const shown = many.flatMap(({ title, sections }) =>
    sections.flatMap(({ panels }) =>
      panels
        .filter(({ view }) => view === 'lines' || view === 'states')
        .flatMap((one) => one.queries.map(({ expr, legend = '' }) => ({ panel: `${title}: ${one.title}`, expr, legend }))),
    ),
  );
  const unbounded = shown.filter(({ expr, legend }) => legend.includes('{{target}}') && !/topk\(|bottomk\(/.test(expr));
  // Both have a line for a node only while something is the matter with it.
  expect(unbounded.map(({ panel }) => panel)).toEqual([
    'Snowgauge / Index: Integrity errors',
    'Snowgauge / Error budget: Maintenance',
  ]);
});

test('a family that is not in the contract is seen', () => {
  expect(namesIn('rate(snowgauge_polls_total{a="b"}[1m]) / up{x="y"} + snowgauge_nothing')).toEqual([
    'snowgauge_polls_total',
    'up',
    'snowgauge_nothing',
  ]);
  expect(contract.has('snowgauge_nothing')).toBe(false);
});

describeWith(['promtool'], 'the errors of an index', (promtool) => {
  test('are shown that were counted before the time range, and before the first scrape', async () => {
    const panels = containerIndex.sections.flatMap(({ panels }) => panels);
    const expr = panels.find(({ title }) => title === 'Indexes, worst first')?.queries[0]?.expr ?? '';
    const labels = 'index="C/block", job="snowgauge", target="node"';
    const counted = {
      interval: '1m',
      input_series: [{ series: `snowgauge_index_integrity_errors_total{kind="gap", ${labels}}`, values: '3x720' }],
      promql_expr_test: [1, 720].map((minutes) => ({
        expr: expr.replace('$__range', '1h').replace(/\$\w+/g, '.*'),
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: `{${labels}}`, value: 3 }],
      })),
    };
    expect(await complaints(promtool, await temporaryFolder(), [JSON.stringify({ tests: [counted] })])).toBe('');
  });
});
