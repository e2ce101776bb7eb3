// Targets in blocks, each compressed as a whole, family by family: a poll leaves all other blocks as they are, and of its own the
// families that say what they said before.
//
// A node is polled when its checks have run, so targets are polled in an order that nobody chose and that stays: blocks are made of
// targets that are polled one after the other, and between two scrapes whole blocks become others.

import { type Contribution, copyAt, isSameAt, lengthAt } from './contribution.ts';
import { joinPieces, type Piece, pieceOf } from './pieces.ts';

/** Most targets of a block: more compress a little better, and fewer leave less to do when one of them changes. */
export const blockSize = 32;

/**
 * Blocks that are polled at any one time; where more than these are changed in part, their targets are put in order anew. That makes
 * every family of them anew, a poll only those that change: it has to pay for itself.
 */
const fronts = 8;

/**
 * A block of which none was polled among so many polls is compressed, though more of it are to come: now and then a node is polled between
 * two runs of its checks, and a scrape would find a dozen such blocks.
 */
const soon = 16;

/** Pieces that a poll compresses of blocks that were put in order, less than two milliseconds: a scrape finds them done. */
const besideAPoll = 20;

/** Rounds for which a block is compressed without anybody asking for it. */
const maxUnasked = 8;

interface Member {
  readonly contribution: Contribution;
  /** A number that grows: when it was last polled. */
  readonly at: number;
}

interface Block {
  /** By name. */
  readonly members: Map<string, Member>;
  /** Names of those that were polled in this round. */
  readonly polled: Set<string>;
  /** By position of the family; undefined where it is to be compressed. */
  readonly pieces: (Piece | undefined)[];
  /** Rounds since a page was made of it. */
  unasked: number;
}

export interface Blocks {
  readonly get: (name: string) => Contribution | undefined;
  readonly names: () => Iterable<string>;
  readonly count: () => number;
  readonly set: (name: string, contribution: Contribution) => void;
  readonly delete: (name: string) => void;
  /** In the order of the page, which is that of the polls soon after. */
  readonly all: () => readonly Contribution[];
  readonly isOne: () => boolean;
  /** Compresses so many pieces at most; false while more are left. */
  readonly compress: (most: number) => boolean;
  /** The family at this position, in the order of the page; what `compress` left is compressed now. */
  readonly piece: (position: number) => Piece;
}

export const createBlocks = (
  positions: number,
  { compressed = pieceOf, size = blockSize }: { readonly compressed?: (plain: Uint8Array) => Piece; readonly size?: number } = {},
): Blocks => {
  let blocks: Block[] = [];
  /** Of all blocks, by position; undefined where one of them has changed. Between two scrapes most say what they said before. */
  const families: (Piece | undefined)[] = [];
  const of = new Map<string, Block>();
  /** Put in order and not compressed yet, each from that position on. */
  const fresh = new Map<Block, number>();
  /** Of the last polls, one each. */
  let recent: Block[] = [];
  let polls = 0;
  /** A page was made since the blocks were put in order. */
  let isAsked = false;

  const newBlock = (members: readonly (readonly [string, Member])[], unasked = maxUnasked): Block => {
    const block: Block = { members: new Map(members), polled: new Set(), pieces: [], unasked };
    for (const [name] of members) of.set(name, block);
    blocks.push(block);
    return block;
  };
  const drop = (those: readonly Block[]): void => {
    blocks = blocks.filter((block) => !those.includes(block));
    recent = recent.filter((block) => !those.includes(block));
    for (const block of those) fresh.delete(block);
    families.length = 0;
  };
  /** Held for the next: most of what a piece costs beside its compression is memory. */
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
  /** How many pieces that took. */
  const seal = (block: Block): number => {
    let made = 0;
    for (let position = 0; position < positions; position += 1)
      if (block.pieces[position] === undefined) {
        compressAt(block, position);
        made += 1;
      }
    return made;
  };
  /** Blocks of which a part was polled are in the way of each other, unless it is a small one, or they are those that are being polled. */
  const putInOrder = (): void => {
    const partly = blocks.filter(({ members, polled }) => polled.size > size / 4 || members.size < size / 4);
    if (partly.length <= fronts) return;
    const members = partly.flatMap((block) => [...block.members]).toSorted(([, one], [, other]) => inOrder(one, other));
    const even = Math.ceil(members.length / Math.ceil(members.length / size));
    drop(partly);
    for (let from = 0; from < members.length; from += even) fresh.set(newBlock(members.slice(from, from + even), 0), 0);
  };
  /** Once after each page, and of what that leaves to do a little beside each poll. */
  const tidy = (): void => {
    if (isAsked) putInOrder();
    isAsked = false;
    let left = besideAPoll;
    for (const [block, from] of fresh) {
      let position = from;
      for (; position < positions && left > 0; position += 1)
        if (block.pieces[position] === undefined) {
          compressAt(block, position);
          left -= 1;
        }
      if (position < positions) {
        fresh.set(block, position);
        return;
      }
      fresh.delete(block);
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
    // No more of it will change for an interval.
    block.polled.clear();
    if (block.unasked < maxUnasked) seal(block);
    block.unasked += 1;
  };
  const leave = (block: Block): void => {
    recent.push(block);
    const left = recent.length > soon ? recent.shift() : undefined;
    if (left !== undefined && left.unasked < maxUnasked && !recent.includes(left)) seal(left);
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
        leave(block);
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
      isAsked = true;
      return blocks.flatMap(({ members }) => Array.from(members.values(), ({ contribution }) => contribution));
    },
    isOne: () => blocks.length <= 1,
    compress: (most) => {
      let left = most;
      for (const block of blocks) {
        block.unasked = 0;
        left -= seal(block);
        if (left <= 0) return false;
      }
      return true;
    },
    piece: (position) => {
      const known = families[position];
      if (known !== undefined) return known;
      const made = joinPieces(blocks.map((block) => block.pieces[position] ?? compressAt(block, position)));
      families[position] = made;
      return made;
    },
  };
};

/** Those that are polled at another pace keep to themselves. */
const inOrder = (one: Member, other: Member): number => paceOf(one) - paceOf(other) || one.at - other.at;

const paceOf = ({ contribution }: Member): number => contribution.target.state.options.healthCheckFrequency;
