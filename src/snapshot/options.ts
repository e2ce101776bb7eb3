// What a target is, from the configuration, as far as polling, families and conditions know it.

import type { TargetOptions } from '../config/target.ts';

export type { TargetOptions } from '../config/target.ts';

/** A named question about health: no tags is the whole node. */
export type TagSet = TargetOptions['tagSets'][number];

/** Which failures count, and how many in a row. */
export type Readiness = TargetOptions['readiness'];

/** The tag set without tags: the whole node, from which every fact of the node is read. */
export const untagged = ({ tagSets }: Pick<TargetOptions, 'tagSets'>): TagSet =>
  tagSets.find(({ tags }) => tags.length === 0) ?? { name: 'all', tags: [] };
