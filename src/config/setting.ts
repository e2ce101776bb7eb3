// The description of each setting, stored with its schema. The JSON Schema and docs/configuration.md use it.

import * as z from 'zod/mini';

export interface Help {
  /** One sentence or two. */
  readonly description: string;
  /** The default, if the schema itself has none. */
  readonly defaultText?: string;
  /** A regular expression for the text, for editors. */
  readonly pattern?: string;
  /** For a mapping: the pattern of its keys, and their maximum number. */
  readonly propertyNames?: { readonly pattern: string };
  readonly maxProperties?: number;
}

export const helps = z.registry<Help>();

/** Returns a copy of the schema with this help, because several settings may share one schema. */
export const setting = <S extends z.core.$ZodType>(help: Help, schema: S): S => {
  const own = z.clone(schema);
  helps.add(own, help);
  return own;
};

/** Readonly at every depth. */
export type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };
