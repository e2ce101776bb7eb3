// The table of all sources, in the order in which they are polled. A new source is a folder and a row here; polling, counting, expiry,
// metric families, page and API use this table.

import { health } from './health/health.ts';
import { indexes } from './indexes/indexes.ts';
import { info } from './info/info.ts';
import { liveness } from './liveness/liveness.ts';
import { readiness } from './readiness/readiness.ts';
import type { AnySource, AskedOf, SourceTable, StateOf, StatusOf } from './source.ts';
import { subnets } from './subnets/subnets.ts';
import { validator } from './validator/validator.ts';

const table = { readiness, health, liveness, indexes, info, subnets, validator } as const satisfies SourceTable;

/** The sources that other code reads by name, and any others. */
export type Sources = typeof table & SourceTable;

export const sources: Sources = table;

/** By the name of the source. */
export type States = { readonly [N in keyof typeof table]: StateOf<(typeof table)[N]> } & Readonly<Record<string, unknown>>;

/** The responses of one poll, without sources that were not polled. */
export type PollAnswers = { readonly [N in keyof typeof table]?: AskedOf<(typeof table)[N]> } & Readonly<Record<string, unknown>>;

/** The merged status of all sources. */
export type SourceStatuses = Intersection<StatusOf<(typeof table)[keyof typeof table]>>;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

export const sourcesOf = (of: SourceTable): readonly (readonly [name: string, source: AnySource])[] => Object.entries(of);
