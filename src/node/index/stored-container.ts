// One container as the store keeps it, so that an answer only has to copy: id and timestamp are text, and the checksum that
// `hex` has stands behind the bytes.

import { encodeId, sha256 } from '../../protocol/fast-id.ts';

export interface AcceptedContainer {
  /** cb58 */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The last four bytes of the SHA-256 of the bytes. */
  readonly checksum: Uint8Array;
}

export interface StoredContainer extends AcceptedContainer {
  readonly number: number;
  /** RFC 3339: when this node accepted it. */
  readonly timestamp: string;
}

const checksumLength = 4;
const headLength = 10;

/** A container whose id is the hash of its bytes. */
export const hashedContainer = (bytes: Uint8Array): AcceptedContainer => {
  const hash = sha256(bytes);
  return { id: encodeId(hash), bytes, checksum: hash.subarray(-checksumLength) };
};

/** number (8 bytes), lengths of id and timestamp (1 each), id, timestamp, bytes, checksum. */
export const packContainer = ({ id, bytes, checksum }: AcceptedContainer, number: number, timestamp: string): Buffer => {
  const head = headLength + id.length + timestamp.length;
  const packed = Buffer.allocUnsafe(head + bytes.length + checksumLength);
  packed.writeUInt32BE(Math.floor(number / 2 ** 32), 0);
  packed.writeUInt32BE(number % 2 ** 32, 4);
  packed[8] = id.length;
  packed[9] = timestamp.length;
  packed.write(id, headLength, 'latin1');
  packed.write(timestamp, headLength + id.length, 'latin1');
  packed.set(bytes, head);
  packed.set(checksum, head + bytes.length);
  return packed;
};

/** A packed container where it lies: alone, or among others. */
export interface Packed {
  readonly memory: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Where its parts are in the memory. The timestamp is between id and bytes, the checksum behind the bytes. */
export interface Layout {
  readonly idStart: number;
  readonly idEnd: number;
  readonly bytesStart: number;
  readonly bytesEnd: number;
}

export const layoutOf = ({ memory, start, end }: Packed): Layout => {
  const idStart = start + headLength;
  const idEnd = idStart + (memory[start + 8] ?? 0);
  return { idStart, idEnd, bytesStart: idEnd + (memory[start + 9] ?? 0), bytesEnd: end - checksumLength };
};

/** Number of a packed container. */
export const numberOf = ({ memory, start }: Packed): number =>
  memory.readUInt32BE(start) * 2 ** 32 + memory.readUInt32BE(start + 4);

/** Reads what packContainer wrote; undefined when it is too short to be that. */
export const unpackContainer = (packed: Packed): StoredContainer | undefined => {
  const { memory, end } = packed;
  const { idStart, idEnd, bytesStart, bytesEnd } = layoutOf(packed);
  if (bytesEnd < bytesStart) return undefined;
  return {
    number: numberOf(packed),
    id: memory.toString('latin1', idStart, idEnd),
    timestamp: memory.toString('latin1', idEnd, bytesStart),
    bytes: memory.subarray(bytesStart, bytesEnd),
    checksum: memory.subarray(bytesEnd, end),
  };
};
