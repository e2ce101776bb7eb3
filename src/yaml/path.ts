// How a place in a document is written: `targets[0].tagSets[1].name`.

import { truncated } from '../text.ts';

export type Path = readonly PropertyKey[];

const plainKey = /^[A-Za-z_][\w-]*$/;

const step = (key: PropertyKey): string => {
  if (typeof key === 'number') return `[${key}]`;
  const text = String(key);
  return plainKey.test(text) ? `.${text}` : `[${JSON.stringify(truncated(text, 64))}]`;
};

/** Empty for the document itself. A key that is not a plain word stands in brackets: `headers["a b"]`. */
export const pathText = (path: Path): string => path.map(step).join('').replace(/^\./, '');

/** A key that was meant for a setting, a label or a header. Anything else may be a secret in a wrong place. */
const nameLike = /^[\w ./:-]{1,32}$/;

/** A place as an error names it: keys that are no names are left out. */
export const shownPath = (path: Path): string =>
  pathText(path.map((key) => (typeof key === 'string' && !nameLike.test(key) ? '***' : key)));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const own = (value: unknown, key: PropertyKey): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/** What stands at a path, or undefined where nothing does. */
export const valueAt = (value: unknown, path: Path): unknown => path.reduce(own, value);

/**
 * A copy with a leaf put in, and the mappings made that lead to it. Where a scalar or a list is in the way the value stays as
 * it is: that it is in the way is an error of its own, which the schema finds.
 */
export const put = (value: unknown, path: Path, leaf: unknown): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  if (Array.isArray(value)) {
    return typeof key === 'number' && key < value.length
      ? value.map((item, at) => (at === key ? put(item, rest, leaf) : item))
      : value;
  }
  if (isObject(value) || value === undefined || value === null) {
    return { ...value, [key]: put(own(value, key), rest, leaf) };
  }
  return value;
};
