// What is wrong, in words: one issue of zod's -> sentences that say what to write instead.

import type * as z from 'zod/mini';
import { $ZodObject } from 'zod/v4/core';
import { type Path, valueAt } from './path.ts';
import { nearest } from './suggest.ts';

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

export const describe = (issue: z.core.$ZodIssue, value: unknown, origin: Origin, base: Path = []): readonly Description[] => {
  const path = [...base, ...issue.path];
  const found = valueAt(value, path);
  const say = (predicate: string, at = path): readonly Description[] => [
    { path: at, message: said(valueAt(value, at), predicate, origin(at)) },
  ];
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
        : [{ path, message: custom(issue, found, origin(path)) }];
    default:
      return issue.message === '' ? say(predicate(issue, found, origin(path))) : say(issue.message);
  }
};

const maxShown = 64;

const shown = (value: unknown): string | undefined => {
  if (typeof value === 'string') return JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** `"5" is not a duration`; lists and mappings are not shown, nor is what the environment holds. */
const said = (value: unknown, predicate: string, origin: string | undefined): string => {
  if (origin !== undefined) return `the value of ${origin} ${withoutValue(value, predicate)}`;
  const subject = shown(value);
  return subject === undefined ? predicate : `${subject} ${predicate}`;
};

/** A predicate should not repeat the value: this is for the one that does. Very short texts are in every sentence. */
const withoutValue = (value: unknown, predicate: string): string =>
  value !== undefined && value !== null && String(value).length > 3 && predicate.includes(String(value))
    ? 'does not fit here'
    : predicate;

const custom = (issue: z.core.$ZodIssueCustom, value: unknown, origin: string | undefined): string => {
  const message = issue.message || 'is not valid';
  if (origin !== undefined) return said(value, message, origin);
  if (issue.params?.secret === true) return message;
  const instead: unknown = issue.params?.instead;
  return said(value, typeof instead === 'string' ? `${message}: write it as ${instead}` : message, undefined);
};

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a mapping of keys to values'],
  ['record', 'a mapping of keys to values'],
]);

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'number' && !Number.isInteger(value) ? 'a fraction' : (kinds.get(kind) ?? 'nothing');
};

const wanted = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type') return `: it must be ${kinds.get(issue.expected) ?? issue.expected}`;
  return issue.code === 'invalid_value' ? `: it must be ${oneOf(issue.values)}` : '';
};

const oneOf = (values: readonly unknown[]): string => {
  const words = values.map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
};

const unknownKey = (key: string, known: readonly string[]): string => {
  const meant = nearest(key, known);
  return meant === undefined ? `is not known here: known are ${known.join(', ')}` : `is not known here: did you mean ${meant}?`;
};

const notOneOf = (value: unknown, values: readonly unknown[], origin: string | undefined): string => {
  // What it is near to would tell what it is.
  const meant = typeof value === 'string' && origin === undefined ? nearest(value, values.map(String)) : undefined;
  return `must be ${oneOf(values)}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
};

const hint = (expected: string, value: unknown): string => {
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return ': put it in quotes';
  if (expected === 'array' && !Array.isArray(value)) return ': write one as `- …` on a line of its own, or all in [ ]';
  return '';
};

const predicate = (
  issue: Exclude<
    z.core.$ZodIssue,
    { code: 'custom' | 'invalid_union' | 'unrecognized_keys' | 'invalid_key' | 'invalid_element' }
  >,
  value: unknown,
  origin: string | undefined,
): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds.get(issue.expected) ?? issue.expected}, not ${kindOf(value)}${origin === undefined ? hint(issue.expected, value) : ''}`;
    case 'invalid_value':
      return notOneOf(value, issue.values, origin);
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.pattern === undefined ? `must be a ${issue.format}` : `must match ${issue.pattern}`;
    default:
      return issue satisfies never;
  }
};

const bound = (issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string => {
  const big = issue.code === 'too_big';
  const limit = big ? issue.maximum : issue.minimum;
  const most = `${big ? 'at most' : 'at least'} ${limit}`;
  if (issue.origin === 'string') return `must have ${most} character${limit === 1 ? '' : 's'}`;
  if (issue.origin === 'array') return `must have ${most} entr${limit === 1 ? 'y' : 'ies'}`;
  return `must be ${issue.inclusive === false ? (big ? 'less than' : 'more than') : big ? 'at most' : 'at least'} ${limit}`;
};

const union = (issue: z.core.$ZodIssueInvalidUnion, value: unknown, origin: Origin, path: Path): readonly Description[] => {
  if ('options' in issue && issue.options !== undefined) {
    const found = valueAt(value, path);
    const list = issue.options.filter((option) => option !== undefined);
    if (found === undefined) return [{ path, message: `is missing: it must be ${oneOf(list)}` }];
    return [{ path, message: said(found, notOneOf(found, list, origin(path)), origin(path)) }];
  }
  // The option that was meant is the one that got furthest: the one whose first complaint lies deepest, then the one with fewest.
  const options = issue.errors
    .filter((option) => option.length > 0)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  const [best, second] = options;
  if (best === undefined) return [{ path, message: issue.message || 'is not valid' }];
  if (issue.message !== '' || (second !== undefined && depth(best) === 0 && depth(second) === 0)) {
    const found = valueAt(value, path);
    return [{ path, message: said(found, issue.message || `must be ${alternatives(issue.errors)}`, origin(path)) }];
  }
  return best.flatMap((inner) => describe(inner, value, origin, path));
};

const depth = (issues: readonly z.core.$ZodIssue[]): number => {
  const own = issues.map(({ path, code }) => path.length + (code === 'invalid_type' ? 0 : 1));
  return Math.max(0, ...own);
};

const alternatives = (options: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const words = options.flatMap((option) => {
    const [issue] = option;
    if (issue?.code === 'invalid_type') return [kinds.get(issue.expected) ?? issue.expected];
    return issue?.code === 'invalid_value' ? [oneOf(issue.values)] : [];
  });
  return [...new Set(words)].join(' or ') || 'something else';
};
