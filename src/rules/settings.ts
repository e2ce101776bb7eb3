// The settings of the rules: their defaults, and the values given by the operator.

import { unknownWord } from '../yaml/suggest.ts';
import { alerts } from './alerts.ts';
import { forSetting } from './rule.ts';
import { queriedLabels, type ThresholdKind, type ThresholdName, thresholds } from './thresholds.ts';

/** Every threshold, `…For` of every alert, and `…Matchers` and `…Values` of `queriedLabels`. */
export type Settings = Readonly<Record<ThresholdName, string>> & Readonly<Record<string, string>>;

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly kind: ThresholdKind | 'for';
  readonly help: string;
}

/** All settings, in the order of the documentation. */
export const settingTable: readonly Setting[] = [
  ...Object.entries(thresholds).map(([name, threshold]) => ({ name, ...threshold })),
  ...alerts.map((alert) => ({
    name: forSetting(alert),
    value: alert.for,
    kind: 'for' as const,
    help: `How long the condition must hold before ${alert.name} fires.`,
  })),
];

const label = '[a-zA-Z_][a-zA-Z0-9_]*';
const counted = '[\\w./:-]+=\\d+';
const hex = '[0-9a-fA-F]';
/** Not half of a surrogate pair. */
const hex4 = `(?:[0-9a-cefA-CEF]${hex}{3}|[dD][0-7]${hex}{2})`;
/** The escapes of PromQL, except for bytes above 127: alone they are invalid UTF-8, which Prometheus refuses in regular expressions. */
const escaped = `\\\\(?:[abfnrtv\\\\"]|x[0-7]${hex}|[01][0-7]{2}|u${hex4}|U(?:0000${hex4}|000[1-9a-fA-F]${hex}{4}|0010${hex}{4}))`;
const matcher = `${label}(?:=~|!~|=|!=)"(?:[^"\\\\\\n]|${escaped})*"`;
const wholeSeconds = '(?:\\d+y)?(?:\\d+w)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?';
const time = `${wholeSeconds}(?:\\d+ms)?`;
const isNumber = /^\d+(?:\.\d+)?$/;

/** Seconds of each Prometheus duration unit. The chart's template has the same table. */
export const secondsOf: ReadonlyMap<string, number> = new Map([
  ['y', 31_536_000],
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
]);

interface Form {
  readonly pattern: RegExp;
  readonly example: string;
}

/** The chart's schema has the same patterns, except for those of durations. */
export const forms: Readonly<Record<Setting['kind'], Form>> = {
  number: { pattern: /^\d+(?:\.\d+)?(?:[eE]\+?\d+)?$/, example: 'a number, such as 20 or 5e10' },
  ratio: { pattern: /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, example: 'a fraction from 0 to 1, such as 0.85' },
  seconds: {
    pattern: new RegExp(`${isNumber.source}|^(?=.)${wholeSeconds}$`),
    example: 'a duration of whole seconds, such as 1h or 14d, or a number of seconds',
  },
  duration: {
    pattern: new RegExp(`^(?=.*[1-9])(?=.)${time}$`),
    example: "a duration above 0 in Prometheus' spelling, such as 15m or 1d",
  },
  for: { pattern: new RegExp(`^(?=.)${time}$`), example: "a duration in Prometheus' spelling, such as 0s, 15m or 1d" },
  labels: { pattern: new RegExp(`^${label}(?:, *${label})*$`), example: 'a list of label names, such as cluster, namespace' },
  matchers: {
    pattern: new RegExp(`^(?:${matcher}(?:, *${matcher})*)?$`),
    example: 'a list of label matchers, such as job="snowgauge", with \\\\ for a backslash',
  },
  regex: { pattern: /^[^"\\\s]+$/, example: 'a regular expression without quotes, backslashes and blanks' },
  counts: {
    pattern: new RegExp(`^${counted}(?:, *${counted})*$`),
    example: 'a list of numbers by name, such as validators=5, rpc=3',
  },
  url: { pattern: /^(?:[^\s"'{}<>]*[^\s"'{}<>/])?$/, example: 'the beginning of a URL, without a slash at its end' },
};

const values = <T extends string>(names: readonly T[], of: (name: T) => string): Readonly<Record<T, string>> =>
  names.reduce<Record<T, string>>((all, name) => Object.assign(all, { [name]: of(name) }), Object.create(null));

/** PromQL before Prometheus 3 does not allow durations as numbers. Texts that are not durations are unchanged. */
const inSeconds = (duration: string): string => {
  if (!forms.seconds.pattern.test(duration) || isNumber.test(duration)) return duration;
  const parts = [...duration.matchAll(/(\d+)([a-z])/g)];
  return `${parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (secondsOf.get(unit) ?? Number.NaN), 0)}`;
};

/** For settings that are lists of labels. */
export const labelsIn = (text: string): readonly string[] => text.split(/, */);

/** A list of labels as matchers for printf, and as the values that printf inserts. The chart does the same with its values. */
const inQueries = (name: string, labels: readonly string[]): readonly (readonly [name: string, text: string])[] => [
  [`${name}Matchers`, labels.map((one) => `${one}=%q`).join(',')],
  [`${name}Values`, labels.map((one) => `$labels.${one}`).join(' ')],
];

/** `value` returns the text of each setting. */
export const settingsFrom = (value: (setting: Setting) => string): Settings => {
  const textOf = (setting: Setting): string => (setting.kind === 'seconds' ? inSeconds(value(setting)) : value(setting));
  const given = new Map(settingTable.map((setting) => [setting.name, textOf(setting)]));
  const of = (name: string): string => given.get(name) ?? '';
  const pieces = queriedLabels.flatMap((name) => inQueries(name, labelsIn(of(name))));
  return { ...values([...given.keys()], of), ...Object.fromEntries(pieces), ...values(thresholdNames, of) };
};

const isThreshold = (name: string): name is ThresholdName => name in thresholds;
const thresholdNames = Object.keys(thresholds).filter(isThreshold);

export const defaults: Settings = settingsFrom(({ value }) => value);

/** Of the exporter's own labels only `target` has one value per target. */
export const variableLabels: ReadonlySet<string> = new Set([
  ...['api', 'chain', 'check', 'condition', 'field', 'index', 'kind', 'le', 'node_id', 'outcome', 'reason', 'source', 'state'],
  ...['status', 'subnet', 'tag', 'tag_set', 'to', 'upgrade', 'url', 'version'],
]);

const errorsInLabels = ({ identity, fleet }: Settings): readonly string[] => {
  const own = labelsIn(identity);
  return [
    ...own
      .filter((name) => variableLabels.has(name))
      .map((name) => `identity: ${name} has several values for one target, or changes: leave it out`),
    ...labelsIn(fleet)
      .filter((name) => !own.includes(name))
      .map((name) => `fleet: ${name} is not in identity: a fleet is a set of targets with equal labels`),
  ];
};

type SettingsRead =
  /** `texts`: each setting as given, or its default. */
  | { readonly kind: 'ok'; readonly value: Settings; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

/** Reads texts `name=value`. Returns all errors at once. */
export const readSettings = (given: readonly string[]): SettingsRead => {
  const pairs = given.map((text): readonly [name: string, value: string] => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  const errors = given.flatMap((text, at) => errorIn(text, pairs[at] ?? ['', '']));
  if (errors.length > 0) return { kind: 'invalid', errors };
  const wanted = new Map(pairs);
  const textOf = ({ name, value }: Setting): string => wanted.get(name) ?? value;
  const value = settingsFrom(textOf);
  const inLabels = errorsInLabels(value);
  if (inLabels.length > 0) return { kind: 'invalid', errors: inLabels };
  return { kind: 'ok', value, texts: new Map(settingTable.map((one) => [one.name, textOf(one)])) };
};

/** The regular expressions of the settings that have another value than their default. */
export const regexesIn = (texts: ReadonlyMap<string, string>): readonly (readonly [setting: string, regex: string])[] =>
  settingTable.flatMap(({ name, kind, value }) => {
    const text = texts.get(name) ?? value;
    if (text === value) return [];
    if (kind === 'regex') return [[name, text] as const];
    if (kind !== 'matchers') return [];
    return (text.match(new RegExp(matcher, 'g')) ?? [])
      .filter((one) => /^\w+[=!]~/.test(one))
      .map((one) => [name, unescaped(one.slice(one.indexOf('"') + 1, -1))] as const);
  });

/** \a is character 7, \r is 13. */
const controls = 'abtnvfr';

/** As PromQL reads a string, before it compiles the regular expression. */
const unescaped = (text: string): string =>
  text.replace(new RegExp(escaped, 'g'), (one) => {
    const kind = one.charAt(1);
    if ('xuU'.includes(kind)) return String.fromCodePoint(Number.parseInt(one.slice(2), 16));
    if ('01'.includes(kind)) return String.fromCodePoint(Number.parseInt(one.slice(1), 8));
    return controls.includes(kind) ? String.fromCodePoint(7 + controls.indexOf(kind)) : kind;
  });

const errorIn = (text: string, [name, value]: readonly [string, string]): readonly string[] => {
  const setting = settingTable.find((one) => one.name === name);
  const names = settingTable.map((one) => one.name);
  if (!text.includes('=')) return [`${text}: write NAME=VALUE, such as peersLow=20`];
  if (setting === undefined) return [unknownWord('setting', name, names)];
  const { pattern, example } = forms[setting.kind];
  if (name === 'identity' && labelsIn(value).includes('network'))
    return ['identity: network changes when it becomes known; alerts on a target carry it without being identified by it'];
  return pattern.test(value) ? [] : [`${name}: ${JSON.stringify(value)} is not ${example}`];
};
