// What each setting is for: kept beside its schema, read by the JSON Schema and by docs/configuration.md.

import * as z from 'zod/mini';

export interface Help {
  /** One sentence or two. */
  readonly description: string;
  /** The default, where it is not the schema's own. */
  readonly usually?: string;
  /** What the text looks like, for editors. */
  readonly pattern?: string;
  /** Of a mapping: what its keys look like, and how many there may be. */
  readonly propertyNames?: { readonly pattern: string };
  readonly maxProperties?: number;
}

export const helps = z.registry<Help>();

/** A copy of the schema with its help: one schema may serve several settings. */
export const setting = <S extends z.core.$ZodType>(help: Help, schema: S): S => {
  const own = z.clone(schema);
  helps.add(own, help);
  return own;
};

/** What is read is never changed. */
export type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };
