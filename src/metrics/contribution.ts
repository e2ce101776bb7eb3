// What one target contributes to the page: rendered once, and kept as bytes for as long as it is true. Both formats share it.

import type { Target } from '../conditions/condition.ts';
import { shownUntil } from '../conditions/true-until.ts';
import { familiesOf } from './families.ts';
import type { Rendering } from './family.ts';
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
  readonly rendering: Rendering;
}

/** Throws where a family cannot be made of what the node sent. `before`: of the same target, of which is copied what is the same. */
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

/** With the labels that stand on every series. */
const isLabelledAs = (one: Target, other: Target): boolean =>
  one.state.options.name === other.state.options.name && one.state.options.labels === other.state.options.labels;

/** Bytes of the family at this position. */
export const lengthAt = (one: Contribution, position: number): number => endOf(one, position) - endOf(one, position - 1);

/** Gives how many bytes that were. */
export const copyAt = (one: Contribution, position: number, into: Buffer, at: number): number =>
  one.bytes.copy(into, at, endOf(one, position - 1), endOf(one, position));

/** The family at this position says the same in both. */
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
