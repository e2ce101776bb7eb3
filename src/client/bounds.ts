// What an answer may hold beside its bytes, told as it arrives and before anything is made of it: a few hundred kilobytes of `{},` or
// of names cost a hundred times their size, and the time of all other targets.

import type { MethodName } from '../protocol/methods.ts';

export interface Bounds {
  readonly depth: number;
  readonly values: number;
  /** Bytes of the name of a member, as it is written. */
  readonly name: number;
  /** Names of members that differ. */
  readonly names: number;
  /** Of a report: members of what stands in it. */
  readonly checks: number;
}

export type Bound = keyof Bounds;

/** A node's report holds some dozen checks, and some hundred values, five deep. */
export const boundsOfReport: Bounds = { depth: 64, values: 10_000, name: 1024, names: 2000, checks: 400 };

/** Of most methods the largest range of containers has the most values, some six thousand. The names are the interface's. */
const boundsOfMost: Bounds = { ...boundsOfReport, checks: Number.POSITIVE_INFINITY };

/** Two thousand peers have half as many values: fifty each, most of them numbers of ACPs. */
const boundsOfNetwork: Bounds = { ...boundsOfMost, values: 160_000 };

/** Their answers grow with the network. */
const ofNetwork: ReadonlySet<MethodName> = new Set(['info.peers', 'platform.getBlockchains', 'platform.getCurrentValidators']);

export const boundsOfResult = (method: MethodName): Bounds => (ofNetwork.has(method) ? boundsOfNetwork : boundsOfMost);

/** Bytes between two values, indentation among them, that are still read: one after the other they are the slowest. */
const looseBytes = 64;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Takes a text piece by piece. `take` gives the first bound that it passes; undefined: none. Whether it is JSON is another question. */
export const countedBy = (bounds: Bounds) => {
  const names = new Set<string>();
  let [depth, values, strings, checks, loose] = [0, 1, 0, 0, 0];
  /** The string that was read last, or is being read: its bytes so far, the first of them, and backslashes at its end. */
  let [isOpen, length, text, escapes] = [false, 0, '', 0];

  /** Reads on in a string, and gives the place after its quote; the end of the piece where there is none. */
  const readString = (piece: string, begin: number): number => {
    let end = piece.indexOf('"', begin);
    while (end >= 0 && backslashesBefore(piece, begin, end) % 2 === 1) end = piece.indexOf('"', end + 1);
    isOpen = end < 0;
    const stop = isOpen ? piece.length : end;
    if (length <= bounds.name) text += piece.slice(begin, Math.min(stop, begin + bounds.name));
    length += stop - begin;
    if (isOpen) escapes = backslashesBefore(piece, begin, stop);
    return stop + 1;
  };
  const backslashesBefore = (piece: string, begin: number, end: number): number => {
    let count = 0;
    while (end - count > begin && piece.charCodeAt(end - 1 - count) === backslash) count += 1;
    return end - count === begin ? count + escapes : count;
  };

  const take = (bytes: Buffer): Bound | undefined => {
    // Where V8 interprets, it looks through a text in a fraction of the time that it takes for a buffer.
    const piece = bytes.toString('latin1');
    const end = piece.length;
    for (let at = isOpen ? readString(piece, 0) : 0; at < end; ) {
      const byte = piece.charCodeAt(at);
      at += 1;
      // Digits, letters, dots and signs of a number, spaces: nothing to count.
      if (byte <= 0x20 || (byte >= 0x2d && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a)) {
        loose += 1;
        continue;
      }
      switch (byte) {
        case quote:
          strings += 1;
          length = 0;
          text = '';
          escapes = 0;
          at = readString(piece, at);
          break;
        case openList:
        case openObject:
          depth += 1;
          values += 1;
          if (depth > bounds.depth) return 'depth';
          if (depth === 2) checks = 1;
          break;
        case closeList:
        case closeObject:
          depth -= 1;
          break;
        case comma:
          values += 1;
          if (depth !== 2) break;
          checks += 1;
          if (checks > bounds.checks) return 'checks';
          break;
        case colon:
          if (length > bounds.name) return 'name';
          // A part of a text keeps all of it.
          if (!names.has(text)) names.add(Buffer.from(text, 'latin1').toString('latin1'));
          if (names.size > bounds.names) return 'names';
          break;
      }
    }
    const isTooMuch = values > bounds.values || strings > 2 * bounds.values || loose > looseBytes * bounds.values;
    return isTooMuch ? 'values' : undefined;
  };
  return { take };
};
