// What becomes of what is known of a target when its settings change.

import { isDeepStrictEqual } from 'node:util';
import type { TargetOptions } from './options.ts';

/** What the node is asked, and how often. The other options are rules by which its answers are judged. */
const questions = ({ name, url, healthCheckFrequency, tagSets, indexes, labels }: TargetOptions): object => ({
  name,
  labels,
  url,
  healthCheckFrequency,
  tagSets,
  indexes,
});

/** Whether what is known by the one is also what would be known by the other. */
export const asksTheSame = (one: TargetOptions, other: TargetOptions): boolean =>
  isDeepStrictEqual(questions(one), questions(other));

/** The same value where no rule changed either. */
export const withOptions = <T extends { readonly options: TargetOptions }>(target: T, options: TargetOptions): T =>
  isDeepStrictEqual(target.options, options) ? target : { ...target, options };
