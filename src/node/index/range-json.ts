// Many containers as an answer shows them, as bytes: the same as containerJson of each, and five times as fast where there are
// vectors (0.4 ms for 1024 of 1 KB), because most of a range's time was its digits and its text.

import type { WireOf } from '../../protocol/methods.ts';
import type { Buffers } from '../buffers.ts';
import type { JsonBytes } from '../go-json.ts';
import { runLength } from './by-number.ts';
import { containerJson, type Encoding } from './container-json.ts';
import { layoutOf, numberOf, type Packed } from './stored-container.ts';
import { startVectors, type Vectors } from './vectors.ts';

export interface RangeJson {
  readonly json: JsonBytes<WireOf<'index.getContainerRange'>>;
  /** `json` is not read any more: its memory may become another answer. */
  readonly sent: () => void;
}

/** Writes them between `open` and `close`, which are ASCII. */
export type WriteRange = (
  packed: readonly Packed[],
  encoding: Encoding,
  shape: readonly [open: string, close: string],
) => RangeJson;

/** Writes objects, with a comma behind each, into `memory` from `at` on; gives where they end. */
type WriteObjects = (packed: readonly Packed[], encoding: Encoding, memory: Buffer, at: number) => number;

/** Bytes: more than an object has beside its parts. */
const membersLength = 128;

/** `openVectors`: asked for at the first range. */
export const rangeWriter = (buffers: Buffers, openVectors = () => startVectors(benchBytes)): WriteRange => {
  let write: WriteObjects | undefined;
  return (packed, encoding, [open, close]) => {
    write ??= objectsWriter(openVectors());
    const objects = packed.reduce((sum, { start, end }) => sum + 2 * (end - start) + membersLength, 0);
    const memory = buffers.take(open.length + objects + close.length);
    const start = memory.write(open, 'latin1');
    // The last comma goes.
    const end = packed.length === 0 ? start : write(packed, encoding, memory, start) - 1;
    const json = memory.subarray(0, end + memory.write(close, end, 'latin1'));
    return { json: json as RangeJson['json'], sent: () => buffers.give(memory) };
  };
};

const writePlain: WriteObjects = (packed, encoding, memory, start) =>
  packed.reduce((at, one) => at + memory.write(`${containerJson(one, encoding)},`, at, 'latin1'), start);

/** How many containers, and bytes of them, lie on the workbench together: a run's worth, of up to 4 KB each. */
const mostAtOnce = runLength;
const mostBytes = 256 * 1024;

/** Bytes. The tools read and write a little past the end of what they are told to. */
const margin = 64;

// The workbench: texts, containers, their JSON.
const inputStart = 5 * margin;
const outputStart = inputStart + mostBytes + margin;
const benchBytes = outputStart + 2 * mostBytes + mostAtOnce * membersLength + margin;

const objectsWriter = (vectors: Vectors | undefined): WriteObjects => {
  if (vectors === undefined) return writePlain;
  return (packed, encoding, memory, start) => {
    const write = objectWriter(vectors, encoding);
    let at = start;
    for (const row of rowsOf(packed)) at = writeRow(vectors, write, row, memory, at) ?? writePlain(row, encoding, memory, at);
    return at;
  };
};

/** Those that lie in the same memory, behind one another, as many as the workbench takes at a time. */
const rowsOf = function* (packed: readonly Packed[]): Generator<readonly Packed[]> {
  let row: Packed[] = [];
  for (const one of packed) {
    const [first = one] = row;
    if (first.memory !== one.memory || one.end - first.start > mostBytes || row.length === mostAtOnce) {
      yield row;
      row = [];
    }
    row.push(one);
  }
  yield row;
};

/** Undefined: one alone is too long for the workbench. */
const writeRow = (
  { bytes }: Vectors,
  write: (packed: Packed, offset: number, to: number) => number,
  row: readonly Packed[],
  memory: Buffer,
  at: number,
): number | undefined => {
  const [first, last] = [row[0], row.at(-1)];
  if (first === undefined || last === undefined || last.end - first.start > mostBytes) return undefined;
  bytes.set(first.memory.subarray(first.start, last.end), inputStart);
  const end = row.reduce((to, packed) => write(packed, inputStart - first.start, to), outputStart);
  memory.set(bytes.subarray(outputStart, end), at);
  return at + end - outputStart;
};

/** Writes one that lies on the workbench, `offset` bytes from where it lies in its memory. */
const objectWriter = ({ bytes, copy, hex }: Vectors, encoding: Encoding) => {
  const text = (place: number, ascii: string): ((to: number) => number) => {
    const from = place * margin;
    const length = bytes.write(ascii, from, 'latin1');
    return (to) => copy(from, length, to);
  };
  const beforeId = text(0, '{"id":"');
  const beforeBytes = text(1, '","bytes":"0x');
  const beforeTimestamp = text(2, '","timestamp":"');
  const beforeNumber = text(3, `","encoding":"${encoding}","index":"`);
  const behind = text(4, '"},');

  return (packed: Packed, offset: number, start: number): number => {
    const { idStart, idEnd, bytesStart, bytesEnd } = layoutOf(packed);
    const digitsEnd = encoding === 'hexnc' ? bytesEnd : packed.end;
    let to = copy(offset + idStart, idEnd - idStart, beforeId(start));
    to = hex(offset + bytesStart, digitsEnd - bytesStart, beforeBytes(to));
    to = copy(offset + idEnd, bytesStart - idEnd, beforeTimestamp(to));
    return behind(writeDigits(bytes, beforeNumber(to), numberOf(packed)));
  };
};

/** For a few bytes a loop is faster than a call of Buffer.write. */
const writeDigits = (bytes: Buffer, to: number, number: number): number => {
  const digits = number.toString();
  for (let at = 0; at < digits.length; at += 1) bytes[to + at] = digits.charCodeAt(at);
  return to + digits.length;
};
