// Pieces of a gzip page: each is compressed without looking at what stands before it, and ends on a byte, so that any of them in any
// order make one gzip member. One, because curl and browsers read no further than the first.

import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface Piece {
  /** Raw deflate. */
  readonly bytes: Uint8Array;
  /** Of what they say: its length, its checksum, and what moves a checksum over so many bytes. */
  readonly length: number;
  readonly crc: number;
  readonly shift: number;
}

/** Repeated names compress as well with little effort as with much, in a fifth of the time. */
export const level = 1;

/** Most pieces are smaller. */
const chunkSize = 4096;

/** In this turn of the event loop: some tens of microseconds, which is less than a thread costs that does it. */
export const pieceOf = (plain: Uint8Array): Piece => ({
  // A copy: what zlib gives is a small part of a buffer of its own.
  bytes: new Uint8Array(deflateRawSync(plain, { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH })),
  length: plain.length,
  crc: crc32(plain),
  shift: shiftOver(plain.length),
});

/** One after the other, those that say nothing left out. */
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

/** Deflate, without a name, a time or a system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** Empty: none of the pieces knows that it is the last. */
const lastBlock = Uint8Array.of(3, 0);

// A checksum is a polynomial over two elements modulo that of CRC-32, the coefficient of x^0 in the highest bit: bytes that follow
// multiply it by x^8 each.

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
