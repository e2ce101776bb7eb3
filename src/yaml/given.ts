// Values from outside of the text (a variable that beats the file), put in as if the text said them.

import type { Place } from './nodes.ts';
import { pathText, put, valueAt } from './path.ts';

export interface Given {
  readonly path: readonly (string | number)[];
  /** A text is re-read as a number or boolean where the schema wants one. */
  readonly value: unknown;
  /** Named in every mistake about the value, which is itself never shown. */
  readonly variable: string;
  /** `text`: only where the text says nothing at this path. */
  readonly yieldsTo?: 'text';
}

export interface Placed {
  readonly value: unknown;
  readonly places: ReadonlyMap<string, Place>;
}

export const give = (read: Placed, given: readonly Given[]): Placed =>
  given.reduce(
    ({ value, places }: Placed, { path, value: leaf, variable, yieldsTo }): Placed => {
      const before = valueAt(value, path);
      if (yieldsTo === 'text' && before !== undefined && before !== null) return { value, places };
      const at = pathText(path);
      const others = [...places].filter(([place]) => place !== at && !place.startsWith(`${at}.`) && !place.startsWith(`${at}[`));
      return { value: put(value, path, leaf), places: new Map([...others, [at, { from: variable }]]) };
    },
    { value: read.value, places: read.places },
  );
