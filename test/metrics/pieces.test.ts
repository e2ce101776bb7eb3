// Gzip pieces, concatenated in any order, decompress to their plain bytes.

import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipMember, joinPieces, pieceOf } from '../../src/metrics/pieces.ts';

const plain = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  // Repeated lines that are longer than the window of deflate.
  fc.tuple(fc.string(), fc.integer({ min: 0, max: 3000 })).map(([line, times]) => Buffer.from(`${line} 0.5\n`.repeat(times))),
);

test('any pieces form one gzip member whose checksum and length Node.js accepts', () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 20 }), (parts) => {
      const member = gzipMember(parts.map(pieceOf));
      expect(Buffer.compare(gunzipSync(member), Buffer.concat(parts))).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('pieces that were joined before form the same member', () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 8 }), fc.array(plain, { maxLength: 8 }), (some, others) => {
      const member = gzipMember([some, others].map((parts) => joinPieces(parts.map(pieceOf))));
      expect(Buffer.compare(gunzipSync(member), Buffer.concat([...some, ...others]))).toBe(0);
    }),
    { numRuns: 50 },
  );
});
