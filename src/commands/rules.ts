// `snowgauge rules`: prints the alerts and recording rules with the operator's settings.

import { Command, Option } from 'commander';
import { loadRegexFault } from '../config/regex.ts';
import { greatest } from '../lists.ts';
import { isObjectName } from '../protocol/scalars.ts';
import { alertmanagerFile } from '../rules/alertmanager.ts';
import { alerts } from '../rules/alerts.ts';
import { prometheusRuleYaml, type RuleFile, ruleGroups, rulesYaml } from '../rules/file.ts';
import { readSettings, regexesIn, settingTable } from '../rules/settings.ts';
import { unknownWord } from '../yaml/suggest.ts';
import { refuse, repeated } from './arguments.ts';
import type { CommandContext } from './context.ts';

interface Given {
  readonly set: readonly string[];
  readonly without: readonly string[];
  readonly part: RuleFile;
  readonly kubernetes?: string;
  readonly settings?: true;
  readonly alertmanager?: true;
}

const unknownAlerts = (names: readonly string[]): readonly string[] => {
  const known = alerts.map(({ name }): string => name);
  return names.filter((name) => !known.includes(name)).map((name) => unknownWord('alert', name, known));
};

/** Prometheus would refuse the whole file. */
const regexErrors = async (texts: ReadonlyMap<string, string>): Promise<readonly string[]> => {
  const found = regexesIn(texts);
  if (found.length === 0) return [];
  const faultOf = await loadRegexFault();
  return found.flatMap(([name, regex]) => {
    const fault = faultOf(regex);
    const remedy = 'write a special character in brackets, such as [(]';
    return fault === undefined ? [] : [`${name}: ${JSON.stringify(regex)} ${fault}; ${remedy}`];
  });
};

const print = async (
  { set, without, part, kubernetes, settings, alertmanager }: Given,
  context: CommandContext,
): Promise<void> => {
  const read = readSettings(set);
  const errors = [...(read.kind === 'invalid' ? read.errors : await regexErrors(read.texts)), ...unknownAlerts(without)];
  if (read.kind === 'invalid' || errors.length > 0) {
    const named = errors.map((message) => ({ path: '', message }));
    refuse(context, 'snowgauge rules', named);
  } else if (kubernetes !== undefined && !isObjectName(kubernetes)) {
    const message = `${JSON.stringify(kubernetes)} is not a name of a Kubernetes object, such as snowgauge`;
    refuse(context, 'snowgauge rules', [{ path: '--kubernetes', message }]);
  } else if (settings === true) {
    const width = greatest(settingTable.map(({ name }) => name.length));
    for (const { name, help } of settingTable)
      context.stdout(`${name.padEnd(width)}  ${read.texts.get(name) || "''"}\n  ${help}\n`);
  } else if (alertmanager === true) context.stdout(alertmanagerFile(read.value));
  else {
    const groups = ruleGroups(read.value, part, without);
    context.stdout(kubernetes === undefined ? rulesYaml(groups) : prometheusRuleYaml(groups, kubernetes));
  }
};

const exits = `
Exit codes: 0 done, 2 usage error, such as an unknown setting or alert.`;

/** Options that select which rules are printed, and in which format. */
const ofRules = ['without', 'part', 'kubernetes'] as const;

export const rulesCommand = (context: CommandContext): Command =>
  new Command('rules')
    .addHelpText('after', exits)
    .option('--set <name=value>', 'set a setting of the rules; repeatable', repeated, [])
    .option('--without <alert>', 'exclude an alert; repeatable', repeated, [])
    .addOption(
      new Option('--part <part>', "part of the rules; node-metrics requires the node's own metrics")
        .choices(['main', 'node-metrics'])
        .default('main'),
    )
    .option('--kubernetes <name>', 'print a PrometheusRule object with this name')
    .addOption(
      new Option(
        '--alertmanager',
        'print an Alertmanager configuration instead: routing, inhibition, and receivers to fill in',
      ).conflicts([...ofRules, 'settings']),
    )
    .addOption(new Option('--settings', 'print all settings with values and descriptions instead').conflicts([...ofRules]))
    .action((given: Given) => print(given, context));
