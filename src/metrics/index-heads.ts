// Families of the heads of the indexes.

import type { IndexName } from '../protocol/paths.ts';
import { parseInstant } from '../protocol/time.ts';
import type { IndexHead } from '../snapshot/index-head.ts';
import { current, type Observed } from '../snapshot/observed.ts';
import { maxAge, type Snapshot, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { collect, type Family, flag, type Row } from './family.ts';

const states = ['ok', 'empty', 'off', 'historical', 'error', 'unknown'] as const;
type State = (typeof states)[number];

interface Index {
  readonly target: string;
  readonly index: IndexName;
  readonly state: State;
  /** As far as it is known and current. */
  readonly head: IndexHead | undefined;
}

interface IndexState {
  readonly of: Index;
  readonly state: State;
}

const last = ({ head }: Index) => (head !== undefined && 'last' in head ? head.last : undefined);

export const stateRows: readonly Row<IndexState>[] = [
  {
    name: 'snowgauge_index_state',
    type: 'gauge',
    labels: ['target', 'index', 'state'],
    unit: 'boolean',
    help: '1 for the state the index is in, 0 for the others: off is a 404, error a failed call, unknown not asked yet.',
    source: 'index.getLastAccepted',
    stability: 'stable',
    value: ({ of, state }) => flag(of.state === state),
  },
];

export const headRows: readonly Row<Index>[] = [
  {
    name: 'snowgauge_index_last_accepted_height',
    type: 'gauge',
    labels: ['target', 'index'],
    unit: 'none',
    help: 'Number of the last container in the index: how many came before it, which is not the height of a block.',
    source: 'index of index.getLastAccepted',
    stability: 'stable',
    value: (index) => {
      const container = last(index);
      return container === undefined ? undefined : Number(container.index);
    },
  },
  {
    name: 'snowgauge_index_last_accepted_timestamp_seconds',
    type: 'gauge',
    labels: ['target', 'index'],
    unit: 'timestamp',
    help: "When the node accepted the last container in the index, in the node's clock.",
    source: 'timestamp of index.getLastAccepted',
    stability: 'stable',
    value: (index) => parseInstant(last(index)?.timestamp ?? ''),
  },
];

const stateOf = (observed: Observed<IndexHead>): State => {
  switch (observed.state) {
    case 'pending':
      return 'unknown';
    case 'fresh':
      return observed.value.state;
    case 'stale':
    case 'failed':
      return 'error';
    default:
      return observed satisfies never;
  }
};

/** An index that once answered and has not for too long gives nothing. */
const currentIndexes = (target: TargetSnapshot, now: number): readonly Index[] =>
  Array.from(target.indexes).flatMap(([index, observed]) => {
    const head = current(observed, now, maxAge(target));
    const known = observed.state === 'fresh' || observed.state === 'stale';
    return known && head === undefined ? [] : [{ target: target.options.name, index, state: stateOf(observed), head }];
  });

export const indexFamilies = (snapshot: Snapshot, now: number): readonly Family[] => {
  const indexes = Array.from(snapshot.targets.values()).flatMap((target) => currentIndexes(target, now));
  const perState = indexes.flatMap((of) => states.map((state): IndexState => ({ of, state })));
  return [
    ...collect(stateRows, perState, ({ of, state }) => [of.target, of.index, state]),
    ...collect(headRows, indexes, ({ target, index }) => [target, index]),
  ];
};
