// What is wrong, in words: one issue of zod's -> sentences that say what to write instead.

import type * as z from 'zod/mini';
import { $ZodObject } from 'zod/v4/core';
import { greatest } from '../lists.ts';
import { type Path, pathText, valueAt } from './path.ts';
import { alternatives, notOneOf, oneOf, predicate, unknownKey, wanted } from './words.ts';

export interface Description {
  readonly path: Path;
  readonly message: string;
  /** It is the key that is wrong, not the value. */
  readonly ofKey?: true;
}

/** Names the environment's part in the value at a path; undefined where the text alone says it. */
export type Origin = (path: Path) => string | undefined;

/**
 * The error map of a parse: an issue loses its schema when it is reported, so the keys that an object knows travel in the
 * message. Every other issue is described below, unless its schema has words of its own.
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

/** Longer texts are no slips of the pen, and may be credentials in a wrong place. */
const maxShown = 32;

type Shown = (value: unknown) => string | undefined;

/** The settings whose values are secrets, or files of secrets, in any file of ours. */
const secret =
  /(?:^|\.)(?:url|authorization(?:\.type)?|headers(?:[.[].*)?|\w*(?:_file|File)|tls|tls_server_config|cert|key|client_ca|basic_auth_users(?:[.[].*)?)$/;

const shownAt = (path: Path): Shown => (secret.test(pathText(path)) ? () => undefined : shown);

/** A URL with a user or a query, in whatever place. */
const secretUrl = /:\/\/.*[@?]/;

const shown: Shown = (value) => {
  if (typeof value === 'string') return value.length > maxShown || secretUrl.test(value) ? undefined : JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** `"5" is not a duration`; lists and mappings are not shown, nor is what the environment holds. */
const said = (value: unknown, predicate: string, origin: string | undefined, shown: Shown): string => {
  if (origin !== undefined) return `the value of ${origin} ${withoutValue(value, predicate)}`;
  const subject = shown(value);
  return subject === undefined ? predicate : `${subject} ${predicate}`;
};

/** A predicate should not repeat the value: this is for the one that does. Very short texts are in every sentence. */
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
  // The option that was meant is the one that got furthest: the one whose first complaint lies deepest, then the one with fewest.
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
