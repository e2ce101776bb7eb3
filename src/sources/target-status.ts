// Merged status of all sources of a target, as JSON, and their facts for the page.

import type { Fact, SourceTable, StatusContext } from './source.ts';
import { type SourceStatuses, type Sources, sourcesOf } from './sources.ts';
import { maxAgeOf, type TargetState } from './target-state.ts';

/** Contains the type cast to the merged types of the sources. */
export const sourceStatuses = (table: Sources, target: TargetState, context: StatusContext): SourceStatuses => {
  const members = sourcesOf(table).map(([name, source]) =>
    source.status(target.sources[name], { ...context, maxAge: maxAgeOf(source, target) }),
  );
  return Object.fromEntries(members.flatMap((member) => Object.entries(member))) as SourceStatuses;
};

export const factsOf = (table: SourceTable, status: object): readonly Fact[] =>
  sourcesOf(table).flatMap(([, source]) => source.facts(status));
