// What one target contributes to the page in one format: rendered once, and kept as bytes for as long as it is true.

import type { Target } from '../conditions/condition.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import type { Sources } from '../sources/sources.ts';
import { trueUntil } from '../sources/stall.ts';
import { type Format, render } from './exposition.ts';
import { familiesOf } from './families.ts';
import type { Family } from './family.ts';

/** A family as it stands on the page. */
export interface Block {
  /** Its HELP and TYPE lines. */
  readonly head: Uint8Array;
  /** Its samples, each with its line end. */
  readonly samples: Uint8Array;
}

/** By the name of the family. */
export type Blocks = ReadonlyMap<string, Block>;

export interface Contribution {
  readonly target: Target;
  readonly wallOffset: number;
  /** It is true from here to `until`, both inclusive. */
  readonly from: number;
  readonly until: number;
  readonly blocks: Promise<Blocks>;
}

/** Throws where a family cannot be made of what the node sent; what is rendered of them comes later. */
export const contributionOf = (
  table: Sources,
  target: Target,
  format: Format,
  now: number,
  wallOffset: number,
): Contribution => ({
  target,
  wallOffset,
  from: now,
  until: Math.min(
    trueUntil(target.state, now, table),
    conditionsAt(target.conditions, target.state, now).trueUntil,
    maintainedUntil(target, wallOffset),
  ),
  blocks: blocksOf(familiesOf(table, target, now, wallOffset), format),
});

export const isTrue = ({ target, wallOffset, from, until }: Contribution, of: Target, now: number, offset: number): boolean =>
  target === of && wallOffset === offset && from <= now && now <= until;

/** The last millisecond of the open window: its end is exclusive. */
const maintainedUntil = ({ maintenance }: Target, wallOffset: number): number =>
  maintenance === undefined ? Number.POSITIVE_INFINITY : maintenance.end - wallOffset - 0.001;

/** Line ends in label values are escaped, so a line that begins so begins a family. */
const familyStart = /^(?=# HELP )/m;

const headEnd = /^(?!# )/m;

export const blocksOf = async (families: readonly Family[], format: Format): Promise<Blocks> => {
  if (families.length === 0) return new Map();
  const texts = (await render(families, format)).split(familyStart);
  return new Map(
    families.map(({ name }, at): readonly [string, Block] => {
      const text = texts[at] ?? '';
      const cut = text.search(headEnd);
      return [name, { head: Buffer.from(text.slice(0, cut)), samples: Buffer.from(`${text.slice(cut).trimEnd()}\n`) }];
    }),
  );
};
