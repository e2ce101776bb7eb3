// Joins cached samples to a page, chunk by chunk, so that the work per iteration of the event loop is limited, however large the page is.

import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { yieldToEventLoop } from '../pause.ts';
import { type Contribution, lengthAt, samplesAt } from './contribution.ts';
import type { Chosen, Layout } from './layout.ts';
import { level } from './pieces.ts';
import type { Format } from './text.ts';

/** A page that is joined while it is read. */
export interface Joined {
  readonly length: number;
  /** Each chunk is only valid until the next one is requested: they share one buffer. */
  readonly chunks: () => Iterable<Uint8Array>;
}

/** Size of a chunk, in bytes. */
const chunkBytes = 256 * 1024;

/** Family by family in the order of the page, each with the samples of all targets, and then `rest`. */
export const join = (
  { names, heads }: Layout,
  format: Format,
  contributions: readonly Contribution[],
  rest: readonly Uint8Array[],
  chosen: Chosen = () => true,
): Joined => {
  const positions = positionsOf(names, chosen);
  const pieces = () => piecesOf(positions, heads[format], contributions, rest);
  let length = rest.reduce((sum, bytes) => sum + bytes.length, 0);
  for (const position of positions) {
    const samples = contributions.reduce((sum, one) => sum + lengthAt(one, position), 0);
    if (samples > 0) length += samples + (heads[format][position]?.length ?? 0);
  }
  return { length, chunks: () => chunksOf(pieces(), Math.min(length, chunkBytes)) };
};

export const positionsOf = (names: Layout['names'], chosen: Chosen): readonly number[] =>
  names.flatMap((name, position) => (chosen(name) ? [position] : []));

function* piecesOf(
  positions: readonly number[],
  heads: readonly Uint8Array[],
  contributions: readonly Contribution[],
  rest: readonly Uint8Array[],
): Generator<Uint8Array> {
  for (const position of positions) {
    let hasHead = false;
    for (const one of contributions) {
      if (lengthAt(one, position) === 0) continue;
      const head = heads[position];
      if (!hasHead && head !== undefined) yield head;
      hasHead = true;
      yield samplesAt(one, position);
    }
  }
  yield* rest;
}

function* chunksOf(pieces: Iterable<Uint8Array>, size: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafeSlow(size);
  let used = 0;
  for (const piece of pieces) {
    let from = 0;
    while (piece.length - from > size - used) {
      chunk.set(piece.subarray(from, from + size - used), used);
      from += size - used;
      used = 0;
      yield chunk;
    }
    chunk.set(from === 0 ? piece : piece.subarray(from), used);
    used += piece.length - from;
  }
  if (used > 0) yield chunk.subarray(0, used);
}

export const joinedBytes = async ({ length, chunks }: Joined): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafeSlow(length);
  let used = 0;
  for (const chunk of chunks()) {
    if (used > 0) await yieldToEventLoop();
    bytes.set(chunk, used);
    used += chunk.length;
  }
  return bytes;
};

/** Compresses in a thread of zlib. */
export const gzipped = async ({ chunks }: Joined): Promise<Uint8Array> => {
  const stream = createGzip({ level });
  const bytes = buffer(stream);
  for (const chunk of chunks()) await new Promise((taken) => stream.write(chunk, taken));
  stream.end();
  return bytes;
};
