// Paths of values in a document, as text: `targets[0].tagSets[1].name`.

import { truncated } from '../text.ts';

export type Path = readonly PropertyKey[];

const plainKey = /^[A-Za-z_][\w-]*$/;

const step = (key: PropertyKey): string => {
  if (typeof key === 'number') return `[${key}]`;
  const text = String(key);
  return plainKey.test(text) ? `.${text}` : `[${JSON.stringify(truncated(text, 64))}]`;
};

/** Empty for the document itself. A key that is not a plain word is in brackets: `headers["a b"]`. */
export const pathText = (path: Path): string => path.map(step).join('').replace(/^\./, '');

/** A key that looks like a setting, a label or a header. Anything else may be a misplaced secret. */
const nameLike = /^(?:[\w ./:-]{1,32}|<<)$/;

/** A path for error messages: keys that do not look like names are blanked. */
export const shownPath = (path: Path): string =>
  pathText(path.map((key) => (typeof key === 'string' && !nameLike.test(key) ? '***' : key)));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const own = (value: unknown, key: PropertyKey): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/** The value at a path; undefined if there is none. */
export const valueAt = (value: unknown, path: Path): unknown => path.reduce(own, value);

/**
 * A copy with `leaf` at the path. Missing mappings on the way are created. If there is a scalar or a list on the way, the value stays as it is: the
 * schema reports that.
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
