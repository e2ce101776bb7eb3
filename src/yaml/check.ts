// Checks a value against a schema: returns the parsed value, or all errors.

import * as z from 'zod/mini';
import { describeIssue, knownKeys } from './describe.ts';
import type { ConfigError, Parsed } from './error.ts';
import type { Positioned } from './given.ts';
import type { Position } from './nodes.ts';
import { type Path, pathText, put, shownPath, valueAt } from './path.ts';
import { reread } from './variables.ts';

/** Nobody reads more. Aliases may turn a few errors into a hundred thousand. */
export const maxErrors = 100;

export const check = <S extends z.core.$ZodType>(schema: S, { value, positions }: Positioned): Parsed<z.output<S>> => {
  const parse = (input: unknown): z.core.util.SafeParseResult<z.output<S>> => z.safeParse(schema, input, { error: knownKeys });
  const first = parse(value);
  const numbered = first.success ? value : withNumbers(value, positions, first.error.issues);
  const result = numbered === value ? first : parse(numbered);
  if (result.success) return { kind: 'ok', value: result.data };
  const errors = new Map<string, ConfigError>();
  for (const issue of result.error.issues) {
    for (const error of errorsOf(issue, numbered, positions)) errors.set(JSON.stringify(error), error);
    if (errors.size > maxErrors) break;
  }
  return { kind: 'invalid', errors: [...errors.values()] };
};

/** All issues, also those within the options of a union. */
const allIssues = (issues: readonly z.core.$ZodIssue[], base: Path = []): readonly z.core.$ZodIssue[] =>
  issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    const inner = issue.code === 'invalid_union' ? issue.errors.flatMap((option) => allIssues(option, path)) : [];
    return [{ ...issue, path }, ...inner];
  });

const numeric: ReadonlySet<string> = new Set(['number', 'int', 'boolean']);

/** The value of a variable is a text. If the schema requires a number or a boolean, the text is read as one. */
const withNumbers = (value: unknown, positions: ReadonlyMap<string, Position>, issues: readonly z.core.$ZodIssue[]): unknown =>
  allIssues(issues).reduce((before, issue) => {
    if (issue.code !== 'invalid_type' || !numeric.has(issue.expected)) return before;
    const text = valueAt(before, issue.path);
    if (typeof text !== 'string' || positionOf(positions, issue.path).from === undefined) return before;
    return put(before, issue.path, reread(text) ?? text);
  }, value);

/** The position of the value at this path, or of the nearest value that contains it. */
export const positionOf = (positions: ReadonlyMap<string, Position>, path: Path): Position => {
  for (let length = path.length; length >= 0; length--) {
    const position = positions.get(pathText(path.slice(0, length)));
    if (position !== undefined) return position;
  }
  return {};
};

const errorsOf = (issue: z.core.$ZodIssue, value: unknown, positions: ReadonlyMap<string, Position>): readonly ConfigError[] =>
  describeIssue(issue, value, (path) => positionOf(positions, path).from).flatMap(({ path, message, ofKey }) => {
    const position = positionOf(positions, path);
    if (position.unknown === true) return [];
    const line = ofKey === true || valueAt(value, path) === null ? (position.keyLine ?? position.line) : position.line;
    return [{ path: shownPath(path), ...(line !== undefined && { line }), message }];
  });
