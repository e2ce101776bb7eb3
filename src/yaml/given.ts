// Values from outside of the text (a variable that beats the file), put in as if the text said them.

import type { Position } from './nodes.ts';
import { pathText, put } from './path.ts';

export interface Given {
  readonly path: readonly (string | number)[];
  /** A text is re-read as a number or boolean where the schema wants one. */
  readonly value: unknown;
  /** Named in every error about the value, which is itself never shown. */
  readonly variable: string;
  /** Only where this is true of what the text says as a whole. */
  readonly when?: (text: unknown) => boolean;
}

export interface Positioned {
  readonly value: unknown;
  readonly places: ReadonlyMap<string, Position>;
}

export const override = (read: Positioned, given: readonly Given[]): Positioned =>
  given.reduce(
    ({ value, places }: Positioned, { path, value: leaf, variable, when = () => true }): Positioned => {
      if (!when(read.value)) return { value, places };
      const at = pathText(path);
      const others = [...places].filter(([place]) => place !== at && !place.startsWith(`${at}.`) && !place.startsWith(`${at}[`));
      return { value: put(value, path, leaf), places: new Map([...others, [at, { from: variable }]]) };
    },
    { value: read.value, places: read.places },
  );
