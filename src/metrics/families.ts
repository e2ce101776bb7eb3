// All families of a target, and the definitions of all families that can exist.

import type { Target } from '../conditions/condition.ts';
import type { SourceTable } from '../sources/source.ts';
import { type Sources, sources, sourcesOf } from '../sources/sources.ts';
import { maxAge, maxAgeOf } from '../sources/target-state.ts';
import type { Described, Family, RenderContext } from './family.ts';
import { labelsText } from './labels.ts';
import { ownDefinitions } from './own.ts';
import { targetGroups } from './target-families.ts';

/** Families without samples are left out. `wallOffset`: wall clock − steady clock. `rendering`: as in RenderContext. */
export const familiesOf = (
  table: Sources,
  target: Target,
  now: number,
  wallOffset: number,
  rendering?: RenderContext['rendering'],
): readonly Family[] => {
  const { state } = target;
  const { name: targetName, labels } = state.options;
  const context: RenderContext = {
    target: labelsText(['target'], [targetName]).slice(1),
    now,
    maxAge: maxAge(state),
    wallOffset,
    labels: labelsText(Object.keys(labels), Object.values(labels)),
    ...(rendering && { rendering }),
  };
  const ofSources = sourcesOf(table).flatMap(([name, source]) => {
    const own = { ...context, maxAge: maxAgeOf(source, state) };
    return source.families.flatMap((one) => one.families(state.sources[name], own));
  });
  return [...targetGroups.flatMap((one) => one.families(target, context)), ...ofSources];
};

/** Of targets, in the order of the page. */
export const targetDefinitions = (table: SourceTable): readonly Described[] => [
  ...targetGroups.flatMap((one) => one.definitions),
  ...sourcesOf(table).flatMap(([, { families }]) => families.flatMap((one) => one.definitions)),
];

/** All families that can exist, in the order of the page. */
export const definitions: readonly Described[] = [...targetDefinitions(sources), ...ownDefinitions];
