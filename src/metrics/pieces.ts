// Pieces of a gzip page. Each is compressed independently of the others and ends at a byte boundary, so they can be concatenated in any
// order to one gzip member. It must be a single member, because curl and browsers do not read beyond the first.

import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface Piece {
  /** Raw deflate. */
  readonly bytes: Uint8Array;
  /** Length and CRC-32 of the uncompressed bytes, and the factor that shifts a CRC-32 over that many bytes. */
  readonly length: number;
  readonly crc: number;
  readonly shift: number;
}

/** The lowest level: repeated names compress as well as at higher levels, in a fifth of the time. */
export const level = 1;

/** Output buffer of zlib. Most pieces are smaller. */
const chunkSize = 4096;

/** Synchronous: it takes tens of microseconds, less than handing it to a thread. */
export const pieceOf = (plain: Uint8Array): Piece => ({
  // A copy, because zlib's result is a small part of a larger buffer.
  bytes: new Uint8Array(deflateRawSync(plain, { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH })),
  length: plain.length,
  crc: crc32(plain),
  shift: shiftOver(plain.length),
});

/** Concatenates the pieces, without empty ones. */
export const joinPieces = (pieces: readonly Piece[]): Piece => {
  const bytes = Buffer.concat(pieces.flatMap((piece) => (piece.length > 0 ? [piece.bytes] : [])));
  const { crc, length } = sumOf(pieces);
  return { bytes, crc, length, shift: shiftOver(length) };
};

const sumOf = (pieces: readonly Piece[]): Pick<Piece, 'crc' | 'length'> => {
  let [crc, length] = [0, 0];
  for (const piece of pieces) {
    crc = multiply(piece.shift, crc) ^ piece.crc;
    length += piece.length;
  }
  return { crc, length };
};

export const gzipMember = (pieces: readonly Piece[]): Uint8Array => {
  const { crc, length } = sumOf(pieces);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc >>> 0, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([header, ...pieces.map(({ bytes }) => bytes), lastBlock, trailer]);
};

/** Deflate; no file name, no time, unknown system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** An empty final block, because no piece is marked as the last one. */
const lastBlock = Uint8Array.of(3, 0);

// A checksum is a polynomial over GF(2) modulo the CRC-32 polynomial, with the coefficient of x^0 in the highest bit. Each byte that
// follows multiplies it by x^8.

const polynomial = 0xedb88320;

const multiply = (one: number, other: number): number => {
  let [product, factor] = [0, other];
  for (let bits = one; bits !== 0; bits <<= 1) {
    if (bits < 0) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product;
};

/** x^(8 · 2^n). */
const powers: number[] = [1 << 23];
for (let power = powers[0] ?? 0; powers.length < 32; powers.push(power)) power = multiply(power, power);

/** x^(8 · length). */
const shiftOver = (length: number): number =>
  powers.reduce((product, power, bit) => ((length >>> bit) & 1 ? multiply(power, product) : product), 1 << 31);
