// Limits the length of texts from a node before they are stored, and copies them.

import { crc32 } from 'node:zlib';
import { firstUnits } from '../text.ts';

/**
 * A name of well-formed Unicode with at most `limit` UTF-16 units. A longer name ends with a checksum of the whole, so that two long names
 * with the same beginning remain distinct. The result is a copy that does not keep the original text in memory.
 */
export const distinctName = (text: string, limit: number): string => {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= limit) return wellFormed;
  const mark = `~${crc32(wellFormed).toString(16).padStart(8, '0')}`;
  return copied(firstUnits(wellFormed, limit - mark.length) + mark);
};

/** The first UTF-16 units of a text, as a copy. */
export const head = (text: string, limit: number): string => (text.length <= limit ? text : copied(firstUnits(text, limit)));

/** Copies a text: Node.js keeps the whole text in memory as long as a substring of it exists. */
const copied = (text: string): string => Buffer.from(text).toString();

/** A JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
