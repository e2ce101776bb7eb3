// Families of what is known of the indexes beyond their heads: beside their chains, and along their tails.

import { type CurrentWatch, currentWatch, type Snapshot } from '../snapshot/snapshot.ts';
import { collect, type Family, flag, type Row } from './family.ts';

interface Watched {
  readonly labels: readonly string[];
  readonly watch: CurrentWatch;
}

const perIndex = ['target', 'index'] as const;

const asNumber = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value));

export const watchRows: readonly Row<Watched>[] = [
  {
    name: 'snowgauge_index_height_drift',
    type: 'gauge',
    labels: perIndex,
    unit: 'count',
    help: "Height of the chain's last block - 1 - its number in the index: 0 when complete, else how many are missing.",
    source: "lastAcceptedHeight of the chain's check; index.getIndex of its lastAcceptedID",
    stability: 'stable',
    value: ({ watch }) => asNumber(watch.drift),
  },
  {
    name: 'snowgauge_index_agrees_with_chain',
    type: 'gauge',
    labels: perIndex,
    unit: 'boolean',
    help: "1 when the index has the chain's last block, 0 when it denied it twice, a round apart.",
    source: "index.isAccepted of lastAcceptedID of the chain's check",
    stability: 'stable',
    value: ({ watch }) => (watch.agrees === undefined ? undefined : flag(watch.agrees)),
  },
  {
    name: 'snowgauge_index_verified_height',
    type: 'gauge',
    labels: perIndex,
    unit: 'none',
    help: 'Number of the last container that was looked at. What was wrong is counted in snowgauge_index_gaps_total.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    stability: 'stable',
    value: ({ watch }) => asNumber(watch.verified),
  },
];

export const gapRows: readonly Row<Watched>[] = [
  {
    name: 'snowgauge_index_gaps_total',
    type: 'counter',
    labels: perIndex,
    unit: 'count',
    help: 'Faults found along the tail: gaps, number and id at odds, time running backwards, bytes that are not those of the id.',
    source: 'index.getContainerRange, index.getContainerByIndex, index.getIndex',
    stability: 'stable',
    value: ({ watch }) => watch.gaps,
  },
];

export const watchFamilies = (snapshot: Snapshot, now: number): readonly Family[] => {
  const watched = Array.from(snapshot.targets.values()).flatMap((target) =>
    target.options.indexes.map(
      (index): Watched => ({ labels: [target.options.name, index], watch: currentWatch(target, index, now) }),
    ),
  );
  return [...collect(watchRows, watched, ({ labels }) => labels), ...collect(gapRows, watched, ({ labels }) => labels)];
};
