// Levels of overload of a resource, as a pure step function. A level begins and ends only after some seconds, so that a single pause
// does not change it.

/** 0: not overloaded. */
export type OverloadLevel = 0 | 1 | 2 | 3;

export interface OverloadLimits {
  /** Values from which levels 1, 2 and 3 begin. */
  readonly levels: readonly number[];
  /** A level ends below this fraction of its value. */
  readonly release: number;
}

export interface Overload {
  readonly level: OverloadLevel;
  /** Since when every reading has been above the next level, in seconds. */
  readonly overSince?: number;
  /** Since when every reading has been below this level, in seconds. */
  readonly calmSince?: number;
}

/** Seconds for which each reading must be above a level before it begins. */
const beginsAfter = 3;
/** Seconds for which each reading must be below a level before it ends. */
export const endsAfter = 10;

const above = [1, 2, 3, 3] as const;
const below = [0, 0, 1, 2] as const;

/**
 * Changes by one level at a time: what the first level refuses may be enough. While `pressed`, so many requests are refused that the
 * overload would return at once, so levels 1 and 2 do not end. Level 3 ends anyway: refused requests cost almost nothing, and a client that
 * sends many of them could otherwise block the scrapes of all others.
 */
export const followOverload = (
  before: Overload,
  value: number,
  at: number,
  { levels, release }: OverloadLimits,
  pressed = false,
): Overload => {
  const { level, overSince = at, calmSince = at } = before;
  const [own, next] = [levels[level - 1], levels[level]];
  if (next !== undefined && value >= next)
    return at - overSince >= beginsAfter ? { level: above[level], overSince: at } : { level, overSince };
  if (own !== undefined && value < own * release && (!pressed || level === 3))
    return at - calmSince >= endsAfter ? { level: below[level], calmSince: at } : { level, calmSince };
  return { level };
};
