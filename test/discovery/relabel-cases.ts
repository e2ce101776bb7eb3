// Labels and relabeling rules that are also evaluated by Prometheus.

import type { Relabeling } from '../../src/config/relabeling.ts';

export interface Case {
  readonly title: string;
  readonly rules: readonly Relabeling[];
  readonly labels?: Readonly<Record<string, string>>;
}

export const labels = {
  __meta_ns: 'validators',
  __meta_pod: 'Node-7',
  __meta_pod_label_app: 'avalanche',
  __meta_pod_label_team_name: 'Straße ÉÏ ẞ ŉ Σς İ',
  empty_one: '',
  region: 'eu-1',
  zone: 'eu-1',
};

export const cases: readonly Case[] = [
  { title: 'replace: only a target label', rules: [{ action: 'replace', targetLabel: 'a' }] },
  {
    title: 'replace: the whole value by default',
    rules: [{ action: 'replace', sourceLabels: ['__meta_pod'], targetLabel: 'a' }],
  },
  {
    title: 'replace: a constant, with a missing source label',
    rules: [{ action: 'replace', sourceLabels: ['nowhere'], targetLabel: 'a', replacement: 'constant' }],
  },
  {
    title: 'replace: joined by the default separator, groups by number and by name',
    rules: [
      {
        action: 'replace',
        sourceLabels: ['__meta_ns', '__meta_pod'],
        regex: '(?P<ns>.+);([A-Z][a-z]+)-(\\d+)',
        targetLabel: 'a',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as Go has it
        replacement: '$ns/${2}_$3-$3x-${9}-$$-$-$1',
      },
    ],
  },
  {
    title: 'replace: a separator and a missing label',
    rules: [{ action: 'replace', sourceLabels: ['region', 'nowhere', 'zone'], separator: '|', targetLabel: 'a' }],
  },
  {
    title: 'replace: an expression that matches only a part does not match',
    rules: [{ action: 'replace', sourceLabels: ['region'], regex: 'eu', targetLabel: 'a', replacement: 'part' }],
  },
  {
    title: 'replace: an alternative is anchored as a whole',
    rules: [{ action: 'replace', sourceLabels: ['region'], regex: 'eu|eu-1|x', targetLabel: 'a', replacement: 'whole' }],
  },
  {
    title: 'replace: a case-insensitive flag and a character class of RE2',
    rules: [
      {
        action: 'replace',
        sourceLabels: ['__meta_pod'],
        regex: '(?i)(node)-([[:digit:]]+)',
        targetLabel: 'a',
        replacement: '$2$1',
      },
    ],
  },
  {
    title: 'replace: the label name from a group',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Go has it
    rules: [{ action: 'replace', sourceLabels: ['__meta_ns'], regex: '(.)(.*)', targetLabel: 'x_${1}', replacement: '$2' }],
  },
  {
    title: 'replace: an empty result removes the label',
    rules: [{ action: 'replace', sourceLabels: ['region'], regex: '(x?).*', targetLabel: 'zone', replacement: '$1' }],
  },
  {
    title: 'replace: a value with a newline',
    rules: [{ action: 'replace', sourceLabels: ['text'], regex: 'a.(b)', targetLabel: 'a', replacement: '$1' }],
    labels: { text: 'a\nb' },
  },
  {
    title: 'replace: a group name may contain underscores',
    rules: [{ action: 'replace', sourceLabels: ['region'], regex: '(.+)-(.+)', targetLabel: 'a', replacement: '$1_x$2 $2' }],
  },
  {
    title: 'replace: the address changes the instance',
    rules: [
      { action: 'replace', sourceLabels: ['__address__'], regex: '(.*):.*', targetLabel: '__address__', replacement: '$1:9650' },
    ],
  },
  {
    title: 'replace: the scheme is http by default',
    rules: [{ action: 'replace', sourceLabels: ['__scheme__', '__meta_ns'], targetLabel: 'a' }],
  },
  {
    title: 'replace: the scheme of the list',
    labels: { __scheme__: 'https' },
    rules: [{ action: 'replace', sourceLabels: ['__scheme__'], targetLabel: 'a' }],
  },
  { title: 'keep: the default scheme', rules: [{ action: 'keep', sourceLabels: ['__scheme__'], regex: 'http' }] },
  { title: 'keep: a matching value', rules: [{ action: 'keep', sourceLabels: ['__meta_ns'], regex: 'valid.*' }] },
  { title: 'keep: a value that does not match', rules: [{ action: 'keep', sourceLabels: ['__meta_ns'], regex: 'valid' }] },
  { title: 'keep: an empty value', rules: [{ action: 'keep', sourceLabels: ['nowhere'], regex: '' }] },
  { title: 'drop: a matching value', rules: [{ action: 'drop', sourceLabels: ['region', 'zone'], regex: 'eu-1;eu-1' }] },
  { title: 'drop: a value that does not match', rules: [{ action: 'drop', sourceLabels: ['region'], regex: 'us-.*' }] },
  { title: 'keepequal: equal values', rules: [{ action: 'keepequal', sourceLabels: ['region'], targetLabel: 'zone' }] },
  { title: 'keepequal: different values', rules: [{ action: 'keepequal', sourceLabels: ['region'], targetLabel: '__meta_ns' }] },
  { title: 'keepequal: two missing labels', rules: [{ action: 'keepequal', sourceLabels: ['nowhere'], targetLabel: 'neither' }] },
  { title: 'dropequal: equal values', rules: [{ action: 'dropequal', sourceLabels: ['region'], targetLabel: 'zone' }] },
  { title: 'dropequal: different values', rules: [{ action: 'dropequal', sourceLabels: ['region'], targetLabel: '__meta_ns' }] },
  { title: 'hashmod', rules: [{ action: 'hashmod', sourceLabels: ['__meta_pod'], targetLabel: 'a', modulus: 1000 }] },
  {
    title: 'hashmod: a modulus of more than 53 bits, of a non-ASCII value',
    rules: [
      {
        action: 'hashmod',
        sourceLabels: ['__meta_pod_label_team_name', 'region'],
        targetLabel: 'a',
        modulus: 9_007_199_254_740_991,
      },
    ],
  },
  { title: 'labelmap', rules: [{ action: 'labelmap', regex: '__meta_pod_label_(.+)' }] },
  {
    title: 'labelmap: with a replacement',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Go has it
    rules: [{ action: 'labelmap', regex: '__meta_(pod)_label_(.+)', replacement: '${1}_$2' }],
  },
  {
    title: 'labelmap: a label that was set by a rule comes last',
    rules: [
      { action: 'replace', targetLabel: '__meta_aa', replacement: 'set' },
      { action: 'labelmap', regex: '__meta_(aa|ns)', replacement: 'same' },
    ],
  },
  { title: 'labeldrop', rules: [{ action: 'labeldrop', regex: '(region|zo.*)' }] },
  { title: 'labelkeep', rules: [{ action: 'labelkeep', regex: '__.*|job|region' }] },
  { title: 'lowercase', rules: [{ action: 'lowercase', sourceLabels: ['__meta_pod_label_team_name'], targetLabel: 'a' }] },
  {
    title: 'uppercase',
    rules: [{ action: 'uppercase', sourceLabels: ['__meta_pod_label_team_name', 'region'], targetLabel: 'a' }],
  },
  {
    title: 'lowercase: an empty result removes the label',
    rules: [{ action: 'lowercase', sourceLabels: ['nowhere'], targetLabel: 'zone' }],
  },
  {
    title: 'each rule works on the result of the previous one',
    rules: [
      { action: 'replace', sourceLabels: ['__meta_pod'], targetLabel: '__tmp' },
      { action: 'lowercase', sourceLabels: ['__tmp'], targetLabel: '__tmp' },
      { action: 'keep', sourceLabels: ['__tmp'], regex: 'node-\\d' },
      { action: 'labelmap', regex: '__(tmp)' },
      { action: 'labeldrop', regex: 'zone' },
      { action: 'replace', targetLabel: 'zone', replacement: 'again' },
    ],
  },
];
