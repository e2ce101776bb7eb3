// The settings of the rules: their defaults, and what the operator gives instead.

import { unknownWord } from '../yaml/suggest.ts';
import { alerts } from './alerts.ts';
import { forSetting } from './rule.ts';
import { type ThresholdKind, type ThresholdName, thresholds } from './thresholds.ts';

/** Every threshold, and `…For` of every alert. */
export type Settings = Readonly<Record<ThresholdName, string>> & Readonly<Record<string, string>>;

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly kind: ThresholdKind | 'for';
  readonly help: string;
}

/** All of them, in the order of the documentation. */
export const settingTable: readonly Setting[] = [
  ...Object.entries(thresholds).map(([name, threshold]) => ({ name, ...threshold })),
  ...alerts.map((alert) => ({
    name: forSetting(alert),
    value: alert.for,
    kind: 'for' as const,
    help: `How long the condition must hold before ${alert.name} fires.`,
  })),
];

const values = <T extends string>(names: readonly T[], of: (name: T) => string): Readonly<Record<T, string>> =>
  names.reduce<Record<T, string>>((all, name) => Object.assign(all, { [name]: of(name) }), Object.create(null));

/** `value` gives each setting its text. */
export const settingsFrom = (value: (setting: Setting) => string): Settings => {
  const given = new Map(settingTable.map((setting) => [setting.name, value(setting)]));
  const of = (name: string): string => given.get(name) ?? '';
  return { ...values([...given.keys()], of), ...values(thresholdNames, of) };
};

const isThreshold = (name: string): name is ThresholdName => name in thresholds;
const thresholdNames = Object.keys(thresholds).filter(isThreshold);

export const defaults: Settings = settingsFrom(({ value }) => value);

/** Of a setting that is a list of labels. */
export const labelsIn = (text: string): readonly string[] => text.split(/, */);

export type SettingsRead =
  | { readonly kind: 'ok'; readonly value: Settings }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

/** `name=value`, each; every error at once. */
export const readSettings = (given: readonly string[]): SettingsRead => {
  const pairs = given.map((text): readonly [name: string, value: string] => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  const errors = given.flatMap((text, at) => errorIn(text, pairs[at] ?? ['', '']));
  if (errors.length > 0) return { kind: 'invalid', errors };
  const wanted = new Map(pairs);
  return { kind: 'ok', value: settingsFrom(({ name, value }) => wanted.get(name) ?? value) };
};

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

const label = '[a-zA-Z_][a-zA-Z0-9_]*';
const counted = '[\\w./:-]+=\\d+';
const matcher = `${label}(?:=|!=|=~|!~)"(?:[^"\\\\\\n]|\\\\.)*"`;
const time = '(?:\\d+y)?(?:\\d+w)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?(?:\\d+ms)?';

interface Form {
  readonly pattern: RegExp;
  readonly example: string;
}

const forms: Readonly<Record<Setting['kind'], Form>> = {
  number: { pattern: /^\d+(?:\.\d+)?(?:[eE]\+?\d+)?$/, example: 'a number, such as 20 or 5e10' },
  ratio: { pattern: /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, example: 'a fraction from 0 to 1, such as 0.85' },
  seconds: { pattern: /^\d+(?:\.\d+)?$/, example: 'a number of seconds, such as 3600' },
  duration: {
    pattern: new RegExp(`^(?=.*[1-9])(?=.)${time}$`),
    example: "a duration above 0 in Prometheus' spelling, such as 15m or 1d",
  },
  for: { pattern: new RegExp(`^(?=.)${time}$`), example: "a duration in Prometheus' spelling, such as 0s, 15m or 1d" },
  labels: { pattern: new RegExp(`^${label}(?:, *${label})*$`), example: 'a list of label names, such as cluster, namespace' },
  matchers: {
    pattern: new RegExp(`^(?:${matcher}(?:, *${matcher})*)?$`),
    example: 'a list of label matchers, such as job="snowgauge"',
  },
  regex: { pattern: /^[^"\\\s]+$/, example: 'a regular expression without quotes, backslashes and blanks' },
  counts: {
    pattern: new RegExp(`^${counted}(?:, *${counted})*$`),
    example: 'a list of numbers by name, such as validators=5, rpc=3',
  },
  url: { pattern: /^(?:[^\s"'{}<>]*[^\s"'{}<>/])?$/, example: 'the beginning of a URL, without a slash at its end' },
};
