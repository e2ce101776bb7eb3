// The order of the families on the page, and their HELP and TYPE lines. It does not depend on targets.

import type { Sources } from '../sources/sources.ts';
import { targetDefinitions } from './families.ts';
import { type Format, headText } from './text.ts';

/** Which families are on the page, by name. */
export type Chosen = (name: string) => boolean;

export interface Layout {
  readonly table: Sources;
  readonly names: readonly string[];
  /** Name -> its position in `names`. */
  readonly positions: ReadonlyMap<string, number>;
  /** By position: HELP and TYPE. */
  readonly heads: Readonly<Record<Format, readonly Uint8Array[]>>;
}

export const layoutOf = (table: Sources, chosen: Chosen = () => true): Layout => {
  const definitions = targetDefinitions(table).filter(({ name }) => chosen(name));
  const names = definitions.map(({ name }) => name);
  const heads = (format: Format): readonly Uint8Array[] => definitions.map((one) => Buffer.from(headText(one, format)));
  return {
    table,
    names,
    positions: new Map(names.map((name, at) => [name, at])),
    heads: { text: heads('text'), openmetrics: heads('openmetrics') },
  };
};
