// Ready and Healthy of a tag set often change with the same poll, for the same reason. Both are recorded; told is one line.

interface Foldable {
  readonly kind: string;
  readonly at: number;
  readonly target?: string;
  readonly verdict?: string;
  readonly tagSets?: readonly string[];
}

export interface Folded<T> {
  readonly record: T;
  /** The change of Healthy that came with this one of Ready. */
  readonly healthy?: T;
}

/** In the order of the records, without those of Healthy that stand beside one of Ready. */
export const folded = <T extends Foldable>(records: readonly T[]): readonly Folded<T>[] => {
  const changes = (verdict: string): ReadonlyMap<string, T> =>
    new Map(records.filter((one) => one.kind === 'verdict' && one.verdict === verdict).map((one) => [keyOf(one), one]));
  const [ready, healthy] = [changes('Ready'), changes('Healthy')];
  return records.flatMap((record): readonly Folded<T>[] => {
    const isCondition = record.kind === 'verdict';
    if (isCondition && record.verdict === 'Healthy' && ready.has(keyOf(record))) return [];
    const beside = isCondition && record.verdict === 'Ready' ? healthy.get(keyOf(record)) : undefined;
    return [{ record, ...(beside !== undefined && { healthy: beside }) }];
  });
};

const keyOf = ({ at, target = '', tagSets = [] }: Foldable): string => [target, at, ...tagSets].join(' ');
