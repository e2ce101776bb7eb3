// The samples of one target, rendered once and cached as bytes while they are valid. Both formats share them.

import type { Target } from '../conditions/condition.ts';
import { shownUntil } from '../conditions/true-until.ts';
import { familiesOf } from './families.ts';
import type { Rendering } from './family.ts';
import type { Layout } from './layout.ts';

export interface Contribution {
  readonly target: Target;
  readonly wallOffset: number;
  /** Valid until then, inclusive; steady clock. */
  readonly until: number;
  /** The samples of all its families, in the order of the page. */
  readonly bytes: Buffer;
  /** By position of the family: where its samples end in `bytes`. */
  readonly ends: Uint32Array;
  readonly rendering: Rendering;
}

/** Throws if a family cannot be made from what the node sent. `before`: of the same target; unchanged families are copied from it. */
export const contributionOf = (
  layout: Layout,
  target: Target,
  now: number,
  wallOffset: number,
  before?: Contribution,
): Contribution => {
  const known = before !== undefined && isLabelledAs(target, before.target) ? before : undefined;
  const rendering = { before: known?.rendering, after: new Map() };
  const texts = new Array<string | Contribution>(layout.names.length).fill('');
  for (const { definition, samples, isSame } of familiesOf(layout.table, target, now, wallOffset, rendering)) {
    const position = layout.positions.get(definition.name);
    if (position !== undefined) texts[position] = isSame && known !== undefined ? known : samples;
  }
  const ends = new Uint32Array(texts.length);
  let end = 0;
  texts.forEach((text, position) => {
    end += typeof text === 'string' ? Buffer.byteLength(text) : lengthAt(text, position);
    ends[position] = end;
  });
  const bytes = Buffer.allocUnsafeSlow(end);
  let used = 0;
  texts.forEach((text, position) => {
    used += typeof text === 'string' ? bytes.write(text, used) : copyAt(text, position, bytes, used);
  });
  return {
    target,
    wallOffset,
    until: shownUntil(layout.table, target, now, wallOffset),
    bytes,
    ends,
    rendering: rendering.after,
  };
};

/** The labels on every series are the same. */
const isLabelledAs = (one: Target, other: Target): boolean =>
  one.state.options.name === other.state.options.name && one.state.options.labels === other.state.options.labels;

/** Size of the family at this position, in bytes. */
export const lengthAt = (one: Contribution, position: number): number => endOf(one, position) - endOf(one, position - 1);

/** Returns how many bytes it copied. */
export const copyAt = (one: Contribution, position: number, into: Buffer, at: number): number =>
  one.bytes.copy(into, at, endOf(one, position - 1), endOf(one, position));

/** The family at this position has the same samples in both. */
export const isSameAt = (one: Contribution, other: Contribution, position: number): boolean =>
  one.bytes.compare(
    other.bytes,
    endOf(other, position - 1),
    endOf(other, position),
    endOf(one, position - 1),
    endOf(one, position),
  ) === 0;

const endOf = ({ ends }: Contribution, position: number): number => (position < 0 ? 0 : (ends[position] ?? 0));

export const samplesAt = (one: Contribution, position: number): Uint8Array =>
  one.bytes.subarray(endOf(one, position - 1), endOf(one, position));

export const isTrue = ({ target, wallOffset, until }: Contribution, of: Target, now: number, offset: number): boolean =>
  target === of && wallOffset === offset && now <= until;
