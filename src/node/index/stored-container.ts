// One container as the store keeps it and as an answer shows it. Kept so that an answer only has to copy: id and timestamp
// are text, and the checksum of `hex` stands behind the bytes.

import { encodeId, sha256 } from '../../protocol/fast-id.ts';

/** As it stands in JSON: no member of it needs escaping. */
export type Encoding = 'hex' | 'hexc' | 'hexnc';

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

interface Layout {
  readonly idEnd: number;
  readonly head: number;
  readonly bytesEnd: number;
}

const layoutOf = (packed: Buffer): Layout => {
  const idEnd = headLength + (packed[8] ?? 0);
  return { idEnd, head: idEnd + (packed[9] ?? 0), bytesEnd: packed.length - checksumLength };
};

/** Number of a packed container. */
export const numberOf = (packed: Buffer): number => packed.readUInt32BE(0) * 2 ** 32 + packed.readUInt32BE(4);

/** Reads what packContainer wrote; undefined when it is too short to be that. */
export const unpackContainer = (packed: Buffer): StoredContainer | undefined => {
  if (packed.length < headLength) return undefined;
  const { idEnd, head, bytesEnd } = layoutOf(packed);
  if (bytesEnd < head) return undefined;
  return {
    number: numberOf(packed),
    id: packed.toString('latin1', headLength, idEnd),
    timestamp: packed.toString('latin1', idEnd, head),
    bytes: packed.subarray(head, bytesEnd),
    checksum: packed.subarray(bytesEnd),
  };
};

/** The JSON object of a container, members in the node's order. */
export const containerJson = (packed: Buffer, encoding: Encoding): string => {
  const { idEnd, head, bytesEnd } = layoutOf(packed);
  const hex = packed.toString('hex', head, encoding === 'hexnc' ? bytesEnd : packed.length);
  const id = packed.toString('latin1', headLength, idEnd);
  const timestamp = packed.toString('latin1', idEnd, head);
  return `{"id":"${id}","bytes":"0x${hex}","timestamp":"${timestamp}","encoding":"${encoding}","index":"${numberOf(packed)}"}`;
};

/** More than an object has beside its bytes in hex, id and timestamp. */
const membersLength = 128;

/** Many of them between `open` and `close`, as bytes: base58, hex, digits and RFC 3339 have nothing beyond ASCII. */
export const containersJson = (
  packed: readonly Buffer[],
  encoding: Encoding,
  [open, close]: readonly [open: string, close: string],
): Buffer => {
  const most = packed.reduce((sum, { length }) => sum + 2 * length + membersLength, open.length + close.length);
  const json = Buffer.allocUnsafe(most);
  let end = json.write(open, 'latin1');
  for (const [at, one] of packed.entries())
    end += json.write(`${at === 0 ? '' : ','}${containerJson(one, encoding)}`, end, 'latin1');
  end += json.write(close, end, 'latin1');
  return json.subarray(0, end);
};
