// What expressions are written with, out of settings.

import type { Terms } from './rule.ts';
import type { Settings } from './settings.ts';

export const termsOf = (set: Settings): Terms => ({
  set,
  of: (family, ...matchers) => {
    const all = [set.selector, ...matchers].filter((matcher) => matcher !== '').join(', ');
    return all === '' ? family : `${family}{${all}}`;
  },
  unlessShared: (condition, all, by) => {
    const labels = [set.fleet, ...by].join(', ');
    const seeing = `count by (${labels}) (${condition})`;
    return `(${condition})
unless on (${labels})
(
  ${seeing} >= ${set.sharedTargets}
  and
  ${seeing} / count by (${labels}) (${all}) >= ${set.sharedRatio}
)`;
  },
});
