// The generated Grafana dashboards: structure, and references only to existing metrics and variables.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Board } from '../../dashboards/board.ts';
import { boards } from '../../dashboards/boards.ts';
import { containerIndex } from '../../dashboards/container-index.ts';
import { fleet } from '../../dashboards/fleet.ts';
import { machine, resources } from '../../dashboards/node-network.ts';
import { boardJson } from '../../dashboards/render.ts';
import { validator } from '../../dashboards/validator.ts';
import { definitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { dashboards as linked } from '../../src/rules/rule.ts';
import { complaints } from '../rules/run-promtool.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWith } from '../support/tools.ts';

const folder = new URL('../../deploy/grafana/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');

/** Panel types included in Grafana. */
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

/** The metric names in an expression, without histogram suffixes. */
const namesIn = (expr: string): readonly string[] =>
  (
    expr.match(
      /\b(?:snowgauge[_:]\w+|(?:process|nodejs|scrape|avalanche|container|kube|kubelet)_\w+(?=[{[])|up(?=\{)|ALERTS)/g,
    ) ?? []
  ).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));

// Metrics of Prometheus and of the exporter process.
const others = [
  'up',
  'ALERTS',
  'scrape_samples_scraped',
  'scrape_duration_seconds',
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
  'nodejs_heap_size_used_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  // Metrics of cAdvisor and kube-state-metrics.
  'container_memory_working_set_bytes',
  'container_cpu_usage_seconds_total',
  'kube_pod_container_status_restarts_total',
];
const contract = new Set<string>([...definitions.map(({ name }) => name), ...recordings.map(({ record }) => record), ...others]);

test('there is one file per dashboard', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(files.sort()).toEqual(
    Object.keys(boards)
      .map((name) => `${name}.json`)
      .sort(),
  );
});

test('every dashboard linked from an alert exists and has the variables that the link sets', () => {
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

  test('is up to date (else: npm run docs)', () => {
    expect(read(name)).toBe(boardJson(board));
  });

  test('keeps its uid, and its first variable is the data source', () => {
    expect(made.uid).toBe(board.uid);
    expect(made.templating.list.map((variable) => variable.name)).toEqual([
      'datasource',
      ...board.variables.map((variable) => variable.name),
      'runbooks',
    ]);
  });

  test('needs no plugin and uses only the selected data source', () => {
    expect(panels.filter(({ type }) => !builtIn.includes(type))).toEqual([]);
    expect(panels.filter(({ type, datasource }) => type !== 'row' && datasource === undefined)).toEqual([]);
  });

  test('has panels with unique ids, titles and descriptions that do not overlap', () => {
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

  test('reads only existing metric families and recording rules', () => {
    const names = exprsOf(board).flatMap(namesIn);
    expect(names.length).toBeGreaterThan(5);
    expect([...new Set(names)].filter((one) => !contract.has(one))).toEqual([]);
  });

  test('links to other dashboards with its time range and data source', () => {
    const links = Array.from(read(name).matchAll(/"url": "(\/d\/[^"]+)"/g), ([, url = '']) => url);
    expect(links).not.toEqual([]);
    expect(links.filter((url) => !/\?\$\{__url_time_range\}&var-datasource=\$\{datasource\}&/.test(url))).toEqual([]);
  });

  test('uses only variables that it defines', () => {
    const has = ['__range', '__rate_interval', ...board.variables.map((variable) => variable.name)];
    const used = exprsOf(board).flatMap((expr) => Array.from(expr.matchAll(/\$(\w+)/g), ([, variable]) => variable ?? ''));
    expect([...new Set(used)].filter((variable) => !has.includes(variable))).toEqual([]);
  });
});

test('graphs of many nodes show only the worst of them', () => {
  // The dashboard of one node has no limit.
  const many = Object.values(boards).filter(({ variables }) => variables.every(({ worst }) => worst === undefined));
  const shown = many.flatMap(({ title, sections }) =>
    sections.flatMap(({ panels }) =>
      panels
        .filter(({ view }) => view === 'lines' || view === 'states')
        .flatMap((one) => one.queries.map(({ expr, legend = '' }) => ({ panel: `${title}: ${one.title}`, expr, legend }))),
    ),
  );
  const unbounded = shown.filter(({ expr, legend }) => legend.includes('{{target}}') && !/topk\(|bottomk\(/.test(expr));
  // Both have a line for a node only while something is wrong with it.
  expect(unbounded.map(({ panel }) => panel)).toEqual([
    'Snowgauge / Index: Integrity errors',
    'Snowgauge / Error budget: Maintenance',
  ]);
});

test('counts of nodes and of their parts read recording rules, so that two replicas of an exporter count once', () => {
  const { exporter: _, ...others } = boards;
  const counts = Object.values(others).flatMap(({ title, sections }) =>
    sections.flatMap(({ panels }) =>
      panels.flatMap(({ title: of, queries }) => queries.map(({ expr }) => ({ panel: `${title}: ${of}`, expr }))),
    ),
  );
  const raw = counts.filter(({ expr }) => expr.startsWith('count(') && expr.includes('snowgauge_'));
  expect(raw.map(({ panel }) => panel)).toEqual([]);
});

test('namesIn finds an unknown family', () => {
  expect(namesIn('rate(snowgauge_polls_total{a="b"}[1m]) / up{x="y"} + snowgauge_nothing')).toEqual([
    'snowgauge_polls_total',
    'up',
    'snowgauge_nothing',
  ]);
  expect(contract.has('snowgauge_nothing')).toBe(false);
});

describeWith(['promtool'], 'the table of index errors', (promtool) => {
  test('includes errors from before the time range and before the first scrape', async () => {
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

describeWith(['promtool'], 'the time until the upgrade', (promtool) => {
  test('is shown until then, and not for the last upgrade, which a network knows for years', async () => {
    const [query] = machine.panels.find(({ title }) => title === 'Upgrade in')?.queries ?? [];
    const expr = (query?.expr ?? '').replace(/\$\w+/g, '.*');
    const labels = 'job="snowgauge", target="node"';
    const next = {
      interval: '1m',
      input_series: [{ series: `snowgauge_upgrade_timestamp_seconds{${labels}}`, values: '180x5' }],
      promql_expr_test: [
        { expr, eval_time: '1m', exp_samples: [{ labels: `{${labels}}`, value: 120 }] },
        { expr, eval_time: '4m', exp_samples: [] },
      ],
    };
    expect(await complaints(promtool, await temporaryFolder(), [JSON.stringify({ tests: [next] })])).toBe('');
  });
});

describeWith(['promtool'], 'the resources of a pod', (promtool) => {
  test('are shown for the pod of the node only, and not for a node without a pod', async () => {
    const [query] = resources.panels.find(({ title }) => title === 'Container memory')?.queries ?? [];
    const exprFor = (pod: string) => (query?.expr ?? '').replace('$pod', pod).replace(/\$\w+/g, '.*');
    const labelsOf = (pod: string) => `container="node", namespace="a", pod="${pod}"`;
    const measured = {
      interval: '1m',
      input_series: ['validator-1', 'validator-1-b'].map((pod) => ({
        series: `container_memory_working_set_bytes{${labelsOf(pod)}}`,
        values: '1x5',
      })),
      promql_expr_test: [
        {
          expr: exprFor('validator-1'),
          eval_time: '1m',
          exp_samples: [{ labels: `container_memory_working_set_bytes{${labelsOf('validator-1')}}`, value: 1 }],
        },
        { expr: exprFor(''), eval_time: '1m', exp_samples: [] },
      ],
    };
    expect(await complaints(promtool, await temporaryFolder(), [JSON.stringify({ tests: [measured] })])).toBe('');
  });
});

describeWith(['promtool'], 'the fleet', (promtool) => {
  const exprOf = (title: string, namespace: string): string => {
    const panel = fleet.sections.flatMap(({ panels }) => panels).find((one) => one.title === title);
    const chosen: Readonly<Record<string, string>> = { cluster: 'a', namespace, target: '(node-1|node-2)' };
    return (panel?.queries[0]?.expr ?? '').replace(/\$(\w+)/g, (_, name: string) => chosen[name] ?? '.*');
  };
  const firing = (labels: string): string => `ALERTS{alertname="SnowgaugeX", alertstate="firing", severity="warning", ${labels}}`;

  test('shows the alerts and shared failures of the selected cluster and namespace, also those without a node', async () => {
    const series = [
      firing('cluster="a", namespace="one"'),
      firing('cluster="a", namespace="one", target="node-1"'),
      firing('cluster="a", namespace="one", target="node-3"'),
      firing('cluster="a", namespace="two"'),
      firing('cluster="b", namespace="one"'),
      'snowgauge:shared{check="P", cluster="a", namespace="one"}',
      'snowgauge:shared{check="P", cluster="a", namespace="two"}',
      'snowgauge:shared{check="P", cluster="b", namespace="one"}',
    ];
    const shown = {
      interval: '1m',
      input_series: series.map((one) => ({ series: one, values: '1x5' })),
      promql_expr_test: [
        {
          expr: `count by (namespace, target) (${exprOf('Firing alerts', 'one')})`,
          eval_time: '1m',
          exp_samples: [
            { labels: '{namespace="one"}', value: 1 },
            { labels: '{namespace="one", target="node-1"}', value: 1 },
          ],
        },
        { expr: exprOf('Shared failures', 'one'), eval_time: '1m', exp_samples: [{ labels: '{}', value: 1 }] },
        { expr: exprOf('Shared failures', '.*'), eval_time: '1m', exp_samples: [{ labels: '{}', value: 2 }] },
      ],
    };
    expect(await complaints(promtool, await temporaryFolder(), [JSON.stringify({ tests: [shown] })])).toBe('');
  });
});

test('no panel has a subquery, which for a fleet needs more samples than a query of Prometheus may load', () => {
  const exprs = Object.values(boards).flatMap((board) => exprsOf(board));
  expect(exprs.filter((expr) => /\[[^\]]*:[^\]]*\]/.test(expr))).toEqual([]);
});

describeWith(['promtool'], 'the history of rewards', (promtool) => {
  test('keeps the validators whose state was worst in the time range', async () => {
    const panels = validator.sections.flatMap(({ panels }) => panels);
    const [query] = panels.find(({ title }) => title.startsWith('Reward, '))?.queries ?? [];
    const expr = (query?.expr ?? '').replaceAll('$__range', '1h').replaceAll('topk(20', 'topk(2').replace(/\$\w+/g, '.*');
    const reward = (target: string, state: string) => `snowgauge:validator_reward{state="${state}", target="${target}"}`;
    const history = {
      interval: '1m',
      input_series: [
        { series: reward('good', 'on-track'), values: '1x60' },
        { series: reward('lost', 'on-track'), values: '1x9 0 1x50' },
        { series: reward('lost', 'lost'), values: '0x9 1 0x50' },
        { series: reward('risky', 'at-risk'), values: '1x60' },
      ],
      promql_expr_test: [
        {
          expr,
          eval_time: '60m',
          exp_samples: [
            { labels: '{target="lost"}', value: 0 },
            { labels: '{target="risky"}', value: 2 },
          ],
        },
      ],
    };
    expect(await complaints(promtool, await temporaryFolder(), [JSON.stringify({ tests: [history] })])).toBe('');
  });
});
