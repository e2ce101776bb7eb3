// A row of the table of target settings: a schema with its help, and the effect of a changed value on reload.

import type * as z from 'zod/mini';
import { type Help, setting } from './setting.ts';

/** The effects of a reload, with their text in the documentation. */
export const reloads = {
  reset: 'the state of the target is discarded, and it is polled at once.',
  adjust: 'the state of everything that is still requested is kept, and the target is polled at once.',
  apply: 'the state is kept, and the new value applies to it.',
  reconnect: 'the state is kept, and the next poll uses a new client.',
} as const satisfies Readonly<Record<string, string>>;

export type ReloadEffect = keyof typeof reloads;

export interface TargetSetting<R extends ReloadEffect = ReloadEffect, S extends z.core.$ZodType = z.core.$ZodType> {
  readonly reload: R;
  readonly schema: S;
}

export type TargetSettings = Readonly<Record<string, TargetSetting>>;

export const row = <R extends ReloadEffect, S extends z.core.$ZodType>(
  reload: R,
  help: Help,
  schema: S,
): TargetSetting<R, S> => ({
  reload,
  schema: setting(help, schema),
});

/** The names of the settings with this effect. */
export type NamesOf<T extends TargetSettings, R extends ReloadEffect> = {
  readonly [K in keyof T & string]: T[K]['reload'] extends R ? K : never;
}[keyof T & string];

export type SchemasOf<T extends TargetSettings> = { readonly [K in keyof T]: T[K]['schema'] };

/** The shape of a mapping with these settings. */
export const schemasOf = <T extends TargetSettings>(rows: T): SchemasOf<T> =>
  // The keys are those of the rows, which the type of fromEntries does not say.
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema])) as SchemasOf<T>;
