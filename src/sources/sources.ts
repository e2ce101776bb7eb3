// The table of the sources, in the order in which they are asked; nothing else names them all. Adding a source is a folder and a
// row here: polling, tallies, ages, families, page and API follow from it.

import { health } from './health/health.ts';
import { indexes } from './indexes/indexes.ts';
import { info } from './info/info.ts';
import { liveness } from './liveness/liveness.ts';
import { readiness } from './readiness/readiness.ts';
import type { AnySource, AskedOf, SourceTable, StateOf, StatusOf } from './source.ts';
import { subnets } from './subnets/subnets.ts';
import { validator } from './validator/validator.ts';

const table = { readiness, health, liveness, indexes, info, subnets, validator } as const satisfies SourceTable;

/** The sources that the frame itself reads, and any other. */
export type Sources = typeof table & SourceTable;

export const sources: Sources = table;

/** By the name of the source. */
export type States = { readonly [N in keyof typeof table]: StateOf<(typeof table)[N]> } & Readonly<Record<string, unknown>>;

/** Of one poll: what was not asked in it is absent. */
export type PollAnswers = { readonly [N in keyof typeof table]?: AskedOf<(typeof table)[N]> } & Readonly<Record<string, unknown>>;

/** What each of them shows, beside each other. */
export type SourceStatuses = Intersection<StatusOf<(typeof table)[keyof typeof table]>>;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

export const sourcesOf = (of: SourceTable): readonly (readonly [name: string, source: AnySource])[] => Object.entries(of);
