// Puts values from outside of the text, such as variables, into the value of the text.

import type { Position } from './nodes.ts';
import { pathText, put } from './path.ts';

export interface Given {
  readonly path: readonly (string | number)[];
  /** A text is read as a number or a boolean if the schema requires one. */
  readonly value: unknown;
  /** Errors name it instead of the value, which is never shown. */
  readonly variable: string;
  /** Used only if this returns true for the whole value of the text. */
  readonly when?: (text: unknown) => boolean;
}

export interface Positioned {
  readonly value: unknown;
  readonly positions: ReadonlyMap<string, Position>;
}

export const override = (read: Positioned, given: readonly Given[]): Positioned =>
  given.reduce(
    ({ value, positions }: Positioned, { path, value: leaf, variable, when = () => true }): Positioned => {
      if (!when(read.value)) return { value, positions };
      const at = pathText(path);
      const others = [...positions].filter(([key]) => key !== at && !key.startsWith(`${at}.`) && !key.startsWith(`${at}[`));
      return { value: put(value, path, leaf), positions: new Map([...others, [at, { from: variable }]]) };
    },
    { value: read.value, positions: read.positions },
  );
