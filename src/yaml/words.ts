// The words of error messages: what a value is, and what it must be.

import type * as z from 'zod/mini';
import { counted } from '../text.ts';
import { nearest } from './suggest.ts';

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a mapping'],
  ['record', 'a mapping'],
]);

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'number' && !Number.isInteger(value) ? 'a fraction' : (kinds.get(kind) ?? 'nothing');
};

export const wanted = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type') return `: it must be ${kinds.get(issue.expected) ?? issue.expected}`;
  return issue.code === 'invalid_value' ? `: it must be ${oneOf(issue.values)}` : '';
};

export const oneOf = (values: readonly unknown[]): string => {
  const words = values.map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
};

export const unknownKey = (key: string, known: readonly string[]): string => {
  if (key === '<<') return 'unknown key: merge keys are not supported, write the keys of the other mapping here';
  const meant = nearest(key, known);
  return meant === undefined ? `unknown key: expected one of ${known.join(', ')}` : `unknown key: did you mean ${meant}?`;
};

export const notOneOf = (value: unknown, values: readonly unknown[], origin: string | undefined): string => {
  // For a variable there is no suggestion, because a similar word would reveal its value.
  const meant = typeof value === 'string' && origin === undefined ? nearest(value, values.map(String)) : undefined;
  return `must be ${oneOf(values)}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
};

const hint = (expected: string, value: unknown): string => {
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return ': put it in quotes';
  if (expected === 'array' && !Array.isArray(value)) return ': write one as `- …` on a line of its own, or all in [ ]';
  return '';
};

/** What the value must be, such as `must be a list, not a string`. */
export const predicate = (
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
  const most = big ? 'at most' : 'at least';
  if (issue.origin === 'string') return `must have ${most} ${counted(Number(limit), 'character')}`;
  if (issue.origin === 'array') return `must have ${most} ${counted(Number(limit), 'entry', 'entries')}`;
  return `must be ${issue.inclusive === false ? (big ? 'less than' : 'more than') : most} ${limit}`;
};

export const alternatives = (options: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const words = options.flatMap((option) => {
    const [issue] = option;
    if (issue?.code === 'invalid_type') return [kinds.get(issue.expected) ?? issue.expected];
    return issue?.code === 'invalid_value' ? [oneOf(issue.values)] : [];
  });
  return [...new Set(words)].join(' or ') || 'something else';
};
