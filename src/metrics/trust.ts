// Families that say whether the node's report can be believed: do its checks still run, and does a tag select anything.

import { current } from '../snapshot/observed.ts';
import { maxAge, type Snapshot, stallingOf, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { stallAt } from '../snapshot/stall.ts';
import { collect, type Family, flag, type Row } from './family.ts';

interface Frozen {
  readonly target: string;
  readonly frozen: boolean;
}

export const frozenRows: readonly Row<Frozen>[] = [
  {
    name: 'snowgauge_health_frozen',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when no check has run for over frozenAfter cadences while the API answers. No sample until a timestamp has advanced.',
    source: 'timestamp of the checks',
    stability: 'stable',
    value: ({ frozen }) => flag(frozen),
  },
];

interface Suspect {
  readonly target: string;
  readonly check: string;
}

export const suspectRows: readonly Row<Suspect>[] = [
  {
    name: 'snowgauge_health_frozen_suspect',
    type: 'gauge',
    labels: ['target', 'check'],
    unit: 'boolean',
    help: '1 for the check with the oldest timestamp while the checks are frozen: the one that the others may wait for.',
    source: 'timestamp of the checks',
    stability: 'stable',
    value: () => 1,
  },
];

interface Tag {
  readonly labels: readonly [target: string, tagSet: string, tag: string];
  readonly adds: boolean;
}

export const tagRows: readonly Row<Tag>[] = [
  {
    name: 'snowgauge_tag_known',
    type: 'gauge',
    labels: ['target', 'tag_set', 'tag'],
    unit: 'boolean',
    help: '1 when the tag adds a check of its own; 0 when it adds none, so that its tag set looks healthy whatever is wrong.',
    source: 'checks of GET /ext/health with the tag, and with one that nothing has',
    stability: 'stable',
    value: ({ adds }) => flag(adds),
  },
];

const tagsOf = (target: TargetSnapshot, now: number): readonly Tag[] =>
  target.options.tagSets.flatMap(({ name, tags }) => {
    const report = target.health.get(name);
    if (report === undefined || current(report, now, maxAge(target)) === undefined) return [];
    return tags.flatMap((tag): readonly Tag[] => {
      const adds = target.tags.adds.get(tag);
      return adds === undefined ? [] : [{ labels: [target.options.name, name, tag], adds }];
    });
  });

export const trustFamilies = (snapshot: Snapshot, now: number): readonly Family[] => {
  const targets = [...snapshot.targets.values()];
  const still = targets.flatMap((target) => {
    const stillness = stallAt(stallingOf(target), now);
    return stillness === undefined ? [] : { target: target.options.name, ...stillness };
  });
  const suspects = still.flatMap(({ target, frozen, suspect }) =>
    frozen && suspect !== undefined ? { target, check: suspect } : [],
  );
  return [
    ...collect(frozenRows, still, ({ target }) => [target]),
    ...collect(suspectRows, suspects, ({ target, check }) => [target, check]),
    ...collect(
      tagRows,
      targets.flatMap((target) => tagsOf(target, now)),
      ({ labels }) => labels,
    ),
  ];
};
