// Families of what is known of the indexes beyond their heads: beside their chains, and along their tails.

import { type FamilyGroup, flag, group, type Row } from '../../metrics/family.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { type CurrentWatch, currentWatch } from './current.ts';
import { type IndexFaultKind, indexFaultKinds } from './fault.ts';
import type { TailState } from './state.ts';

interface Watched {
  readonly index: IndexName;
  readonly watch: CurrentWatch;
}

const perIndex = ['target', 'index'] as const;

const asNumber = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value));

const watchRows: readonly Row<Watched>[] = [
  {
    name: 'snowgauge_index_height_drift',
    type: 'gauge',
    labels: perIndex,
    unit: 'count',
    help: "Number of blocks missing from the index: height of the chain's last block - 1 - its index.",
    source: "lastAcceptedHeight of the chain's check; index.getIndex of its lastAcceptedID",
    stability: 'stable',
    value: ({ watch }) => asNumber(watch.drift),
  },
  {
    name: 'snowgauge_index_agrees_with_chain',
    type: 'gauge',
    labels: perIndex,
    unit: 'boolean',
    help: '1 if the index has the last accepted block of its chain, 0 if two polls did not find it.',
    source: "index.isAccepted of lastAcceptedID of the chain's check",
    stability: 'stable',
    value: ({ watch }) => (watch.agrees === undefined ? undefined : flag(watch.agrees)),
  },
  {
    name: 'snowgauge_index_verified_index',
    type: 'gauge',
    labels: perIndex,
    unit: 'none',
    help: 'Index of the last verified container.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    stability: 'stable',
    value: ({ watch }) => asNumber(watch.verified),
  },
];

interface Faults {
  readonly index: IndexName;
  readonly kind: IndexFaultKind;
  readonly count: number;
}

const faultRows: readonly Row<Faults>[] = [
  {
    name: 'snowgauge_index_integrity_errors_total',
    type: 'counter',
    labels: [...perIndex, 'kind'],
    unit: 'count',
    help: 'Integrity errors in the containers of the index by kind: gap, wrong number, id, time, bytes or hash.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    stability: 'stable',
    value: ({ count }) => count,
  },
];

export const tailFamilies: readonly FamilyGroup<TailState>[] = [
  group<TailState, Watched>(
    watchRows,
    ({ watches }, { now, maxAge }) =>
      Array.from(watches, ([index, watch]): Watched => ({ index, watch: currentWatch(watch, now, maxAge) })),
    ({ index }) => [index],
  ),
  group<TailState, Faults>(
    faultRows,
    ({ watches }) =>
      Array.from(watches).flatMap(([index, { faultCounts }]) =>
        indexFaultKinds.map((kind): Faults => ({ index, kind, count: faultCounts[kind] })),
      ),
    ({ index, kind }) => [index, kind],
  ),
];
