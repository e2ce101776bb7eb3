// Parses YAML text with a schema: returns a value, or all errors with their paths and lines.

import type * as z from 'zod/mini';
import { yieldToEventLoop } from '../pause.ts';
import { printable } from '../text.ts';
import { check, maxErrors, positionOf } from './check.ts';
import type { ConfigError, Parsed } from './error.ts';
import { type Given, override } from './given.ts';
import { type Path, shownPath } from './path.ts';
import { readYaml } from './read.ts';
import type { Variables } from './variables.ts';

export type { ConfigError, Parsed } from './error.ts';
export type { Given } from './given.ts';
export type { Variables } from './variables.ts';

export interface ParseOptions {
  /** The variables for `${NAME}` in a text; without them, `${NAME}` is not replaced. */
  readonly env?: Variables;
  /** Values from outside of the text, which override it at their paths. */
  readonly given?: readonly Given[];
  /** Further checks. The value may not match the schema. */
  readonly also?: (value: unknown) => Promise<readonly { readonly path: Path; readonly message: string }[]>;
}

/**
 * An empty text is an empty mapping. Never throws, whatever the text contains, and no message shows the value of a variable.
 *
 * The value is put before a message of the schema: `is not a duration` becomes `"5" is not a duration`. The message itself must not contain the
 * value, which may be a secret. The `params` of an issue may have `instead`, a text to write (not shown if the value is from a variable);
 * `secret: true`, so that the value is not shown; and `key: true`, if the error is in the key.
 */
export const parseYaml = async <S extends z.core.$ZodType>(
  text: string,
  schema: S,
  { env, given = [], also = async () => [] }: ParseOptions = {},
): Promise<Parsed<z.output<S>>> => {
  const reading = await readYaml(text, env);
  if (!reading.readable) return { kind: 'invalid', errors: listed(reading.errors) };
  await yieldToEventLoop();
  const positioned = override(reading, given);
  const parsed = check(schema, positioned);
  const others = (await also(positioned.value)).flatMap(({ path, message }): readonly ConfigError[] => {
    const { line, unknown } = positionOf(positioned.positions, path);
    return unknown === true ? [] : [{ path: shownPath(path), ...(line !== undefined && { line }), message }];
  });
  const errors = [...reading.errors, ...(parsed.kind === 'invalid' ? parsed.errors : []), ...others];
  return errors.length === 0 ? parsed : { kind: 'invalid', errors: listed(inOrder(errors)) };
};

/** `snowgauge.yaml:12: targets[0].timeout: "5" is not a duration: write 5s`, one line each. */
export const formatErrors = (source: string, errors: readonly ConfigError[]): string =>
  errors.map((error) => `${formatError(source, error)}\n`).join('');

/** Maximum characters of a line, which may list all known keys of a mapping. */
const longest = 4096;

const formatError = (source: string, { path, line, message }: ConfigError): string =>
  printable([line === undefined ? source : `${source}:${line}`, ...(path === '' ? [] : [path]), message].join(': '), longest);

const listed = (errors: readonly ConfigError[]): readonly ConfigError[] =>
  errors.length <= maxErrors
    ? errors
    : [...errors.slice(0, maxErrors), { path: '', message: `more than ${maxErrors} errors, showing the first` }];

const inOrder = (errors: readonly ConfigError[]): readonly ConfigError[] =>
  errors.toSorted((a, b) => (a.line ?? Number.POSITIVE_INFINITY) - (b.line ?? Number.POSITIVE_INFINITY) || 0);
