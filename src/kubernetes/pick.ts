// Picks the wanted fields out of JSON while it arrives: of a pod of one megabyte, only a few kilobytes are kept, parsed and returned.

import { parsedJson } from '../text.ts';

/** True: a text, a number or a boolean. `*`: every other member. For a list, the mask describes its entries. */
export type FieldMask = true | { readonly [name: string]: FieldMask };

/** A real pod has a few dozen labels and annotations, and a few kilobytes of wanted fields. */
const bounds = {
  /** Maximum entries of a list, and maximum members under `*`. Only the first are kept. */
  entries: 64,
  /** Maximum length of a text as written: of named fields, and under `*`. Longer texts, and members with longer names, are left out. */
  named: 16 * 1024,
  other: 1024,
  /** Maximum characters that are kept of one value. Further texts and containers are left out. */
  value: 192 * 1024,
} as const;

interface Frame {
  readonly isList: boolean;
  readonly wanted: FieldMask;
  /** Its entries are passed to `entry`, and not kept. */
  readonly isHandedOut: boolean;
  /** Number of kept values, and how many of them match `*`. */
  taken: number;
  others: number;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * `take` reads the bytes of JSON texts one after the other. Each complete text is passed to `whole`, and before that each entry of its list
 * `entries` to `entry`. `take` returns false if one of them returned false, or if the bytes are not JSON.
 */
export const picking = (
  wanted: FieldMask,
  out: { readonly entries?: string; readonly entry?: (value: unknown) => boolean; readonly whole: (value: unknown) => boolean },
) => {
  const frames: Frame[] = [];
  let parts: string[] = [];
  /** The parts of the value that contains the entry being read, and their size. */
  let around: { readonly parts: string[]; readonly size: number } = { parts: [], size: 0 };
  let size = 0;
  /** Number of open containers inside of an unwanted value. */
  let skipped = 0;
  /** Name of the current member as written, and its mask. The mask is undefined if the member is not wanted. */
  let [name, want]: [string | undefined, FieldMask | undefined] = [undefined, wanted];
  let isName = false;
  let scalar = '';
  /** The current string: its maximum length, its text, and the number of backslashes at its end. */
  let [isOpen, longest, text, length, escapes] = [false, 0, '', 0, 0];
  let isGood = true;

  const isOther = (): boolean => name !== undefined && typeof frame()?.wanted === 'object' && !isNamed(frame()?.wanted, name);
  const frame = (): Frame | undefined => frames.at(-1);

  /** Returns false if there is no room for it. */
  const put = (value: string): boolean => {
    const at = frame();
    if (size + value.length > bounds.value) return false;
    if (at !== undefined) {
      if (at.isList && !at.isHandedOut && at.taken >= bounds.entries) return false;
      if (!at.isList && isOther()) {
        if (at.others >= bounds.entries) return false;
        at.others += 1;
      }
      const before = at.taken > 0 && !at.isHandedOut ? ',' : '';
      parts.push(at.isList ? before : `${before}"${name}":`);
      at.taken += 1;
      size += name?.length ?? 0;
    }
    parts.push(value);
    size += value.length;
    return true;
  };
  /** Ends the value of a member or of an entry. */
  const over = (): void => {
    if (scalar !== '' && want === true) put(scalar);
    scalar = '';
    const at = frame();
    if (at?.isHandedOut && parts.length > 0) hand(out.entry);
    want = at?.isList ? at.wanted : undefined;
  };
  const hand = (to: ((value: unknown) => boolean) | undefined): void => {
    const value = parsedJson(Buffer.from(parts.join(''), 'latin1').toString());
    [parts, size] = [[], 0];
    isGood &&= value !== undefined && to?.(value) !== false;
  };
  const open = (isList: boolean): void => {
    // Also true for a list: its mask describes its entries.
    const isWanted = skipped === 0 && typeof want === 'object' && put(isList ? '[' : '{');
    if (!isWanted || typeof want !== 'object') {
      skipped += 1;
      return;
    }
    const isHandedOut = isList && frames.length === 1 && name !== undefined && name === out.entries;
    frames.push({ isList, wanted: want, isHandedOut, taken: 0, others: 0 });
    if (isHandedOut) [around, parts, size] = [{ parts: [parts.join('')], size }, [], 0];
    if (!isList) [want, isName] = [undefined, true];
  };
  const close = (isList: boolean): void => {
    if (skipped > 0) {
      skipped -= 1;
      return;
    }
    over();
    const at = frames.pop();
    isGood &&= at?.isList === isList;
    if (at?.isHandedOut) ({ parts, size } = around);
    parts.push(isList ? ']' : '}');
    want = undefined;
    isName = false;
    if (frames.length > 0) return;
    hand(out.whole);
    [name, want] = [undefined, wanted];
  };
  const ended = (): void => {
    if (skipped > 0) return;
    const isWhole = length <= longest;
    if (isName) {
      isName = false;
      name = isWhole ? text : undefined;
      want = name === undefined ? undefined : wantedAs(frame()?.wanted, name);
    } else if (want === true && isWhole) put(`"${text}"`);
  };
  /** Reads a string, and returns the position after its closing quote, or after the end of the piece. */
  const readString = (piece: string, begin: number): number => {
    let end = piece.indexOf('"', begin);
    while (end >= 0 && backslashesBefore(piece, begin, end) % 2 === 1) end = piece.indexOf('"', end + 1);
    isOpen = end < 0;
    const stop = isOpen ? piece.length : end;
    length += stop - begin;
    if (length <= longest) text += piece.slice(begin, stop);
    if (isOpen) escapes = backslashesBefore(piece, begin, stop);
    else ended();
    return stop + 1;
  };
  const backslashesBefore = (piece: string, begin: number, end: number): number => {
    let count = 0;
    while (end - count > begin && piece.charCodeAt(end - 1 - count) === backslash) count += 1;
    return end - count === begin ? count + escapes : count;
  };

  const take = (bytes: Buffer): boolean => {
    const piece = bytes.toString('latin1');
    for (let at = isOpen ? readString(piece, 0) : 0; at < piece.length && isGood; ) {
      const byte = piece.charCodeAt(at);
      at += 1;
      if (byte <= 0x20) continue;
      switch (byte) {
        case quote:
          [text, length, escapes] = ['', 0, 0];
          longest = skipped > 0 || (!isName && want !== true) ? -1 : isName || isOther() ? bounds.other : bounds.named;
          at = readString(piece, at);
          break;
        case openList:
        case openObject:
          open(byte === openList);
          break;
        case closeList:
        case closeObject:
          close(byte === closeList);
          break;
        case comma:
          if (skipped > 0) break;
          over();
          isName = frame()?.isList === false;
          break;
        case colon:
          break;
        default:
          if (skipped === 0 && want === true && scalar.length < 64) scalar += piece.charAt(at - 1);
          isGood = frames.length > 0;
      }
    }
    // V8 keeps the whole piece in memory for a substring of it. Joining makes a copy.
    if (parts.length > 1) parts = [parts.join('')];
    return isGood;
  };
  return { take };
};

const isNamed = (wanted: FieldMask | undefined, name: string): boolean =>
  typeof wanted === 'object' && name !== '*' && Object.hasOwn(wanted, name);

const wantedAs = (wanted: FieldMask | undefined, name: string): FieldMask | undefined =>
  typeof wanted !== 'object' ? undefined : wanted[isNamed(wanted, name) ? name : '*'];
