// The bytes of an answer as they arrive: counted, and copied into one buffer, because a piece may be a byte and costs a hundred. What a
// small one holds is counted when it is understood: those of a hundred nodes may arrive in one turn of the event loop.

import { type Bounds, countedBy } from './bounds.ts';
import type { Failure } from './outcome.ts';

/** Bytes. */
const small = 32 * 1024;

const faultOf = (bounds: Bounds, counted: ReturnType<typeof countedBy>, bytes: Buffer): Failure | undefined => {
  const bound = counted.take(bytes);
  return bound && { kind: 'too-large', bound, limit: bounds[bound] };
};

/** Of a body that has arrived. */
export const faultOfSmall = (bounds: Bounds, bytes: Buffer): Failure | undefined =>
  bytes.length > small ? undefined : faultOf(bounds, countedBy(bounds), bytes);

/** `undefined` for `bounds`: whatever it holds. `shared`: as in Share. */
export const createBody = (maxBytes: number, bounds: Bounds | undefined, shared: (bytes: number) => Buffer | undefined) => {
  let counted: ReturnType<typeof countedBy> | undefined;
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  return {
    /** Takes a piece, which is nobody else's then; or says of what there is too much. */
    take: (piece: Buffer): Failure | undefined => {
      if (size + piece.length > maxBytes) return { kind: 'too-large', bound: 'bytes', limit: maxBytes };
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
      if (bounds === undefined || size <= small) return undefined;
      const uncounted = counted === undefined ? held.subarray(0, size) : piece;
      counted ??= countedBy(bounds);
      return faultOf(bounds, counted, uncounted);
    },
    size: (): number => size,
    /** So large that it is counted as it arrives. */
    isLarge: (): boolean => size > small,
    bytes: (): Buffer => held.subarray(0, size),
  };
};
