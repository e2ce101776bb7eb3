// The page of a fleet as one gzip member, joined from the compressed pieces of its blocks.

import { yieldToEventLoop } from '../pause.ts';
import type { Blocks } from './blocks.ts';
import { positionsOf } from './join.ts';
import type { Chosen, Layout } from './layout.ts';
import { gzipMember, type Piece, pieceOf } from './pieces.ts';
import type { Format } from './text.ts';

/** Pieces compressed per iteration of the event loop, about 15 ms. With fewer, waiting polls would run between them and delay the scrape. */
const maxPerIteration = 250;

export type Pack = (rest: readonly Uint8Array[], chosen?: Chosen) => Promise<Uint8Array>;

export const createPack = ({ names, heads }: Layout, format: Format, blocks: Blocks): Pack => {
  let compressedHeads: readonly Piece[] | undefined;
  return async (rest, chosen = () => true) => {
    compressedHeads ??= heads[format].map(pieceOf);
    while (!blocks.compress(maxPerIteration)) await yieldToEventLoop();
    const pieces: Piece[] = [];
    for (const position of positionsOf(names, chosen)) {
      const [head, samples] = [compressedHeads[position], blocks.piece(position)];
      if (samples.length > 0 && head !== undefined) pieces.push(head, samples);
    }
    return gzipMember([...pieces, ...rest.map(pieceOf)]);
  };
};
