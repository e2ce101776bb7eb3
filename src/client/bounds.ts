// Limits on the content of a response, in addition to its size. They are checked before JSON is parsed: a few hundred kilobytes of `{},` or of
// names would need a hundred times their size in memory, and delay all other targets.

import type { MethodName } from '../protocol/methods.ts';

export interface Bounds {
  readonly depth: number;
  readonly values: number;
  /** Bytes of the name of an object member, with its escapes. */
  readonly name: number;
  /** Distinct names of object members. */
  readonly names: number;
  /** Members of an object or array at depth two, such as the checks of a report. */
  readonly checks: number;
}

export type Bound = keyof Bounds;

/** The report of a node has some dozen checks, some hundred values, and a depth of five. */
export const boundsOfReport: Bounds = { depth: 64, values: 10_000, name: 1024, names: 2000, checks: 400 };

/** For most methods. The largest range of containers has the most values, about six thousand. The interface defines the names. */
const defaultBounds: Bounds = { ...boundsOfReport, checks: Number.POSITIVE_INFINITY };

/** Allows twice the values of two thousand peers, which have fifty each, mostly ACP numbers. */
const boundsOfNetwork: Bounds = { ...defaultBounds, values: 160_000 };

/** Methods whose results grow with the network. */
const ofNetwork: ReadonlySet<MethodName> = new Set(['info.peers', 'platform.getBlockchains', 'platform.getCurrentValidators']);

export const boundsOfResult = (method: MethodName): Bounds => (ofNetwork.has(method) ? boundsOfNetwork : defaultBounds);

/** Allowed bytes outside of strings per value, such as indentation: they are the slowest to scan. */
const looseBytes = 64;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Checks a text chunk by chunk. `take` gives the first bound that is exceeded, if any. It does not check whether the text is JSON. */
export const countedBy = (bounds: Bounds) => {
  const names = new Set<string>();
  let [depth, values, strings, checks, loose] = [0, 1, 0, 0, 0];
  /** The current or last string: whether it is open, its length in bytes, its beginning, and the number of backslashes at its end. */
  let [isOpen, length, text, escapes] = [false, 0, '', 0];

  /** Continues in a string, and gives the position after its closing quote, or after the end of the chunk. */
  const readString = (chunk: string, begin: number): number => {
    let end = chunk.indexOf('"', begin);
    while (end >= 0 && backslashesBefore(chunk, begin, end) % 2 === 1) end = chunk.indexOf('"', end + 1);
    isOpen = end < 0;
    const stop = isOpen ? chunk.length : end;
    if (length <= bounds.name) text += chunk.slice(begin, Math.min(stop, begin + bounds.name));
    length += stop - begin;
    if (isOpen) escapes = backslashesBefore(chunk, begin, stop);
    return stop + 1;
  };
  const backslashesBefore = (chunk: string, begin: number, end: number): number => {
    let count = 0;
    while (end - count > begin && chunk.charCodeAt(end - 1 - count) === backslash) count += 1;
    return end - count === begin ? count + escapes : count;
  };

  const take = (bytes: Buffer): Bound | undefined => {
    // As long as V8 interprets this code, it scans a string in a fraction of the time that a buffer takes.
    const chunk = bytes.toString('latin1');
    const end = chunk.length;
    for (let at = isOpen ? readString(chunk, 0) : 0; at < end; ) {
      const byte = chunk.charCodeAt(at);
      at += 1;
      // Spaces, and the characters of numbers and keywords: only their number is limited.
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
          at = readString(chunk, at);
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
          // Copied, because a slice of a string keeps the whole string in memory.
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
