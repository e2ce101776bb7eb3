// A cache of compressed metrics for large fleets. Targets are grouped in blocks, and each family of a block is compressed as one piece. A
// poll invalidates only pieces of its target's block, and of these only the families whose samples have changed.
//
// A target is polled after its node's checks have run, so the order of polls is arbitrary but stable. Blocks are made of targets that are
// polled one after the other: between two scrapes, few blocks then change in all of their targets, and the others not at all.

import { type Contribution, copyAt, isSameAt, lengthAt } from './contribution.ts';
import { joinPieces, type Piece, pieceOf } from './pieces.ts';

/** Maximum number of targets in a block. Larger blocks compress a little better; smaller ones need less work when one target changes. */
export const blockSize = 32;

/**
 * Blocks that may be partly polled at a time. If there are more, their targets are sorted into new blocks. That recompresses all of their
 * families, while a poll recompresses only the changed ones, so it must not happen often.
 */
const maxPartlyPolled = 8;

/**
 * A block is compressed after this many polls of other blocks, even if some of its targets have not been polled yet. Otherwise extra polls
 * between two check runs would leave a dozen blocks for the next scrape to compress.
 */
const pollsUntilCompressed = 16;

/** Pieces of newly sorted blocks compressed with each poll, in less than two milliseconds, so that the next scrape finds them ready. */
const maxPiecesPerPoll = 20;

/** Rounds of polls for which a block is compressed although nothing scrapes it. */
const maxUnscrapedRounds = 8;

interface Member {
  readonly contribution: Contribution;
  /** Sequence number of its last poll. */
  readonly at: number;
}

interface Block {
  /** By name. */
  readonly members: Map<string, Member>;
  /** Names of the targets polled in this round. */
  readonly polled: Set<string>;
  /** By position of the family; undefined if it must be compressed. */
  readonly pieces: (Piece | undefined)[];
  /** Rounds of polls since the last scrape. */
  unscrapedRounds: number;
}

export interface Blocks {
  readonly get: (name: string) => Contribution | undefined;
  readonly names: () => Iterable<string>;
  readonly count: () => number;
  readonly set: (name: string, contribution: Contribution) => void;
  readonly delete: (name: string) => void;
  /** In the order of the page, which follows the order of polls. */
  readonly all: () => readonly Contribution[];
  readonly isOne: () => boolean;
  /** Compresses about `maxPieces` pieces; false if more are left. */
  readonly compress: (maxPieces: number) => boolean;
  /** The family at this position, of all blocks. Compresses what `compress` has left. */
  readonly piece: (position: number) => Piece;
}

export const createBlocks = (
  positions: number,
  { compressed = pieceOf, size = blockSize }: { readonly compressed?: (plain: Uint8Array) => Piece; readonly size?: number } = {},
): Blocks => {
  let blocks: Block[] = [];
  /** Joined pieces of all blocks, by position; undefined if one of them has changed. Most families do not change between two scrapes. */
  const families: (Piece | undefined)[] = [];
  const of = new Map<string, Block>();
  /** Newly sorted blocks that are not compressed yet -> the position to continue at. */
  const uncompressed = new Map<Block, number>();
  /** Blocks of the last polls, one per poll. */
  let recent: Block[] = [];
  let polls = 0;
  /** There was a scrape since the blocks were last sorted. */
  let isScraped = false;

  const newBlock = (members: readonly (readonly [string, Member])[], unscrapedRounds = maxUnscrapedRounds): Block => {
    const block: Block = { members: new Map(members), polled: new Set(), pieces: [], unscrapedRounds };
    for (const [name] of members) of.set(name, block);
    blocks.push(block);
    return block;
  };
  const drop = (those: readonly Block[]): void => {
    blocks = blocks.filter((block) => !those.includes(block));
    recent = recent.filter((block) => !those.includes(block));
    for (const block of those) uncompressed.delete(block);
    families.length = 0;
  };
  /** A reused buffer: besides compression, most of the cost of a piece is allocation. */
  let plain = Buffer.alloc(0);
  const compressAt = (block: Block, position: number): Piece => {
    let length = 0;
    for (const { contribution } of block.members.values()) length += lengthAt(contribution, position);
    if (plain.length < length) plain = Buffer.allocUnsafeSlow(2 * length);
    let used = 0;
    for (const { contribution } of block.members.values()) used += copyAt(contribution, position, plain, used);
    const piece = compressed(plain.subarray(0, length));
    block.pieces[position] = piece;
    families[position] = undefined;
    return piece;
  };
  /** Compresses what is left of a block; returns how many pieces. */
  const compressBlock = (block: Block): number => {
    let count = 0;
    for (let position = 0; position < positions; position += 1)
      if (block.pieces[position] === undefined) {
        compressAt(block, position);
        count += 1;
      }
    return count;
  };
  /** Sorts the targets of partly polled and of small blocks into new blocks, by interval and last poll. */
  const sortBlocks = (): void => {
    const partly = blocks.filter(({ members, polled }) => polled.size > size / 4 || members.size < size / 4);
    if (partly.length <= maxPartlyPolled) return;
    const members = partly.flatMap((block) => [...block.members]).toSorted(([, one], [, other]) => inOrder(one, other));
    const perBlock = Math.ceil(members.length / Math.ceil(members.length / size));
    drop(partly);
    for (let from = 0; from < members.length; from += perBlock)
      uncompressed.set(newBlock(members.slice(from, from + perBlock), 0), 0);
  };
  /** Runs with each poll: sorts once after each scrape, and compresses a few pieces of what that left. */
  const tidy = (): void => {
    if (isScraped) sortBlocks();
    isScraped = false;
    let left = maxPiecesPerPoll;
    for (const [block, from] of uncompressed) {
      let position = from;
      for (; position < positions && left > 0; position += 1)
        if (block.pieces[position] === undefined) {
          compressAt(block, position);
          left -= 1;
        }
      if (position < positions) {
        uncompressed.set(block, position);
        return;
      }
      uncompressed.delete(block);
    }
  };

  const add = (name: string, member: Member): void => {
    const last = blocks.at(-1);
    if (last === undefined || last.members.size >= size) newBlock([[name, member]]);
    else {
      of.set(name, last);
      last.members.set(name, member);
      last.pieces.length = 0;
    }
  };
  const change = (block: Block, name: string, member: Member): void => {
    const before = block.members.get(name)?.contribution;
    for (let position = 0; position < positions; position += 1)
      if (before === undefined || !isSameAt(before, member.contribution, position)) block.pieces[position] = undefined;
    block.members.set(name, member);
    block.polled.add(name);
    if (block.polled.size < block.members.size) return;
    // All of its targets are polled: the block will not change for an interval.
    block.polled.clear();
    if (block.unscrapedRounds < maxUnscrapedRounds) compressBlock(block);
    block.unscrapedRounds += 1;
  };
  const notePoll = (block: Block): void => {
    recent.push(block);
    const left = recent.length > pollsUntilCompressed ? recent.shift() : undefined;
    if (left !== undefined && left.unscrapedRounds < maxUnscrapedRounds && !recent.includes(left)) compressBlock(left);
  };

  return {
    get: (name) => of.get(name)?.members.get(name)?.contribution,
    names: () => of.keys(),
    count: () => of.size,
    set: (name, contribution) => {
      polls += 1;
      const member = { contribution, at: polls };
      const block = of.get(name);
      if (block === undefined) add(name, member);
      else {
        change(block, name, member);
        notePoll(block);
      }
      tidy();
    },
    delete: (name) => {
      const block = of.get(name);
      if (block === undefined) return;
      of.delete(name);
      block.members.delete(name);
      block.polled.delete(name);
      block.pieces.length = 0;
      if (block.members.size === 0) drop([block]);
    },
    all: () => {
      isScraped = true;
      return blocks.flatMap(({ members }) => Array.from(members.values(), ({ contribution }) => contribution));
    },
    isOne: () => blocks.length <= 1,
    compress: (maxPieces) => {
      let left = maxPieces;
      for (const block of blocks) {
        block.unscrapedRounds = 0;
        left -= compressBlock(block);
        if (left <= 0) return false;
      }
      return true;
    },
    piece: (position) => {
      const known = families[position];
      if (known !== undefined) return known;
      const joined = joinPieces(blocks.map((block) => block.pieces[position] ?? compressAt(block, position)));
      families[position] = joined;
      return joined;
    },
  };
};

/** By poll interval, then by last poll: targets with different intervals are kept in different blocks. */
const inOrder = (one: Member, other: Member): number => intervalOf(one) - intervalOf(other) || one.at - other.at;

const intervalOf = ({ contribution }: Member): number => contribution.target.state.options.healthCheckFrequency;
