// What a list of any length needs: arguments are counted, so that a list spread into them ends the process once it is long.

/** −Infinity of none. */
export const greatest = (numbers: Iterable<number>): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (!(number <= most)) most = number;
  return most;
};

/** Infinity of none. */
export const least = (numbers: Iterable<number>): number => {
  let few = Number.POSITIVE_INFINITY;
  for (const number of numbers) if (!(number >= few)) few = number;
  return few;
};

export const addAll = <T>(list: T[], items: Iterable<T>): void => {
  for (const item of items) list.push(item);
};

/** Whether it was there. */
export const remove = <T>(list: T[], item: T): boolean => {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
};

/** One, or none. */
export const oneOrNone = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);
