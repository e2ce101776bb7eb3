// Functions for lists of any length. Spreading a long list into arguments, as in Math.max(...list), would exceed the stack and throw.

/** The maximum; −Infinity for an empty list. */
export const greatest = (numbers: Iterable<number>): number => {
  let max = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (!(number <= max)) max = number;
  return max;
};

/** The minimum; Infinity for an empty list. */
export const least = (numbers: Iterable<number>): number => {
  let min = Number.POSITIVE_INFINITY;
  for (const number of numbers) if (!(number >= min)) min = number;
  return min;
};

export const addAll = <T>(list: T[], items: Iterable<T>): void => {
  for (const item of items) list.push(item);
};

/** Removes the item. False if it was not in the list. */
export const remove = <T>(list: T[], item: T): boolean => {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
};

/** A list with the value, or an empty one if it is undefined. */
export const oneOrNone = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

/** Groups the items by key, in the order of the first item of each group. */
export const groupBy = <T>(list: readonly T[], keyOf: (item: T) => string): readonly (readonly [T, ...T[]])[] => {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
};
