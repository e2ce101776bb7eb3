// Containers as lines of NDJSON.

import type { Container } from '../protocol/container.ts';
import { printableJson } from '../text.ts';

/** Nothing that JSON would escape: the digits, letters and marks of base58, hex, timestamps and names. */
const plain = /^[\w:.+-]*$/;

const isPlain = ({ id, timestamp, encoding, bytes }: Container): boolean =>
  plain.test(bytes) && plain.test(id) && plain.test(timestamp) && plain.test(encoding);

const beforeBytes = ({ index, id, timestamp, encoding }: Container): string =>
  `{"index":"${index}","id":"${id}","timestamp":"${timestamp}","encoding":"${encoding}","bytes":"`;
const afterBytes = '"}\n';

/** The number is text, as on the wire, since it has 64 bits. Whatever the node gave, the line is ASCII. */
export const lineOf = (container: Container): string => {
  const { index, id, timestamp, encoding, bytes } = container;
  if (isPlain(container)) return `${beforeBytes(container)}${bytes}${afterBytes}`;
  return printableJson({ index: index.toString(), id, timestamp, encoding, bytes });
};

/** Lines in pieces: put together as text they would be copied twice more on their way into a file. */
export interface Lines {
  /** ASCII. */
  readonly pieces: readonly string[];
  /** Of all of them, in bytes. */
  readonly length: number;
}

export const linesOf = (containers: readonly Container[]): Lines => {
  const pieces: string[] = [];
  for (const container of containers)
    if (isPlain(container)) pieces.push(beforeBytes(container), container.bytes, afterBytes);
    else pieces.push(lineOf(container));
  return { pieces, length: pieces.reduce((sum, { length }) => sum + length, 0) };
};

/** Writes them into `target` from `at` on; gives where they end. */
export const writeLines = ({ pieces }: Lines, target: Buffer, at: number): number =>
  pieces.reduce((end, piece) => end + target.write(piece, end, 'latin1'), at);
