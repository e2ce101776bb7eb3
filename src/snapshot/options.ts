// What a target is, from the configuration, as far as polling, families and conditions know it.

import type { IndexName } from '../protocol/paths.ts';
import type { Rules } from './rules.ts';

/** A named question about health: no tags is the whole node. */
export interface TagSet {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Durations in seconds. Rules that are not given are the defaults. */
export interface TargetOptions extends Partial<Rules> {
  readonly name: string;
  /** Without credentials: it stands on the page and in the log. */
  readonly url: string;
  readonly healthCheckFrequency: number;
  /** At least one has no tags; the first such is the whole node. */
  readonly tagSets: readonly TagSet[];
  readonly indexes: readonly IndexName[];
  /** In check intervals. */
  readonly staleAfter: number;
  /** On every series of the target. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The tag set without tags: the whole node, from which every fact of the node is read. */
export const untagged = ({ tagSets }: Pick<TargetOptions, 'tagSets'>): TagSet =>
  tagSets.find(({ tags }) => tags.length === 0) ?? { name: 'all', tags: [] };
