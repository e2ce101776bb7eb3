// Cases -> files for promtool's unit tests. JSON is YAML.

import { alerts } from '../../src/rules/alerts.ts';
import { type RuleGroup, ruleGroups } from '../../src/rules/file.ts';
import { defaults } from '../../src/rules/settings.ts';
import type { Fires, Quiet, Situation, World } from './case.ts';
import { type Series, scrapeLabels } from './series.ts';

const shipped: readonly RuleGroup[] = [...ruleGroups(defaults, 'main'), ...ruleGroups(defaults, 'node-metrics')];

/** An alert, and the recording rules that it needs: a case asks for no others, and takes a tenth of the time. */
export const rulesFor = (alert: string): readonly RuleGroup[] => {
  const rules = shipped.flatMap((group) => group.rules);
  const own = rules.filter((rule) => 'alert' in rule && rule.alert === alert);
  const needed = (exprs: readonly string[]): readonly string[] => {
    const found = rules.flatMap((rule) => ('record' in rule && exprs.some((expr) => expr.includes(rule.record)) ? [rule] : []));
    return found.length === 0 ? [] : [...found.map(({ record }) => record), ...needed(found.map(({ expr }) => expr))];
  };
  const records = new Set(needed(own.map(({ expr }) => expr)));
  const recorded = rules.filter((rule) => 'record' in rule && records.has(rule.record));
  return [
    { name: 'recorded', rules: recorded },
    { name: 'alert', rules: own },
  ].filter((group) => group.rules.length > 0);
};

/** Families of ours, of the node's own, and `up`, that an expression reads. */
export const familiesIn = (expr: string): readonly string[] => [
  ...new Set(expr.match(/(?<![\w:])(?:(?:snowgauge|avalanche)_\w+|up\b(?! *\())/g) ?? []),
];

const secondsOf = ({ seconds = 60 }: World): number => seconds;

const duration = (seconds: number): string => `${seconds}s`;

/** The names of all alerts that fired at any time. */
const everFired = (one: World, names: readonly string[]) => {
  const end = (one.steps - 1) * secondsOf(one);
  return {
    expr: `group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[${duration(end + 1)}]))`,
    eval_time: duration(end),
    exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  };
};

const labelsOf = (one: Fires): Readonly<Record<string, string>> => {
  const severity = alerts.find(({ name }) => name === one.alert)?.severity;
  const isOfTarget = one.labels === undefined || !('target' in one.labels) || one.labels.target !== undefined;
  const all = Object.entries({ ...scrapeLabels(), target: 'node', ...(isOfTarget && { site: 'ams' }), severity, ...one.labels });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
};

const annotationsOf = (one: Fires): Readonly<Record<string, string>> => {
  const { summary, description, alert } = one;
  const dashboard = alerts.find(({ name }) => name === alert)?.dashboard;
  const labels = labelsOf(one);
  const variables = dashboard?.variables.map((name) => `var-${name}=${encodeURIComponent(labels[name] ?? '')}`).join('&') ?? '';
  return {
    summary,
    description,
    runbook_url: `docs/runbooks/${alert}.md`,
    dashboard_url: `/d/${dashboard?.uid}${variables === '' ? '' : `?${variables}`}`,
  };
};

const group = (one: World, series: Series) => ({
  name: one.title,
  interval: duration(secondsOf(one)),
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
});

const caseGroup = (one: Fires | Quiet, families: ReadonlySet<string>) => {
  const read = Object.entries(one.series).filter(([name]) => families.has(name.replace(/\{.*/, '')));
  const common = group(one, Object.fromEntries(read));
  if (!('at' in one)) return { ...common, promql_expr_test: [everFired(one, [])] };
  const at = (step: number): string => duration(step * secondsOf(one));
  return {
    ...common,
    alert_rule_test: [
      { alertname: one.alert, eval_time: at(one.at - (one.soonerIn3 === true ? 2 : 1)), exp_alerts: [] },
      {
        alertname: one.alert,
        eval_time: at(one.at),
        exp_alerts: [{ exp_labels: labelsOf(one), exp_annotations: annotationsOf(one) }],
      },
    ],
    promql_expr_test: [everFired(one, [one.alert])],
  };
};

const file = (ruleFiles: readonly string[], groups: readonly RuleGroup[], seconds: number, tests: readonly object[]): string =>
  JSON.stringify({
    rule_files: ruleFiles,
    evaluation_interval: duration(seconds),
    // What is recorded is read by the rest: without an order, promtool takes any.
    group_eval_order: groups.map(({ name }) => name),
    tests,
  });

/** Cases of one alert, one file for each step: promtool has one for a file. */
export const caseFiles = (
  ruleFile: string,
  groups: readonly RuleGroup[],
  cases: readonly (Fires | Quiet)[],
): readonly string[] => {
  // An annotation may ask too.
  const asked = groups.flatMap(({ rules }) =>
    rules.flatMap((rule) => ['annotations' in rule ? rule.annotations.description : '', rule.expr]),
  );
  const families = new Set(asked.flatMap(familiesIn));
  return [...new Set(cases.map(secondsOf))].map((seconds) => {
    const own = cases.filter((one) => secondsOf(one) === seconds);
    return file(
      [ruleFile],
      groups,
      seconds,
      own.map((one) => caseGroup(one, families)),
    );
  });
};

/** All rules, as they are shipped. */
export const situationFile = (ruleFiles: readonly string[], one: Situation): string => {
  const test = { ...group(one, one.series), promql_expr_test: [everFired(one, one.but ?? [])] };
  return file(ruleFiles, shipped, secondsOf(one), [test]);
};
