// Sends every query of every dashboard to a real Prometheus that scrapes a real run with faults of every kind. No query may fail, and
// none may have an empty result, not even those that are empty for a healthy node.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Board } from '../../dashboards/board.ts';
import { boards } from '../../dashboards/boards.ts';
import { answerOf, type DemoRun, firstLabel, labelValues, startDemoRun } from '../support/demo-run.ts';
import { describeWith } from '../support/tools.ts';

const timeout = 300_000;

type Chosen = Readonly<Record<string, string>>;

/** The expression as Grafana sends it, with the chosen values for the variables. */
const interpolated = (expr: string, chosen: Chosen): string => {
  const values: Chosen = { __range: '300s', __rate_interval: '20s', ...chosen };
  return expr.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${expr}: there is no variable ${name}`);
    return value;
  });
};

const named: Chosen = { namespace: 'drill', pod: 'validator-0', target: 'node-2', tag_set: 'beta' };
const everywhere: Chosen = { cluster: '.*', job: '.*', network: '.*', chain: '.*' };
/** A value that each variable must offer. */
const seen: Chosen = { cluster: 'drill', job: 'snowgauge', chain: 'P', ...named };
const one: Chosen = { ...everywhere, ...named };
/** The values for `All`; one tag set is always chosen. */
const all: Chosen = { ...everywhere, namespace: '.*', pod: '.*', target: '.*', tag_set: 'beta' };

interface Asked {
  readonly title: string;
  readonly expr: string;
  readonly when: 'now' | 'run';
}

const asked = ({ sections, marks }: Board): readonly Asked[] => [
  ...sections.flatMap(({ panels }) =>
    panels.flatMap(({ title, view, queries }) =>
      queries.map(({ expr }, at): Asked => {
        const when = view === 'lines' || view === 'states' ? 'run' : 'now';
        return { title: `${title} (${String.fromCharCode(65 + at)})`, expr, when };
      }),
    ),
  ),
  ...marks.map(({ name, expr }): Asked => ({ title: name, expr, when: 'run' })),
];

const rows = Object.entries(boards).flatMap(([name, board]) => asked(board).map((query) => ({ name, ...query })));
/** Without `network`: its label is empty, because no node has reported its network yet. */
const variables = Object.entries(boards).flatMap(([name, board]) =>
  board.variables.filter((variable) => variable.of !== 'network').map((variable) => ({ name, variable })),
);

describeWith(['prometheus'], 'the dashboards over a real Prometheus', (prometheus) => {
  let run: DemoRun;
  beforeAll(async () => {
    run = await startDemoRun(prometheus);
  }, timeout);
  afterAll(() => run.close());

  test.each(variables)('$name: variable $variable.name has values', { timeout }, async ({ variable: { from, of } }) => {
    await expect
      .poll(() => labelValues(run.url, interpolated(from, all), of), { timeout: 280_000, interval: 500 })
      .toContain(seen[of]);
  });

  test.each(
    variables.flatMap(({ name, variable }) =>
      variable.worst === undefined ? [] : [{ board: name, of: variable.of, worst: variable.worst }],
    ),
  )('$board: the values of variable $of start with the worst', { timeout }, async ({ worst, of }) => {
    await expect
      .poll(() => firstLabel(run.url, `sort_desc(${interpolated(worst, all)})`, of), { timeout: 280_000, interval: 500 })
      .toBe(seen[of]);
  });

  test.each(rows)('$name: the query of $title returns series', { timeout }, async ({ expr, when }) => {
    expect(await answerOf(run.url, interpolated(expr, all), when)).not.toHaveProperty('error');
    // This run has no kubelet, no kube-state-metrics, and no maintenance.
    if (/\b(?:container_|kube_|snowgauge_target_maintenance_|snowgauge:maintenance\b)/.test(expr)) return;
    await expect
      .poll(() => answerOf(run.url, interpolated(expr, one), when), { timeout: 280_000, interval: 500 })
      .toEqual({ series: expect.toSatisfy((count) => count > 0) });
  });

  test('an invalid query gives an error and an unknown family no series', async () => {
    expect(await answerOf(run.url, 'sum by (', 'now')).toHaveProperty('error');
    expect(await answerOf(run.url, 'snowgauge_no_such_family', 'run')).toEqual({ series: 0 });
  });
});
