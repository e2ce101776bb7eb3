// Collects the body of a response in one buffer, because a chunk may be one byte, and as an object needs a hundred. Large bodies are checked
// against the bounds as they arrive. Small ones are checked when they are parsed, because hundreds may arrive in one iteration of the event loop.

import { type Bounds, countedBy } from './bounds.ts';
import type { Failure } from './outcome.ts';

/** Bytes. */
const small = 32 * 1024;

const faultOf = (bounds: Bounds, counted: ReturnType<typeof countedBy>, bytes: Buffer): Failure | undefined => {
  const bound = counted.take(bytes);
  return bound && { kind: 'too-large', bound, limit: bounds[bound] };
};

/** Checks a small body that has arrived completely; a large one was checked on arrival. */
export const faultOfSmall = (bounds: Bounds, bytes: Buffer): Failure | undefined =>
  bytes.length > small ? undefined : faultOf(bounds, countedBy(bounds), bytes);

/** Without `bounds`, the content is not checked. `shared`: `buffer` of Share. */
export const createBody = (maxBytes: number, bounds: Bounds | undefined, shared: (bytes: number) => Buffer | undefined) => {
  let counted: ReturnType<typeof countedBy> | undefined;
  let buffer: Buffer = Buffer.alloc(0);
  let size = 0;
  return {
    /** Adds a chunk, and owns it from then on. Gives a failure if a limit is exceeded. */
    take: (chunk: Buffer): Failure | undefined => {
      if (size + chunk.length > maxBytes) return { kind: 'too-large', bound: 'bytes', limit: maxBytes };
      if (size === 0) buffer = chunk;
      else {
        if (size + chunk.length > buffer.length) {
          const larger = shared(maxBytes) ?? Buffer.allocUnsafeSlow(Math.min(maxBytes, 2 * (size + chunk.length)));
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        chunk.copy(buffer, size);
      }
      size += chunk.length;
      if (bounds === undefined || size <= small) return undefined;
      const unchecked = counted === undefined ? buffer.subarray(0, size) : chunk;
      counted ??= countedBy(bounds);
      return faultOf(bounds, counted, unchecked);
    },
    size: (): number => size,
    /** Whether the body is so large that it is checked as it arrives. */
    isLarge: (): boolean => size > small,
    bytes: (): Buffer => buffer.subarray(0, size),
  };
};
