// The rules for the chart: the table of deploy/prometheus with a placeholder for each setting.

import { ruleGroups } from '../../src/rules/file.ts';
import {
  matchersPattern,
  type Setting,
  secondsOf,
  settingsFrom,
  settingTable,
  variableLabels,
} from '../../src/rules/settings.ts';
import { queriedLabels } from '../../src/rules/thresholds.ts';
import { type Shape, scrapeDuration, wholeSeconds } from './shapes.ts';

const mark = (name: string): string => `<${name}>`;
const pieces = queriedLabels.flatMap((name) => [`${name}Matchers`, `${name}Values`]);
const marked = { ...settingsFrom(({ name }) => mark(name)), ...Object.fromEntries(pieces.map((name) => [name, mark(name)])) };

/** charts/snowgauge/files/rules.json */
export const chartRules = (): Shape => ({
  settings: Object.fromEntries(settingTable.map(({ name, value }) => [name, value])),
  // Settings of the form NAME=NUMBER, which become a vector with this label.
  counts: { expectedJobs: 'job', expectedTagSets: 'tag_set' },
  // Lists of labels that become `…Matchers` and `…Values` in the queries of texts.
  queriedLabels: [...queriedLabels],
  // Durations that are written in expressions as seconds.
  seconds: {
    of: Object.fromEntries(secondsOf),
    settings: settingTable.filter(({ kind }) => kind === 'seconds').map(({ name }) => name),
  },
  // No target is identified by these.
  variableLabels: [...variableLabels, 'network'],
  groups: ruleGroups(marked, 'main'),
  nodeMetrics: ruleGroups(marked, 'node-metrics'),
});

const line = (pattern: string): Shape => ({ type: 'string', pattern });

const label = '[a-zA-Z_][a-zA-Z0-9_]*';

/** The formats of src/rules/settings.ts as Go regular expressions; numbers may be given as numbers. */
const shapes: Readonly<Record<Setting['kind'], Shape>> = {
  number: { type: ['number', 'string'], minimum: 0, pattern: '^[0-9]+(\\.[0-9]+)?([eE]\\+?[0-9]+)?$' },
  ratio: { type: ['number', 'string'], minimum: 0, maximum: 1, pattern: '^(0(\\.[0-9]+)?|1(\\.0+)?)$' },
  seconds: { type: ['number', 'string'], minimum: 0, minLength: 1, pattern: `^([0-9]+(\\.[0-9]+)?|${wholeSeconds})$` },
  duration: scrapeDuration,
  for: scrapeDuration,
  labels: line(`^${label}(, *${label})*$`),
  matchers: line(matchersPattern),
  regex: line('^[^"\\\\\\s]+$'),
  counts: line('^[\\w./:-]+=[0-9]+(, *[\\w./:-]+=[0-9]+)*$'),
  url: line('^([^\\s"\'{}<>]*[^\\s"\'{}<>/])?$'),
};

export const ruleSettingShapes = (): Readonly<Record<string, Shape>> =>
  Object.fromEntries(settingTable.map(({ name, kind, help }) => [name, { ...shapes[kind], description: help }]));
