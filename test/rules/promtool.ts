// Converts cases to files for promtool's unit tests. JSON is valid YAML.

import { alerts } from '../../src/rules/alerts.ts';
import { type RuleGroup, ruleGroups } from '../../src/rules/file.ts';
import { defaults, readSettings } from '../../src/rules/settings.ts';
import type { Count, Fires, Quiet, Situation, World } from './case.ts';
import { type Series, scrapeLabels } from './series.ts';

const shipped: readonly RuleGroup[] = [...ruleGroups(defaults, 'main'), ...ruleGroups(defaults, 'node-metrics')];

const rulesWith = (set: readonly string[] = []) => {
  const read = readSettings(set);
  const groups = read.kind === 'ok' ? ruleGroups(read.value, 'main') : [];
  return [...groups, ...ruleGroups(defaults, 'node-metrics')].flatMap(({ rules }) => rules);
};

/** The recording rules, and the alerts by ALERTS, that a rule and its annotations read. */
const readBy = (rule: RuleGroup['rules'][number]): readonly string[] =>
  JSON.stringify(rule).match(/snowgauge:\w+|(?<=alertname=\\")\w+/g) ?? [];

/** The alerts with only the rules that they and their annotations need, which takes a tenth of the time. */
export const rulesFor = (names: readonly string[], set?: readonly string[]): readonly RuleGroup[] => {
  const rules = rulesWith(set);
  const needed = new Set(names);
  const isNeeded = (rule: RuleGroup['rules'][number]): boolean => needed.has('alert' in rule ? rule.alert : rule.record);
  for (let before = 0; before < needed.size; ) {
    before = needed.size;
    for (const read of rules.filter(isNeeded).flatMap(readBy)) needed.add(read);
  }
  const own = rules.filter(isNeeded);
  return [
    { name: 'recorded', rules: own.filter((rule) => 'record' in rule) },
    { name: 'alert', rules: own.filter((rule) => 'alert' in rule) },
  ].filter((group) => group.rules.length > 0);
};

/** The metric families and `up` that an expression reads. */
export const familiesIn = (expr: string): readonly string[] => [
  ...new Set(expr.match(/(?<![\w:])(?:(?:snowgauge|avalanche|process|kube)_\w+|up\b(?! *\())/g) ?? []),
];

const secondsOf = ({ seconds = 60 }: World): number => seconds;

const duration = (seconds: number): string => `${seconds}s`;

/** Expects the alert of a case to have fired at any time, or never. */
const everFired = (one: Fires | Quiet) => {
  const { alert } = one;
  const end = (one.steps - 1) * secondsOf(one);
  return {
    expr: `group by (alertname) (max_over_time(ALERTS{alertname="${alert}", alertstate="firing"}[${duration(end + 1)}]))`,
    eval_time: duration(end),
    exp_samples: 'at' in one ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
  };
};

const shippedRule = (name: string) =>
  shipped.flatMap(({ rules }) => rules).find((rule) => 'alert' in rule && rule.alert === name);

/** The expected labels: the identity of a sidecar's target unless the case overrides it, severity and scope. */
export const labelsOf = (one: Fires): Readonly<Record<string, string>> => {
  const alert = alerts.find(({ name }) => name === one.alert);
  const { namespace, pod } = scrapeLabels();
  const [wide, narrow = wide] = typeof alert?.scope === 'string' ? [alert.scope] : (alert?.scope ?? []);
  const scope = one.labels?.tag_set === undefined ? wide : narrow;
  const all = Object.entries({ namespace, pod, target: 'node', severity: alert?.severity, scope, ...one.labels });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
};

const annotationsOf = ({ summary, description, alert }: Fires): Readonly<Record<string, string>> => {
  const rule = shippedRule(alert);
  const runbook_url = rule !== undefined && 'alert' in rule ? rule.annotations.runbook_url : '';
  return { summary, description, runbook_url };
};

const group = (one: World, series: Series) => ({
  name: one.title,
  interval: duration(secondsOf(one)),
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
});

const caseGroup = (one: Fires | Quiet, families: ReadonlySet<string>) => {
  const read = Object.entries(one.series).filter(([name]) => families.has(name.replace(/\{.*/, '')));
  const common = group(one, Object.fromEntries(read));
  if (!('at' in one)) return { ...common, promql_expr_test: [everFired(one)] };
  const at = (step: number): string => duration(step * secondsOf(one));
  return {
    ...common,
    alert_rule_test: [
      ...(one.alert === 'SnowgaugeWatchdog'
        ? []
        : [{ alertname: one.alert, eval_time: at(one.at - (one.soonerIn3 === true ? 2 : 1)), exp_alerts: [] }]),
      {
        alertname: one.alert,
        eval_time: at(one.at),
        exp_alerts: [{ exp_labels: labelsOf(one), exp_annotations: annotationsOf(one) }],
      },
      ...(one.ends === undefined ? [] : [{ alertname: one.alert, eval_time: at(one.ends), exp_alerts: [] }]),
    ],
    promql_expr_test: [everFired(one)],
  };
};

const file = (ruleFiles: readonly string[], groups: readonly RuleGroup[], seconds: number, tests: readonly object[]): string =>
  JSON.stringify({
    rule_files: ruleFiles,
    evaluation_interval: duration(seconds),
    // Recording groups come first; without an order promtool evaluates in any.
    group_eval_order: groups.map(({ name }) => name),
    tests,
  });

/** A file per step of the cases of an alert, because the step is per file in promtool. */
export const caseFiles = (
  ruleFile: string,
  groups: readonly RuleGroup[],
  cases: readonly (Fires | Quiet)[],
): readonly string[] => {
  // Annotations may contain queries too.
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

const counted = (fires: Count) =>
  Object.entries(fires).map(([name, value]) => {
    const [alert, scope] = name.split(' ');
    return { labels: `{alertname="Snowgauge${alert}",scope="${scope}"}`, value };
  });

/** All rules as shipped. */
export const situationFile = (ruleFiles: readonly string[], one: Situation): string => {
  const { fires = {}, ends = fires, steady = false, evaluation = secondsOf(one) } = one;
  const end = (one.steps - 1) * secondsOf(one);
  const whole = duration(end + 1);
  const firing = 'ALERTS{alertstate="firing", severity!="none"}';
  const ask = (expr: string, exp_samples: readonly object[]) => ({ expr, eval_time: duration(end), exp_samples });
  const test = {
    ...group(one, one.series),
    promql_expr_test: [
      ask(`count by (alertname, scope) (max_over_time(${firing}[${whole}]))`, counted(fires)),
      ask(`count by (alertname, scope) (${firing})`, counted(ends)),
      // The value is the time since when an alert has been pending or firing.
      ...(steady
        ? [ask(`changes(ALERTS_FOR_STATE[${whole}]) > 0 and ignoring (alertstate) max_over_time(${firing}[${whole}])`, [])]
        : []),
    ],
  };
  return file(ruleFiles, shipped, evaluation, [test]);
};
