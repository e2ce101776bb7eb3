// One gzip member of two parts that are compressed apart, because one of them changes more often than the other.

import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Some bytes, and what is made of them when first asked for. */
export interface GzipPart {
  readonly plain: Uint8Array;
  readonly crc: () => number;
  /** Raw deflate; compressed beside the event loop. */
  readonly deflated: () => Promise<Uint8Array>;
}

const lazy = <T extends object | number>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** The first part ends on a byte's edge without ending the stream; the last ends it. */
export const partOf = (plain: Uint8Array, place: 'first' | 'last'): GzipPart => {
  const finishFlush = place === 'first' ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  return { plain, crc: lazy(() => crc32(plain)), deflated: lazy(() => deflate(plain, { finishFlush })) };
};

// Deflate, no flags, no time, unknown system (RFC 1952).
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** Two members one after the other would be valid too, but some clients read only the first. */
export const gzipOf = async (first: GzipPart, last: GzipPart): Promise<Uint8Array> => {
  const [compressedFirst, compressedLast] = await Promise.all([first.deflated(), last.deflated()]);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(last.plain, first.crc()), 0);
  end.writeUInt32LE((first.plain.length + last.plain.length) % 2 ** 32, 4);
  return Buffer.concat([header, compressedFirst, compressedLast, end]);
};
