// Ready and Healthy of a tag set often change with the same poll for the same reason, and Healthy of all tag sets at once. Each change is
// recorded, but they are shown as one line.

import type { TransitionRecord } from './record.ts';

interface Foldable extends Pick<TransitionRecord, 'at' | 'condition' | 'tagSets' | 'from' | 'to' | 'alsoFailing'> {
  readonly kind: string;
  readonly target?: string;
}

export interface Folded<T> {
  readonly record: T;
  /** The change of Healthy at the same time as this one of Ready. */
  readonly healthy?: T;
}

/** Keeps the order. A change of Healthy is joined to the one of Ready of its tag set, or else to equal changes of other tag sets. */
export const folded = <T extends Foldable>(records: readonly T[]): readonly Folded<T>[] => {
  const keysOfReady = new Set(records.filter(isOf('Ready')).map(keyOf));
  const beside = new Map(records.filter(isOf('Healthy')).map((one) => [keyOf(one), one]));
  const alone = new Map<string, readonly string[]>();
  const shown: T[] = [];
  for (const record of records) {
    const key = changeOf(record);
    const before = alone.get(key);
    if (!isOf('Healthy')(record)) shown.push(record);
    else if (!keysOfReady.has(keyOf(record))) {
      if (before === undefined) shown.push(record);
      alone.set(key, [...(before ?? []), ...(record.tagSets ?? [])]);
    }
  }
  return shown.map((record): Folded<T> => {
    if (isOf('Healthy')(record)) return { record: { ...record, tagSets: alone.get(changeOf(record)) ?? [] } };
    const healthy = isOf('Ready')(record) ? beside.get(keyOf(record)) : undefined;
    return { record, ...(healthy !== undefined && { healthy }) };
  });
};

const isOf =
  (type: string) =>
  ({ kind, condition }: Foldable): boolean =>
    kind === 'condition' && condition === type;

const keyOf = ({ at, target = '', tagSets = [] }: Foldable): string => [target, at, ...tagSets].join(' ');
// Not by the message, which has the number of checks of the tag set.
const changeOf = ({ at, target = '', from = '', to = '', alsoFailing = [] }: Foldable): string =>
  [target, at, from, to, ...alsoFailing].join(' ');
