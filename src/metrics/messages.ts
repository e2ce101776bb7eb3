// Families of what is in messages: the fields that a row claims, and by the generic families everything else, exactly once.

import { collect, type Family, type Row } from './family.ts';
import { fieldOf, type Loose, type LooseFields, looseFields } from './message.ts';
import { fieldRows, rowsFor } from './message-fields.ts';
import type { Check } from './sources.ts';

interface ReadCheck {
  readonly check: Check;
  /** By the name of the family. */
  readonly claimed: ReadonlyMap<string, number>;
  readonly loose: LooseFields;
}

interface LooseOf {
  readonly check: Check;
  readonly loose: Loose;
}

const perField = ['target', 'tag_set', 'check', 'field'] as const;

export const valueRows: readonly Row<LooseOf>[] = [
  {
    name: 'snowgauge_check_message_value',
    type: 'gauge',
    labels: perField,
    unit: 'none',
    help: "A number in the check's message that has no family of its own; label field is its path, with dots in keys escaped.",
    source: 'message of the check',
    stability: 'stable',
    value: ({ loose }) => loose.value,
  },
];

export const secondsRows: readonly Row<LooseOf>[] = [
  {
    name: 'snowgauge_check_message_seconds',
    type: 'gauge',
    labels: perField,
    unit: 'seconds',
    help: "A duration in the check's message that has no family of its own; label field is its path, with dots in keys escaped.",
    source: 'message of the check',
    stability: 'stable',
    value: ({ loose }) => loose.value,
  },
];

export const droppedRows: readonly Row<ReadCheck>[] = [
  {
    name: 'snowgauge_check_fields_dropped',
    type: 'gauge',
    labels: ['target', 'tag_set', 'check'],
    unit: 'count',
    help: "Loose fields of the check's message that are not on this page: all when over 50, and branches nested over 16 deep. No sample when none.",
    source: 'message of the check',
    stability: 'stable',
    value: ({ loose }) => (loose.dropped > 0 ? loose.dropped : undefined),
  },
];

const readCheck = (check: Check): ReadCheck => {
  const { message } = check.result;
  const claimed = new Map<string, number>();
  const fields = new Set<string>();
  for (const row of rowsFor(check.check, message)) {
    const value = row.read(fieldOf(message, row.field), check.result);
    if (value === undefined || !Number.isFinite(value)) continue;
    claimed.set(row.name, value);
    fields.add(row.field);
  }
  return { check, claimed, loose: looseFields(message, fields) };
};

const checkLabels = ({ target, tagSet, check }: Check): readonly string[] => [target, tagSet, check];

export const messageFamilies = (checks: readonly Check[]): readonly Family[] => {
  const read = checks.filter(({ result }) => result.message !== undefined).map(readCheck);
  const loose = read.flatMap(({ check, loose: { fields } }) => fields.map((field): LooseOf => ({ check, loose: field })));
  const fieldLabels = ({ check, loose: { field } }: LooseOf): readonly string[] => [...checkLabels(check), field];
  const claimed = fieldRows.flatMap((row) =>
    collect<ReadCheck>(
      [{ ...row, type: 'gauge', value: (subject) => subject.claimed.get(row.name) }],
      read.filter((subject) => subject.claimed.has(row.name)),
      ({ check }) => (row.matches === 'chain' ? checkLabels(check) : [check.target, check.tagSet]),
    ),
  );
  return [
    ...claimed,
    ...collect(
      valueRows,
      loose.filter((one) => one.loose.kind === 'value'),
      fieldLabels,
    ),
    ...collect(
      secondsRows,
      loose.filter((one) => one.loose.kind === 'seconds'),
      fieldLabels,
    ),
    ...collect(droppedRows, read, ({ check }) => checkLabels(check)),
  ];
};
