// Texts of a node that are kept: cut, and as copies of their own.

import { crc32 } from 'node:zlib';

/**
 * Names of at most `limit` UTF-16 units of well-formed Unicode: two long ones that begin alike do not become one, because what was cut off
 * leaves its checksum behind. A copy of its own: what is kept holds nothing of the text that it was cut from.
 */
export const distinctName = (text: string, limit: number): string => {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= limit) return wellFormed;
  const mark = `~${crc32(wellFormed).toString(16).padStart(8, '0')}`;
  return copied(wellFormed.slice(0, limit - mark.length).replace(/[\ud800-\udbff]$/, '') + mark);
};

/** The first units of a text, as a copy of its own. */
export const head = (text: string, limit: number): string => (text.length <= limit ? text : copied(text.slice(0, limit)));

/** Node.js keeps the whole of a text for as long as a part of it is kept. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Of JSON. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
