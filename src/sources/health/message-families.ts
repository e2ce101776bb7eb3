// Metric families of message fields: those claimed by a row, and all others in generic families, each exactly once.

import { type FamilyGroup, group, type Row, readOnce } from '../../metrics/family.ts';
import { fieldOf, type Unmapped, type UnmappedFields, unmappedFields } from '../../metrics/message.ts';
import { type FieldRow, fieldRows, rowsFor } from './message-fields.ts';
import type { NamedCheck } from './worst-first.ts';

interface ReadCheck {
  readonly check: string;
  /** By the name of the family. */
  readonly claimed: ReadonlyMap<string, number>;
  readonly unmapped: UnmappedFields;
}

interface ReadChecks {
  readonly all: readonly ReadCheck[];
  /** Of all checks: a family without a label for the check is claimed by only one. */
  readonly claimed: Claimed;
}

interface UnmappedIn {
  readonly check: string;
  readonly field: Unmapped;
}

const perField = ['target', 'check', 'field'] as const;

const unmappedRows: readonly Row<UnmappedIn>[] = [
  {
    name: 'snowgauge_check_message_value',
    type: 'gauge',
    labels: perField,
    unit: 'none',
    help: "A number in the check's message without a metric of its own. Label field is its path; dots in keys are escaped.",
    source: 'message of the check',
    value: ({ field: { kind, value } }) => (kind === 'value' ? value : undefined),
  },
  {
    name: 'snowgauge_check_message_seconds',
    type: 'gauge',
    labels: perField,
    unit: 'seconds',
    help: "A duration in the check's message without a metric of its own. Label field is its path; dots in keys are escaped.",
    source: 'message of the check',
    value: ({ field: { kind, value } }) => (kind === 'seconds' ? value : undefined),
  },
];

const droppedRows: readonly Row<ReadCheck>[] = [
  {
    name: 'snowgauge_check_fields_dropped',
    type: 'gauge',
    labels: ['target', 'check'],
    unit: 'count',
    help: "Unmapped fields of the check's message that are not exported: all if over 50, numbers in arrays, nesting over 16 levels. No sample if none.",
    source: 'message of the check',
    value: ({ unmapped }) => (unmapped.dropped > 0 ? unmapped.dropped : undefined),
  },
];

const readCheck = ({ check, result }: NamedCheck): ReadCheck => {
  const { message } = result;
  const claimed = new Map<string, number>();
  const fields = new Set<string>();
  for (const row of rowsFor(check, message)) {
    const value = row.read(fieldOf(message, row.field), result);
    if (value === undefined || !Number.isFinite(value)) continue;
    claimed.set(row.name, value);
    fields.add(row.field);
  }
  return { check, claimed, unmapped: unmappedFields(message, fields) };
};

const read = (checks: readonly NamedCheck[]): ReadChecks => {
  const all = checks.filter(({ result }) => result.message !== undefined).map(readCheck);
  const claimed = new Map<string, number>();
  for (const one of all) for (const [name, value] of one.claimed) claimed.set(name, value);
  return { all, claimed };
};

type Claimed = ReadCheck['claimed'];

const claimRows = <Of extends { readonly claimed: Claimed }>(rows: readonly FieldRow[]): readonly Row<Of>[] =>
  rows.map((row) => ({ ...row, type: 'gauge', value: ({ claimed }) => claimed.get(row.name) }));

/** Rows for chains have a sample per chain, the others a single one. */
const claimedBy = (rows: readonly FieldRow[], ofChains: boolean): FamilyGroup<ReadChecks> =>
  ofChains
    ? group<ReadChecks, ReadCheck>(
        claimRows(rows),
        ({ all }) => all.filter(({ claimed }) => rows.some(({ name }) => claimed.has(name))),
        ({ check }) => [check],
      )
    : group<ReadChecks, ReadChecks>(claimRows(rows), (checks) => [checks]);

const isOfChains = (row: FieldRow | undefined): boolean => row?.matches === 'chain';

/** In the order of the rows: adjacent rows with the same labels are one group. */
const claimedGroups = (rows: readonly FieldRow[]): readonly FamilyGroup<ReadChecks>[] => {
  if (rows.length === 0) return [];
  const ofChains = isOfChains(rows[0]);
  const end = rows.findIndex((row) => isOfChains(row) !== ofChains);
  const count = end < 0 ? rows.length : end;
  return [claimedBy(rows.slice(0, count), ofChains), ...claimedGroups(rows.slice(count))];
};

const groups: readonly FamilyGroup<ReadChecks>[] = [
  ...claimedGroups(fieldRows),
  group<ReadChecks, UnmappedIn>(
    unmappedRows,
    ({ all }) => all.flatMap(({ check, unmapped: { fields } }) => fields.map((field): UnmappedIn => ({ check, field }))),
    ({ check, field }) => [check, field.field],
  ),
  group<ReadChecks, ReadCheck>(
    droppedRows,
    ({ all }) => all,
    ({ check }) => [check],
  ),
];

/** Each message is read once for all of its families. */
export const messageGroup = readOnce(read, groups);
