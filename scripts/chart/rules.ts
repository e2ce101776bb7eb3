// The rules for the chart: the table of deploy/prometheus with a placeholder for each setting.

import { ruleGroups } from '../../src/rules/file.ts';
import { forms, type Setting, secondsOf, settingsFrom, settingTable, variableLabels } from '../../src/rules/settings.ts';
import { queriedLabels } from '../../src/rules/thresholds.ts';
import { type Shape, scrapeDuration, wholeSeconds } from './shapes.ts';

const named = (wanted: Setting['kind']): readonly string[] =>
  settingTable.filter(({ kind }) => kind === wanted).map(({ name }) => name);

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
    settings: named('seconds'),
  },
  // Settings that are regular expressions, or label matchers that may contain them.
  regexes: { settings: named('regex'), matchers: named('matchers') },
  // No target is identified by these.
  variableLabels: [...variableLabels, 'network'],
  groups: ruleGroups(marked, 'main'),
  nodeMetrics: ruleGroups(marked, 'node-metrics'),
});

const line = (kind: Setting['kind']): Shape => ({ type: 'string', pattern: forms[kind].pattern.source });

/** Numbers may be given as numbers. Go's regular expressions have no lookahead, with which the others match durations. */
const shapes: Readonly<Record<Setting['kind'], Shape>> = {
  number: { ...line('number'), type: ['number', 'string'], minimum: 0 },
  ratio: { ...line('ratio'), type: ['number', 'string'], minimum: 0, maximum: 1 },
  seconds: { type: ['number', 'string'], minimum: 0, minLength: 1, pattern: `^([0-9]+(\\.[0-9]+)?|${wholeSeconds})$` },
  // Prometheus would refuse the whole file.
  duration: { ...scrapeDuration, allOf: [{ pattern: '[1-9]' }] },
  for: scrapeDuration,
  labels: line('labels'),
  matchers: line('matchers'),
  regex: line('regex'),
  counts: line('counts'),
  url: line('url'),
};

export const ruleSettingShapes = (): Readonly<Record<string, Shape>> =>
  Object.fromEntries(settingTable.map(({ name, kind, help }) => [name, { ...shapes[kind], description: help }]));
