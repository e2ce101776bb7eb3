// What becomes of a target's snapshot when its settings change.

import { isDeepStrictEqual } from 'node:util';
import type { TargetOptions, TargetSnapshot } from './snapshot.ts';

/** What the node is asked, and how often. The other options are rules by which its answers are judged. */
const questions = ({ name, url, healthCheckFrequency, tagSets, indexes }: TargetOptions): object => ({
  name,
  url,
  healthCheckFrequency,
  tagSets,
  indexes,
});

/** Whether what is known by the one is also what would be known by the other. */
export const asksTheSame = (one: TargetOptions, other: TargetOptions): boolean =>
  isDeepStrictEqual(questions(one), questions(other));

/** The same value where no rule changed either. */
export const withRules = (target: TargetSnapshot, options: TargetOptions): TargetSnapshot =>
  isDeepStrictEqual(target.options, options) ? target : { ...target, options };
