// The options of a target that polling, metric families and conditions use.

import type { TargetOptions } from '../config/target.ts';

export type { TargetOptions } from '../config/target.ts';

/** A named set of tags for health requests. Without tags, it is the whole node. */
export type TagSet = TargetOptions['tagSets'][number];

/** Which failures count, and how many consecutive ones change the condition. */
export type Readiness = TargetOptions['readiness'];

/** The tag set without tags, whose report covers the whole node. */
export const untagged = ({ tagSets }: Pick<TargetOptions, 'tagSets'>): TagSet =>
  tagSets.find(({ tags }) => tags.length === 0) ?? { name: 'all', tags: [] };
