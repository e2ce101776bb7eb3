// Rules for schemas. They are also checked if other parts of the value have errors, so that all errors are reported at once.

import * as z from 'zod/mini';
import { valueAt } from './path.ts';

const always = { when: (): boolean => true };

/** Reports an error of the value at a path; with `key`, of the last key of the path. */
export type AddIssue = (path: readonly PropertyKey[], message: string, of?: 'key') => void;

/** A rule that is checked even if the value has other errors, so the value may be anything. */
export const rule = <T>(check: (value: unknown, addIssue: AddIssue) => void) =>
  z.superRefine<T>((value, context) => {
    check(value, (path, message, of) =>
      context.addIssue({
        code: 'custom',
        message,
        path: [...path],
        input: value,
        ...(of === 'key' && { params: { key: true } }),
      }),
    );
  }, always);

/** For a text that may be a secret: no message shows it. `faultOf`: the error message; undefined if the text is valid. */
export const unshown = (faultOf: (text: string) => string | undefined) =>
  z.superRefine<string>((input, context) => {
    const message = faultOf(input);
    if (message !== undefined) context.addIssue({ code: 'custom', input, message, params: { secret: true } });
  });

/** No two entries are the same; with a key, no two entries have the same value under it. */
export const distinct = <T>(key?: string) =>
  rule<readonly T[]>((value, addIssue) => {
    if (!Array.isArray(value)) return;
    const firsts = new Map<unknown, number>();
    value.forEach((entry: unknown, at) => {
      const found = key === undefined ? entry : valueAt(entry, [key]);
      if (typeof found !== 'string' && typeof found !== 'number') return;
      const first = firsts.get(found);
      if (first === undefined) firsts.set(found, at);
      else if (key === undefined) addIssue([at], `is a duplicate of entry ${first}`);
      else addIssue([at, key], `is also the ${key} of entry ${first}: each must be unique`);
    });
  });
