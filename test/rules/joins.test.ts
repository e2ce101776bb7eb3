// The documented joins of facts and tag sets, in Debian's promtool and the current one: each has the expected result, and none is
// many-to-many.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ruleGroups, rulesYaml } from '../../src/rules/file.ts';
import { defaults } from '../../src/rules/settings.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';
import { type Join, joins, type Labels, recorded, steps, world } from './joins.ts';
import { scrapeLabels } from './series.ts';

const ofNode: Labels = { ...scrapeLabels(), target: 'node', site: 'ams' };

const text = (labels: Labels): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;

const asked = ({ expr, answers, common = ofNode }: Join) => ({
  expr,
  eval_time: `${steps - 1}m`,
  exp_samples: answers.map(([labels, value]) => ({ labels: text({ ...common, ...labels }), value })),
});

/** Rejects with the output of promtool. */
const ask = async (promtool: string, cases: readonly Join[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-joins-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const groups = ruleGroups(defaults, 'main').filter(({ name }) => name === 'snowgauge-recording');
  await writeFile(join(folder, 'rules.yaml'), rulesYaml(groups));
  const series = Object.entries(world).map(([name, values]) => ({ series: name, values }));
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: cases.map(asked) }];
  const file = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests };
  await writeFile(join(folder, 'joins.test.yaml'), JSON.stringify(file));
  return runTool(promtool, ['test', 'rules', join(folder, 'joins.test.yaml')]);
};

test('every documented join matches on the labels of exporter and node and on those that both sides share', () => {
  for (const { expr } of joins)
    expect(expr).toMatch(/\* on \(job, instance, target, (?:check|chain)\) group_left \((?:reason)?\)/);
});

for (const tool of ['promtool', 'promtool3']) {
  describeWith([tool], `${tool}: tag sets and facts`, (promtool) => {
    test('each documented and each recorded join has the expected result', async () => {
      expect(await ask(promtool, [...joins, ...recorded])).toContain('SUCCESS');
    });

    test('promtool reports a many-to-many join', async () => {
      const one: Join = {
        title: 'without the names of the checks',
        expr: 'snowgauge_tag_set_check_info * on (job, instance, target) group_left () snowgauge_check_healthy',
        answers: [],
      };
      await expect(ask(promtool, [one])).rejects.toThrow(/many-to-many/);
    });
  });
}
