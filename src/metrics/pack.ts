// The page of a fleet as one gzip member, of what its blocks keep compressed.

import { yieldToEventLoop } from '../pause.ts';
import type { Blocks } from './blocks.ts';
import { positionsOf } from './join.ts';
import type { Chosen, Layout } from './layout.ts';
import { gzipMember, type Piece, pieceOf } from './pieces.ts';
import type { Format } from './text.ts';

/** Pieces that are compressed in one turn of the event loop, some 15 ms: where polls wait for theirs, each turn is a long one. */
const inOneTurn = 250;

export type Pack = (rest: readonly Uint8Array[], chosen?: Chosen) => Promise<Uint8Array>;

export const createPack = ({ names, heads }: Layout, format: Format, blocks: Blocks): Pack => {
  let ofHeads: readonly Piece[] | undefined;
  return async (rest, chosen = () => true) => {
    ofHeads ??= heads[format].map(pieceOf);
    while (!blocks.compress(inOneTurn)) await yieldToEventLoop();
    const pieces: Piece[] = [];
    for (const position of positionsOf(names, chosen)) {
      const [head, samples] = [ofHeads[position], blocks.piece(position)];
      if (samples.length > 0 && head !== undefined) pieces.push(head, samples);
    }
    return gzipMember([...pieces, ...rest.map(pieceOf)]);
  };
};
