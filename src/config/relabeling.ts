// A relabeling rule of Prometheus, with the field names of the Prometheus operator; and what Prometheus rejects in a rule.

import * as z from 'zod/mini';
import { isObject } from '../protocol/foreign-text.ts';
import { wholeNumber } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { type AddIssue, rule } from '../yaml/rules.ts';
import { type Immutable, setting } from './setting.ts';

export const relabelActions = [
  'replace',
  'keep',
  'drop',
  'keepequal',
  'dropequal',
  'hashmod',
  'labelmap',
  'labeldrop',
  'labelkeep',
  'lowercase',
  'uppercase',
] as const;

type Action = (typeof relabelActions)[number];

/** The operator also accepts actions in CamelCase. */
const spelled = [
  ...relabelActions,
  ...(['Replace', 'Keep', 'Drop', 'KeepEqual', 'DropEqual', 'HashMod', 'LabelMap', 'LabelDrop', 'LabelKeep'] as const),
  ...(['Lowercase', 'Uppercase'] as const),
] as const;

/** Prometheus ignores the case. */
const actionOf = (text: unknown): Action | undefined => relabelActions.find((one) => one === String(text).toLowerCase());

export const maxTextLength = 4096;
export const maxRelabelings = 100;

const text = z.string().check(z.maxLength(maxTextLength));

const fields = z.strictObject({
  sourceLabels: setting(
    { description: 'Labels whose values are joined by the separator.' },
    z.exactOptional(z.array(text).check(z.maxLength(32))),
  ),
  separator: setting({ description: 'Separator between the values of sourceLabels. Default: `;`.' }, z.exactOptional(text)),
  targetLabel: setting({ description: 'Label to set, or to compare with.' }, z.exactOptional(text)),
  regex: setting(
    { description: 'RE2 expression for the joined value or the label name, anchored at both ends. Default: `(.*)`.' },
    z.exactOptional(text),
  ),
  modulus: setting({ description: 'Of hashmod.' }, z.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER))),
  replacement: setting(
    { description: 'Replacement, with `$1` for the first group of the expression. Default: `$1`.' },
    z.exactOptional(text),
  ),
  action: setting(
    { description: 'As in Prometheus.' },
    z.pipe(
      z.prefault(z.enum(spelled), 'replace'),
      z.transform((text): Action => actionOf(text) ?? 'replace'),
    ),
  ),
});

/** The fields that an action may have beside `action`: Prometheus rejects the others. */
const fieldsOf: Readonly<Record<Action, readonly string[]>> = {
  replace: ['sourceLabels', 'separator', 'targetLabel', 'regex', 'replacement'],
  keep: ['sourceLabels', 'separator', 'regex'],
  drop: ['sourceLabels', 'separator', 'regex'],
  keepequal: ['sourceLabels', 'targetLabel'],
  dropequal: ['sourceLabels', 'targetLabel'],
  hashmod: ['sourceLabels', 'separator', 'targetLabel', 'modulus'],
  labelmap: ['regex', 'replacement'],
  labeldrop: ['regex'],
  labelkeep: ['regex'],
  lowercase: ['sourceLabels', 'separator', 'targetLabel'],
  uppercase: ['sourceLabels', 'separator', 'targetLabel'],
};

const required = ['targetLabel', 'modulus'] as const;

const check = (value: unknown, addIssue: AddIssue): void => {
  const action = actionOf(valueAt(value, ['action']) ?? 'replace');
  if (action === undefined || !isObject(value)) return;
  const own = fieldsOf[action];
  for (const name of required) {
    if (own.includes(name) && !valueAt(value, [name])) addIssue([], `has the action ${action}, which needs ${name}`);
  }
  if (action === 'labelmap' && valueAt(value, ['replacement']) === '') addIssue(['replacement'], 'is not the name of a label');
  for (const name of Object.keys(fields.shape)) {
    if (name === 'action' || own.includes(name) || valueAt(value, [name]) === undefined) continue;
    addIssue([name], `has no effect with the action ${action}: leave it out`, 'key');
  }
};

export const relabelings = setting(
  {
    description: 'Relabeling rules for discovered targets, as relabel_configs of Prometheus. At most 100. See docs/discovery.md.',
  },
  z.prefault(z.array(fields.check(rule(check))).check(z.maxLength(maxRelabelings)), []),
);

export type Relabeling = Immutable<z.output<typeof relabelings>>[number];

export const relabelDefaults = { separator: ';', regex: '(.*)', replacement: '$1' } as const;
