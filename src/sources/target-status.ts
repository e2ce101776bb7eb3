// What all sources of a target show, beside each other: as JSON, and as the list of facts on the page.

import type { AnySource, Fact, SourceTable, StatusContext, StatusOf } from './source.ts';
import { type Sources, sourceNames } from './sources.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

/** The members that each source gives. */
export type SourceStatuses<T extends SourceTable = Sources> = Intersection<StatusOf<T[keyof T]>> & object;

/** That the members are those of the sources' types is what this function is for. */
export const sourceStatuses = <T extends SourceTable & Sources>(
  table: T,
  target: TargetState<T>,
  context: StatusContext,
): SourceStatuses<T> & SourceStatuses => {
  const members = sourceNames(table).map((name) => {
    const source: AnySource | undefined = table[name];
    return source?.status(target.sources[name], { ...context, maxAge: maxAgeOf(source, target) });
  });
  return Object.assign({}, ...members) as SourceStatuses<T> & SourceStatuses;
};

export const factsOf = (table: SourceTable, status: object): readonly Fact[] =>
  sourceNames(table).flatMap((name) => table[name]?.facts(status) ?? []);
