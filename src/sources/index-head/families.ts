// Families of the heads of the indexes.

import { type FamilyGroup, flag, group, type RenderContext, type Row } from '../../metrics/family.ts';
import type { Container } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { parseInstant } from '../../protocol/time.ts';
import { current, type Observed } from '../../snapshot/observed.ts';
import { type IndexHead, lastOf } from './head.ts';
import type { HeadState } from './state.ts';

const states = ['ok', 'empty', 'off', 'historical', 'error', 'unknown'] as const;
type State = (typeof states)[number];

interface Index {
  readonly index: IndexName;
  readonly state: State;
  /** Its last container, where there is one, as far as that is known and current. */
  readonly last: Container | undefined;
}

interface IndexState {
  readonly of: Index;
  readonly state: State;
}

const stateRows: readonly Row<IndexState>[] = [
  {
    name: 'snowgauge_index_state',
    type: 'gauge',
    labels: ['target', 'index', 'state'],
    unit: 'boolean',
    help: '1 for the current state of the index, 0 for the others: off (HTTP 404), error (request failed), unknown (not polled yet).',
    source: 'index.getLastAccepted',
    stability: 'stable',
    value: ({ of, state }) => flag(of.state === state),
  },
];

const headRows: readonly Row<Index>[] = [
  {
    name: 'snowgauge_index_last_accepted_height',
    type: 'gauge',
    labels: ['target', 'index'],
    unit: 'none',
    help: 'Index of the last accepted container. Not a block height.',
    source: 'index of index.getLastAccepted',
    stability: 'stable',
    value: ({ last }) => (last === undefined ? undefined : Number(last.index)),
  },
  {
    name: 'snowgauge_index_last_accepted_timestamp_seconds',
    type: 'gauge',
    labels: ['target', 'index'],
    unit: 'timestamp',
    help: 'Time at which the last container was accepted, by the node clock.',
    source: 'timestamp of index.getLastAccepted',
    stability: 'stable',
    value: ({ last }) => parseInstant(last?.timestamp ?? ''),
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
const currentIndexes = ({ heads }: HeadState, { now, maxAge }: RenderContext): readonly Index[] =>
  Array.from(heads).flatMap(([index, observed]) => {
    const head = current(observed, now, maxAge);
    const known = observed.state === 'fresh' || observed.state === 'stale';
    if (known && head === undefined) return [];
    return [{ index, state: stateOf(observed), last: head === undefined ? undefined : lastOf(head) }];
  });

export const headFamilies: readonly FamilyGroup<HeadState>[] = [
  group<HeadState, IndexState>(
    stateRows,
    (state, context) => currentIndexes(state, context).flatMap((of) => states.map((one): IndexState => ({ of, state: one }))),
    ({ of, state }) => [of.index, state],
  ),
  group<HeadState, Index>(headRows, currentIndexes, ({ index }) => [index]),
];
