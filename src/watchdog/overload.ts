// How overloaded a resource is, as a pure step: a level begins and ends only after a time, so that no single pause changes one.

/** 0: not overloaded. */
export type OverloadLevel = 0 | 1 | 2 | 3;

export interface OverloadLimits {
  /** From which value on level 1, 2 and 3 begin. */
  readonly levels: readonly number[];
  /** A level ends below this fraction of its value. */
  readonly release: number;
}

export interface Overload {
  readonly level: OverloadLevel;
  /** Since when every reading has called for the next level; seconds. */
  readonly overSince?: number;
  /** Since when no reading has called for this level; seconds. */
  readonly calmSince?: number;
}

/** Seconds for which each reading must call for a level. */
const beginsAfter = 3;
/** Seconds for which none may. */
export const endsAfter = 10;

const above = [1, 2, 3, 3] as const;
const below = [0, 0, 1, 2] as const;

/**
 * One level at a time: what is refused first may be enough. `pressed`: so much is refused that the overload would be back at once. The
 * highest ends all the same: whoever asks much would keep everybody else's scrapes out with what costs nothing.
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
