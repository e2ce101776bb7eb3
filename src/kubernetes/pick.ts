// What is wanted of JSON, taken out of it as it arrives: of a pod of a megabyte a few kilobytes are ever held, parsed and handed out.

import { parsedJson } from '../text.ts';

/** True: a text, a number or a boolean. `*`: every other member. A list is as what stands in it. */
export type FieldMask = true | { readonly [name: string]: FieldMask };

/** A pod has some dozen labels and annotations, and some kilobytes of what is wanted. */
const bounds = {
  /** Entries of a list, and members under `*`, that are taken: the first. */
  entries: 64,
  /** Longest text that is taken, as it is written, under a name and under `*`; what is longer is left out, as is a longer name of a member. */
  named: 16 * 1024,
  other: 1024,
  /** Characters of all that is taken of one value; further texts and containers are left out. */
  value: 192 * 1024,
} as const;

interface Frame {
  readonly isList: boolean;
  readonly wanted: FieldMask;
  /** Its entries are handed out, and not kept. */
  readonly isHandedOut: boolean;
  /** What was taken, and how much of it under `*`. */
  taken: number;
  others: number;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Takes the bytes of one JSON text after the other, and hands each out as a value when it is whole; false: enough. Before it, each entry
 * of its list `entries`. `take` gives false when that is enough, or where the bytes are no JSON.
 */
export const picking = (
  wanted: FieldMask,
  out: { readonly entries?: string; readonly entry?: (value: unknown) => boolean; readonly whole: (value: unknown) => boolean },
) => {
  const frames: Frame[] = [];
  let parts: string[] = [];
  /** Those of what stands around the entry that is read, and their size. */
  let around: { readonly parts: string[]; readonly size: number } = { parts: [], size: 0 };
  let size = 0;
  /** Containers that are open within what is not wanted. */
  let skipped = 0;
  /** Of the member that is read: its name as it is written; what is wanted of it, undefined: nothing. */
  let [name, want]: [string | undefined, FieldMask | undefined] = [undefined, wanted];
  let isName = false;
  let scalar = '';
  /** The string that is being read: the longest that is taken, its text, backslashes at its end. */
  let [isOpen, longest, text, length, escapes] = [false, 0, '', 0, 0];
  let isGood = true;

  const isOther = (): boolean => name !== undefined && typeof frame()?.wanted === 'object' && !isNamed(frame()?.wanted, name);
  const frame = (): Frame | undefined => frames.at(-1);

  /** False: there is no room for it. */
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
  /** The value of a member, or of an entry, is over. */
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
    // The text itself; what is a list is wanted as what stands in it.
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
  /** Reads on in a string, and gives the place after its quote; the end of the piece where there is none. */
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
    // V8 keeps the whole piece for a text that was cut from it; what is joined is a text of its own.
    if (parts.length > 1) parts = [parts.join('')];
    return isGood;
  };
  return { take };
};

const isNamed = (wanted: FieldMask | undefined, name: string): boolean =>
  typeof wanted === 'object' && name !== '*' && Object.hasOwn(wanted, name);

const wantedAs = (wanted: FieldMask | undefined, name: string): FieldMask | undefined =>
  typeof wanted !== 'object' ? undefined : wanted[isNamed(wanted, name) ? name : '*'];
