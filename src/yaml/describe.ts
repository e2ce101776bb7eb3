// Turns an issue of zod into error messages that say what to write.

import type * as z from 'zod/mini';
import { $ZodObject } from 'zod/v4/core';
import { greatest } from '../lists.ts';
import { type Path, pathText, valueAt } from './path.ts';
import { alternatives, notOneOf, oneOf, predicate, unknownKey, wanted } from './words.ts';

export interface Description {
  readonly path: Path;
  readonly message: string;
  /** The error is in the key, not in the value. */
  readonly ofKey?: true;
}

/** Names the variables in the value at a path; undefined if there are none. */
export type Origin = (path: Path) => string | undefined;

/**
 * The error map of zod. A reported issue no longer has its schema, so the message of an unknown key contains the known keys. All other issues are
 * described below, unless their schema has a message.
 */
export const knownKeys = (issue: z.core.$ZodRawIssue): string =>
  issue.code === 'unrecognized_keys' && issue.inst instanceof $ZodObject ? Object.keys(issue.inst._zod.def.shape).join('\n') : '';

export const describeIssue = (
  issue: z.core.$ZodIssue,
  value: unknown,
  origin: Origin,
  base: Path = [],
): readonly Description[] => {
  const path = [...base, ...issue.path];
  const found = valueAt(value, path);
  const shownOf = shownAt(path);
  const say = (predicate: string): readonly Description[] => [{ path, message: said(found, predicate, origin(path), shownOf) }];
  if (found === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [{ path, message: `is missing${wanted(issue)}` }];
  if (found === null && issue.code !== 'custom') {
    return [{ path, message: `has no value${wanted(issue)}: give it one, or leave the key out` }];
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: unknownKey(key, issue.message.split('\n')),
        ofKey: true,
      }));
    case 'invalid_union':
      return union(issue, value, origin, path);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => [
        { path, message: `the key ${inner.message || 'is not valid'}`, ofKey: true as const },
      ]);
    case 'custom':
      return issue.params?.key === true
        ? [{ path, message: issue.message, ofKey: true }]
        : [{ path, message: custom(issue, found, origin(path), shownOf) }];
    default:
      return issue.message === '' ? say(predicate(issue, found, origin(path))) : say(issue.message);
  }
};

/** Longer texts are not typing errors, and may be credentials in the wrong setting. */
const maxShown = 32;

type Shown = (value: unknown) => string | undefined;

/** The settings whose values are secrets, or files with secrets, in all files that snowgauge reads. */
const secret =
  /(?:^|\.)(?:url|authorization(?:\.type)?|headers(?:[.[].*)?|\w*(?:_file|File)|tls|tls_server_config|cert|key|client_ca|basic_auth_users(?:[.[].*)?)$/;

const shownAt = (path: Path): Shown => (secret.test(pathText(path)) ? () => undefined : shown);

/** A URL with a user or a query, in any setting. */
const secretUrl = /:\/\/.*[@?]/;

const shown: Shown = (value) => {
  if (typeof value === 'string') return value.length > maxShown || secretUrl.test(value) ? undefined : JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** `"5" is not a duration`. Lists, mappings and values of variables are not shown. */
const said = (value: unknown, predicate: string, origin: string | undefined, shown: Shown): string => {
  if (origin !== undefined) return `the value of ${origin} ${withoutValue(value, predicate)}`;
  const subject = shown(value);
  return subject === undefined ? predicate : `${subject} ${predicate}`;
};

/** A message must not repeat the value of a variable. Texts of up to three characters may be in any message by chance. */
const withoutValue = (value: unknown, predicate: string): string =>
  value !== undefined && value !== null && String(value).length > 3 && predicate.includes(String(value))
    ? 'does not fit here'
    : predicate;

const custom = (issue: z.core.$ZodIssueCustom, value: unknown, origin: string | undefined, shown: Shown): string => {
  const message = issue.message || 'is not valid';
  if (origin !== undefined) return said(value, message, origin, shown);
  if (issue.params?.secret === true) return message;
  const instead: unknown = issue.params?.instead;
  const isShown = typeof instead === 'string' && shown(value) !== undefined;
  return said(value, isShown ? `${message}: write it as ${instead}` : message, undefined, shown);
};

const union = (issue: z.core.$ZodIssueInvalidUnion, value: unknown, origin: Origin, path: Path): readonly Description[] => {
  if ('options' in issue && issue.options !== undefined) {
    const found = valueAt(value, path);
    const list = issue.options.filter((option) => option !== undefined);
    if (found === undefined) return [{ path, message: `is missing: it must be ${oneOf(list)}` }];
    return [{ path, message: said(found, notOneOf(found, list, origin(path)), origin(path), shownAt(path)) }];
  }
  // The option that was probably meant is the one with the deepest error; among these, the one with the fewest errors.
  const options = issue.errors
    .filter((option) => option.length > 0)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  const [best, second] = options;
  if (best === undefined) return [{ path, message: issue.message || 'is not valid' }];
  if (issue.message !== '' || (second !== undefined && depth(best) === 0 && depth(second) === 0)) {
    const found = valueAt(value, path);
    return [
      { path, message: said(found, issue.message || `must be ${alternatives(issue.errors)}`, origin(path), shownAt(path)) },
    ];
  }
  return best.flatMap((inner) => describeIssue(inner, value, origin, path));
};

const depth = (issues: readonly z.core.$ZodIssue[]): number => {
  const own = issues.map(({ path, code }) => path.length + (code === 'invalid_type' ? 0 : 1));
  return Math.max(0, greatest(own));
};
