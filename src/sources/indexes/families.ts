// Metric families of the indexes: state, last container, comparison with the chain, and verification of the tail.

import { type FamilyGroup, flag, group, type Row, readOnce } from '../../metrics/family.ts';
import { parseInstant } from '../../protocol/time.ts';
import { type CurrentIndex, currentIndexes, type ShownState, shownStates } from './current.ts';
import { type IntegrityErrorKind, integrityErrorKinds } from './integrity-error.ts';
import type { IndexesState } from './state.ts';

interface StateOfIndex {
  readonly of: CurrentIndex;
  readonly state: ShownState;
}

const stateRows: readonly Row<StateOfIndex>[] = [
  {
    name: 'snowgauge_index_state',
    type: 'gauge',
    labels: ['target', 'index', 'state'],
    unit: 'boolean',
    help: '1 for the current state of the index, 0 for the others: off (HTTP 404), error (request failed), unknown (not polled yet).',
    source: 'index.getLastAccepted',
    value: ({ of, state }) => flag(of.state === state),
  },
];

const ofIndex = { type: 'gauge', labels: ['target', 'index'] } as const;

const asNumber = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value));

const indexRows: readonly Row<CurrentIndex>[] = [
  {
    ...ofIndex,
    name: 'snowgauge_index_last_accepted_height',
    unit: 'none',
    help: 'Index of the last accepted container. Not a block height.',
    source: 'index of index.getLastAccepted',
    value: ({ last }) => asNumber(last?.index),
  },
  {
    ...ofIndex,
    name: 'snowgauge_index_last_accepted_timestamp_seconds',
    unit: 'timestamp',
    help: 'Time at which the last container was accepted, by the node clock.',
    source: 'timestamp of index.getLastAccepted',
    value: ({ last }) => parseInstant(last?.timestamp ?? ''),
  },
  {
    ...ofIndex,
    name: 'snowgauge_index_height_drift',
    unit: 'count',
    help: "Number of blocks missing from the index: height of the chain's last block - 1 - its index.",
    source: "lastAcceptedHeight of the chain's check; index.getIndex of its lastAcceptedID",
    value: ({ drift }) => asNumber(drift),
  },
  {
    ...ofIndex,
    name: 'snowgauge_index_agrees_with_chain',
    unit: 'boolean',
    help: '1 if the index has the last accepted block of its chain, 0 if two polls did not find it.',
    source: "index.isAccepted of lastAcceptedID of the chain's check",
    value: ({ agrees }) => (agrees === undefined ? undefined : flag(agrees)),
  },
  {
    ...ofIndex,
    name: 'snowgauge_index_verified_index',
    unit: 'none',
    help: 'Index of the last verified container.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    value: ({ verified }) => asNumber(verified),
  },
];

interface ErrorsOfKind {
  readonly of: CurrentIndex;
  readonly kind: IntegrityErrorKind;
}

const errorRows: readonly Row<ErrorsOfKind>[] = [
  {
    name: 'snowgauge_index_integrity_errors_total',
    type: 'counter',
    labels: ['target', 'index', 'kind'],
    unit: 'count',
    help: 'Integrity errors in the containers of the index by kind: gap, wrong number, id, time, bytes or hash.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    value: ({ of, kind }) => of.errors[kind],
  },
];

export const indexFamilies: readonly FamilyGroup<IndexesState>[] = [
  readOnce<IndexesState, readonly CurrentIndex[]>(currentIndexes, [
    group<readonly CurrentIndex[], StateOfIndex>(
      stateRows,
      (indexes) =>
        indexes
          .filter((of) => of.state !== undefined)
          .flatMap((of) => shownStates.map((one): StateOfIndex => ({ of, state: one }))),
      ({ of, state }) => [of.index, state],
    ),
    group<readonly CurrentIndex[], CurrentIndex>(
      indexRows,
      (indexes) => indexes,
      ({ index }) => [index],
    ),
    group<readonly CurrentIndex[], ErrorsOfKind>(
      errorRows,
      (indexes) => indexes.flatMap((of) => integrityErrorKinds.map((kind): ErrorsOfKind => ({ of, kind }))),
      ({ of, kind }) => [of.index, kind],
    ),
  ]),
];
