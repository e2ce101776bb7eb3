// What one target contributes to the page: rendered once, and kept as bytes for as long as it is true. Both formats share it.

import type { Target } from '../conditions/condition.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import { trueUntil } from '../sources/stall.ts';
import { familiesOf } from './families.ts';
import type { Layout } from './layout.ts';

export interface Contribution {
  readonly target: Target;
  readonly wallOffset: number;
  /** It is true to here, inclusive. */
  readonly until: number;
  /** The samples of all its families, in the order of the page. */
  readonly bytes: Buffer;
  /** Where the samples of each family of the layout end in them. */
  readonly ends: Uint32Array;
}

/** Throws where a family cannot be made of what the node sent. */
export const contributionOf = (layout: Layout, target: Target, now: number, wallOffset: number): Contribution => {
  const texts = new Array<string>(layout.names.length).fill('');
  for (const { definition, samples } of familiesOf(layout.table, target, now, wallOffset)) {
    const place = layout.places.get(definition.name);
    if (place !== undefined) texts[place] = samples;
  }
  // Put together once, as it is written: to join texts is to copy each of them twice.
  let text = '';
  for (const one of texts) text += one;
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  const lengthOf = bytes.length === text.length ? (one: string) => one.length : Buffer.byteLength;
  const ends = new Uint32Array(texts.length);
  let end = 0;
  texts.forEach((one, place) => {
    end += lengthOf(one);
    ends[place] = end;
  });
  return {
    target,
    wallOffset,
    until: Math.min(
      trueUntil(target.state, now, layout.table),
      conditionsAt(target.conditions, target.state, now).trueUntil,
      maintainedUntil(target, wallOffset),
    ),
    bytes,
    ends,
  };
};

export const isTrue = ({ target, wallOffset, until }: Contribution, of: Target, now: number, offset: number): boolean =>
  target === of && wallOffset === offset && now <= until;

/** The last millisecond of the open window: its end is exclusive. */
const maintainedUntil = ({ maintenance }: Target, wallOffset: number): number =>
  maintenance === undefined ? Number.POSITIVE_INFINITY : maintenance.end - wallOffset - 0.001;
