// The bytes of an answer as they arrive: counted, and copied into one buffer, because a piece may be a byte and costs a hundred.

import { type Bounds, countedBy } from './bounds.ts';
import type { Failure } from './outcome.ts';

/** `undefined` for `bounds`: whatever it holds. `shared`: as in Share. */
export const createBody = (maxBytes: number, bounds: Bounds | undefined, shared: (bytes: number) => Buffer | undefined) => {
  const counted = bounds && countedBy(bounds);
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  return {
    /** Takes a piece, which is nobody else's then; or says of what there is too much. */
    take: (piece: Buffer): Failure | undefined => {
      if (size + piece.length > maxBytes) return { kind: 'too-large', bound: 'bytes', limit: maxBytes };
      const bound = counted?.take(piece);
      if (bounds !== undefined && bound !== undefined) return { kind: 'too-large', bound, limit: bounds[bound] };
      if (size === 0) held = piece;
      else {
        if (size + piece.length > held.length) {
          const wider = shared(maxBytes) ?? Buffer.allocUnsafeSlow(Math.min(maxBytes, 2 * (size + piece.length)));
          held.copy(wider, 0, 0, size);
          held = wider;
        }
        piece.copy(held, size);
      }
      size += piece.length;
      return undefined;
    },
    size: (): number => size,
    bytes: (): Buffer => held.subarray(0, size),
  };
};
