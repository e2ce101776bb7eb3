// The table of the sources, in the order in which they are asked; nothing else names them all. Adding a source is a folder and a
// row here: polling, tallies, ages, families, page and API follow from it.

import { health } from './health/health.ts';
import { indexes } from './indexes/indexes.ts';
import { liveness } from './liveness/liveness.ts';
import { readiness } from './readiness/readiness.ts';
import type { AskedOf, SourceTable, StateOf } from './source.ts';

export const sources = { readiness, health, liveness, indexes } as const satisfies SourceTable;

/** The table, or one with more in it. */
export type Sources = typeof sources;

export type States<T extends SourceTable = Sources> = { readonly [N in keyof T]: StateOf<T[N]> };

/** Of one poll: what was not asked in it is absent. */
export type Asked<T extends SourceTable = Sources> = { readonly [N in keyof T]?: AskedOf<T[N]> };

export const sourceNames = <T extends SourceTable>(table: T): readonly (keyof T & string)[] => Object.keys(table);
